#!/bin/bash
untorn --help >/dev/full
