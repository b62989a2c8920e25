#!/bin/bash
echo new | untorn commit a=- b=-
