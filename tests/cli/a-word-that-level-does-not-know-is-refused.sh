#!/bin/bash
untorn write --level fast file
