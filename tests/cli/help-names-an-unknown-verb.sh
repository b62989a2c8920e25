#!/bin/bash
untorn help wrote
