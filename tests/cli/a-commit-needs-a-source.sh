#!/bin/bash
untorn commit a
