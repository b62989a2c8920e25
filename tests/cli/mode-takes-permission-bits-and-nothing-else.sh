#!/bin/bash
. "$TESTS/cli/lib.sh"

takes() {
    echo new | untorn write --mode "$1" file
}
refuses() {
    takes "$1" 2>err
    [ $? = 2 ] && grep -qF "takes octal permission bits from 1 to 777, as in 640, not '$1'" err
}
for value in 600 0600 1 777; do
    check "--mode $value is taken" takes "$value"
done
for value in '' 0 000 888 u=rw 00600 1777 4755 -600 6x0; do
    check "--mode '$value' is refused" refuses "$value"
done
summary
