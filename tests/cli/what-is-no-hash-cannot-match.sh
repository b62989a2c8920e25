#!/bin/bash
untorn write --if-match 0123 file
