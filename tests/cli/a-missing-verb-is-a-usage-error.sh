#!/bin/bash
untorn
