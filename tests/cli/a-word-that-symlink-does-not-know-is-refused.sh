#!/bin/bash
untorn read --symlink=foll file
