# shellcheck shell=bash
# After cli/lib.sh: an overwrite in place of `file` by what `new` holds that stops half way.

faultat=$BUILD/tests/faultat
[ -x "$faultat" ] || { echo 'faultat is not built' && exit 77; }

# Stops an overwrite in place after its last byte and before it is settled.
stop_half_way() {
    local call
    echo old | untorn write --keep-inode file
    "$faultat" --trace log --count -- untorn write --keep-inode file new
    call=$(awk -F '\t' -v path="$PWD/file" '$3 == "fsync" && $4 == path { print $1 }' log | head -1)
    echo old | untorn write --keep-inode file
    expect 137 "$faultat" --kill-before "$call" -- untorn write --keep-inode file new
}
echo new >new
echo first >file
untorn write --keep-inode file new
