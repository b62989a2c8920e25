#!/bin/bash
untorn read $'caf\303\251 \377' 2>&1 | od -An -c >out
grep -q '303 251' out && grep -q 377 out
