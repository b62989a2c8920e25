#!/bin/bash
untorn restore file
