#!/bin/bash
untorn write file --level
