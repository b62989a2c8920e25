#!/bin/bash
untorn hash a b
