#!/bin/bash
untorn read ''
