#!/bin/bash
echo new | untorn write --report file
