#!/bin/bash
# A test that fails, crashes or leaks must make its program fail, and say where.
set -u
cat >planted_test.c <<'C'
#include "harness.h"
#include <stdlib.h>
#include <string.h>
TEST(good) { CHECK(1); }
TEST(false_condition) { CHECK(1 == 2); }
TEST(unequal_numbers) { CHECK_INT(1, 2); }
TEST(unequal_texts) { CHECK_TEXT("a", "b"); }
TEST(missing_text) { CHECK_TEXT(NULL, "b"); }
TEST(unequal_bytes) { CHECK_BYTES("ab", 2, "ac", 2); }
TEST(shorter_bytes) { CHECK_BYTES("ab", 2, "abc", 3); }
TEST(crash) { abort(); }
TEST(early_end) { exit(3); }
TEST(skipped) { SKIP("for a reason"); }
C
cat >expected <<'OUT'
ok  good
FAIL false_condition planted_test.c:5 not so: 1 == 2
FAIL unequal_numbers planted_test.c:6 1 is 1, not 2
FAIL unequal_texts planted_test.c:7 "a" is "a", not "b"
FAIL missing_text planted_test.c:8 NULL is NULL, not "b"
FAIL unequal_bytes planted_test.c:9 "ab" has 0x62 at byte 1, not 0x63
FAIL shorter_bytes planted_test.c:10 "ab" has 2 bytes, not 3
FAIL crash killed by Aborted
FAIL early_end ended with status 3
skip skipped: for a reason
1 passed, 8 failed, 1 skipped
OUT
cc -std=c11 -D_GNU_SOURCE -I"$TESTS" -o planted planted_test.c "$TESTS/harness.c" || exit 1
./planted >printed
[ $? = 1 ] || { echo "the status is not 1"; exit 1; }
diff expected printed || exit 1

./planted good >printed || { echo "one good test alone fails"; exit 1; }
printf 'ok  good\n1 passed, 0 failed\n' | diff - printed || exit 1

./planted no_such_test >printed && { echo "a program that ran no test passes"; exit 1; }
ls -d untorn-test.* 2>/dev/null && { echo "a working directory is left behind"; exit 1; }

cat >leak_test.c <<'C'
#include "harness.h"
#include <stdlib.h>
TEST(a_leak) { volatile char *p = malloc(10); p[0] = 1; p = NULL; }
C
cc -std=c11 -D_GNU_SOURCE -fsanitize=address -I"$TESTS" -o leak leak_test.c "$TESTS/harness.c" ||
    exit 1
./leak >printed 2>&1 && { echo "a leak passes"; cat printed; exit 1; }
exit 0
