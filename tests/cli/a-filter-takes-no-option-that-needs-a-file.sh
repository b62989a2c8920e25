#!/bin/bash
untorn write --mode 600 - </dev/null
