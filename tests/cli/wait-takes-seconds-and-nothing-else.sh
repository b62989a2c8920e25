#!/bin/bash
. "$TESTS/cli/lib.sh"

takes() {
    echo new | untorn write --wait "$1" file
}
refuses() {
    takes "$1" 2>err
    [ $? = 2 ] && grep -qF "takes seconds from 0 (try once) to 1000000, as in 2.5, not '$1'" err
}
for value in 0 1 10 0.5 .5 5. 0.0001 1000000 1000000.000 00001; do
    check "--wait $value is taken" takes "$value"
done
for value in '' . -1 -0.5 nan inf 1e3 0x10 5s ' 5' 1,5 1.2.3 1000001 1000000.0001 \
    99999999999999999999999; do
    check "--wait '$value' is refused" refuses "$value"
done
summary
