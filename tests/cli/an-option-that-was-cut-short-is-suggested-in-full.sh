#!/bin/bash
untorn write --excl file
