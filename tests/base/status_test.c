#include "harness.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include <untorn/status.h>

struct row {
    int number;
    int exit_code;
    const char *name;
    const char *text;
};

#define ROW(name, number, exit_code, text) {number, exit_code, #name, text},
static const struct row rows[] = {UNTORN_STATUS_LIST(ROW)};
enum { ROWS = sizeof rows / sizeof *rows };

TEST(every_status_has_a_name_a_text_and_an_exit_code)
{
    for (int i = 0; i < ROWS; i++) {
        CHECK_TEXT(untorn_status_name(rows[i].number), rows[i].name);
        CHECK_TEXT(untorn_status_text(rows[i].number), rows[i].text);
        CHECK_INT(untorn_status_exit_code(rows[i].number), rows[i].exit_code);
        CHECK(strlen(rows[i].text) > 3);
    }
}

TEST(the_sign_of_a_return_value_does_not_matter)
{
    for (int i = 0; i < ROWS; i++) {
        CHECK_TEXT(untorn_status_name(-rows[i].number), rows[i].name);
        CHECK_TEXT(untorn_status_text(-rows[i].number), rows[i].text);
        CHECK_INT(untorn_status_exit_code(-rows[i].number), rows[i].exit_code);
    }
}

TEST(numbers_and_names_are_unique)
{
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < i; j++) {
            CHECK(rows[i].number != rows[j].number);
            CHECK(strcmp(rows[i].name, rows[j].name) != 0);
            CHECK(strcmp(rows[i].text, rows[j].text) != 0);
        }
    }
}

TEST(exit_codes_are_the_documented_ones)
{
    CHECK_INT(untorn_status_exit_code(UNTORN_OK), 0);
    CHECK_INT(untorn_status_exit_code(UNTORN_NO_SPACE), 1);
    CHECK_INT(untorn_status_exit_code(UNTORN_INVALID), 2);
    CHECK_INT(untorn_status_exit_code(UNTORN_MISSING), 3);
    CHECK_INT(untorn_status_exit_code(UNTORN_NOT_A_FILE), 4);
    CHECK_INT(untorn_status_exit_code(UNTORN_DAMAGED), 4);
    CHECK_INT(untorn_status_exit_code(UNTORN_CHANGED), 5);
    CHECK_INT(untorn_status_exit_code(UNTORN_EXISTS), 5);
    CHECK_INT(untorn_status_exit_code(UNTORN_LOCKED), 6);
    for (int i = 0; i < ROWS; i++) {
        bool unsettled = strncmp(rows[i].name, "UNSETTLED", 9) == 0;
        CHECK_INT(rows[i].exit_code == 7, unsettled);
        CHECK(rows[i].exit_code >= 0 && rows[i].exit_code <= 7);
    }
}

TEST(an_unknown_status_is_a_failure_with_a_name)
{
    const int unknown[] = {60, -60, 99, 104, 1000000, -1000000, INT_MAX, -INT_MAX, INT_MIN};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        CHECK_TEXT(untorn_status_name(unknown[i]), "UNKNOWN");
        CHECK_TEXT(untorn_status_text(unknown[i]), "unknown status");
        CHECK_INT(untorn_status_exit_code(unknown[i]), 1);
    }
}
