#!/bin/bash
untorn read $'two\nlines \033[31m \302\233 \177 \r\t'
