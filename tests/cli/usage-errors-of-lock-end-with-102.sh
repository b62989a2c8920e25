#!/bin/bash
untorn lock file --
