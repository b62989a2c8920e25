#!/bin/bash
untorn update file
