#!/bin/bash
untorn frobnicate
