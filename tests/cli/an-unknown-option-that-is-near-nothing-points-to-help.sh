#!/bin/bash
untorn write --colourful=yes file
