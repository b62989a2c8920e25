#!/bin/bash
untorn commit
