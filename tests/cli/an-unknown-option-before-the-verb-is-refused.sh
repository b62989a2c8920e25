#!/bin/bash
untorn --wiat 0 write file
