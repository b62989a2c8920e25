#!/bin/bash
untorn append - </dev/null
