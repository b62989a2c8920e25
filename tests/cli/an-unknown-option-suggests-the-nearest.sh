#!/bin/bash
untorn write --if-mach 1 file
