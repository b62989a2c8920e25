#!/bin/bash
untorn write -s file
