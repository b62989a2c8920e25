#!/bin/bash
untorn write --report=yes file
