#!/bin/bash
untorn read --state-dir= file
