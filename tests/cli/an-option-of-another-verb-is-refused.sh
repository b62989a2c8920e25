#!/bin/bash
untorn read --repair file
