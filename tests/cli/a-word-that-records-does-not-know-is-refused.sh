#!/bin/bash
untorn append --records json file
