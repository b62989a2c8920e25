#!/bin/bash
untorn read "--$(printf "x%.0s" {1..70})" file
