#!/bin/bash
# Another writer may be in one already, and would fail with it: nothing is taken away again.
source "$TESTS/cli/lib.sh"
echo new >new
hash=$(printf %032d 0)

expect 5 untorn write --parents --if-match "$hash" a/b/file new
[ -d a/b ] && [ -z "$(ls a/b)" ] || fail "write: $(ls -A a/b)"
expect 3 untorn commit --parents c/d/file=new --remove gone
grep -q 'none of the 2 files was changed' err || fail "$(cat err)"
[ -d c/d ] && [ -z "$(ls c/d)" ] || fail "commit: $(ls -A c/d)"

# A later call finds them as any others.
expect 0 untorn check a c
expect 0 untorn commit a/b/file=new c/d/file=new
