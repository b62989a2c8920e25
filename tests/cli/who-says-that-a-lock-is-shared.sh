#!/bin/bash
untorn lock -s file -- untorn who file
