#!/bin/bash
untorn wirte file
