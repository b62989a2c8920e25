#!/bin/bash
untorn who file
