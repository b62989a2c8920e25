#!/bin/bash
echo text >source
untorn write - source
