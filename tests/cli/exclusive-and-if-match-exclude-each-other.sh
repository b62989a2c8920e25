#!/bin/bash
untorn write --exclusive --if-match 00000000000000000000000000000000 file
