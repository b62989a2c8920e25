#!/bin/bash
untorn check --abandon
