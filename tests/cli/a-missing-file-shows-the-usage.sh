#!/bin/bash
untorn write
