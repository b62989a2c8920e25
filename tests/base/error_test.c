#include "harness.h"

#include <string.h>

#include "base/codes.h"
#include "base/error.h"

static struct untorn_error error;
static char text[UNTORN_TEXT_SIZE];

static const char *describe(void)
{
    return untorn_describe(&error, text, sizeof text);
}

TEST(beginning_clears_what_an_earlier_call_left)
{
    struct untorn_error local;
    memset(&error, 0xff, sizeof error);
    CHECK(error_begin(&error, &local, "a/b") == &error);
    CHECK_INT(error.status, UNTORN_OK);
    CHECK_INT(error.os_error, 0);
    CHECK(error.step == NULL);
    CHECK_INT(error.flags, 0);
    CHECK(error.position == UNTORN_NO_POSITION);
    CHECK_TEXT(error.path, "a/b");
    CHECK_TEXT(error.detail, "");
}

TEST(a_caller_who_wants_no_error_gets_a_local_one)
{
    struct untorn_error local;
    CHECK(error_begin(NULL, &local, NULL) == &local);
    CHECK_TEXT(local.path, "");
}

TEST(a_path_that_does_not_fit_keeps_its_beginning_and_its_end)
{
    char path[3000];
    for (size_t size = UNTORN_PATH_SIZE - 2; size < sizeof path; size = size * 9 / 8) {
        for (size_t i = 0; i < size; i++)
            path[i] = (char)('a' + i % 26);
        path[size] = '\0';
        memset(&error, 0, sizeof error);
        error_begin(&error, NULL, path);
        if (size < UNTORN_PATH_SIZE) {
            CHECK_TEXT(error.path, path);
            continue;
        }
        const char *dots = strstr(error.path, "...");
        CHECK_INT(strlen(error.path), UNTORN_PATH_SIZE - 1);
        CHECK(dots && strncmp(error.path, path, (size_t)(dots - error.path)) == 0);
        CHECK_TEXT(dots + 3, path + size - strlen(dots + 3));
    }
}

TEST(a_failure_is_returned_negative_and_stands_in_the_struct)
{
    error_begin(&error, NULL, "f");
    error.os_error = EIO;
    CHECK_INT(error_fail(&error, UNTORN_CHANGED, "compare"), -UNTORN_CHANGED);
    CHECK_INT(error.status, UNTORN_CHANGED);
    CHECK_INT(error.os_error, 0);
    CHECK_TEXT(error.step, "compare");
}

TEST(a_failure_of_the_system_keeps_its_number)
{
    error_begin(&error, NULL, "f");
    CHECK_INT(error_os(&error, -ENOSPC, "write"), -UNTORN_NO_SPACE);
    CHECK_INT(error.status, UNTORN_NO_SPACE);
    CHECK_INT(error.os_error, ENOSPC);
    CHECK_TEXT(error.step, "write");
}

TEST(no_number_of_the_system_is_returned_as_success)
{
    error_begin(&error, NULL, "f");
    for (int64_t number = -70000; number <= 70000; number++)
        CHECK(error_os(&error, number, NULL) < 0 && error.status > 0);
}

TEST(what_is_not_settled_is_returned_positive)
{
    error_begin(&error, NULL, "f");
    CHECK_INT(error_unsettled(&error, UNTORN_UNSETTLED_FLUSH, -EIO, "flush"),
              UNTORN_UNSETTLED_FLUSH);
    CHECK_INT(error.status, UNTORN_UNSETTLED_FLUSH);
    CHECK_INT(error.os_error, EIO);
    CHECK_INT(error_unsettled(&error, UNTORN_UNSETTLED_IN_PLACE, 0, NULL),
              UNTORN_UNSETTLED_IN_PLACE);
    CHECK_INT(error.os_error, 0);
}

TEST(flags_and_detail_survive_the_failure_that_follows)
{
    error_begin(&error, NULL, "f");
    error.flags = UNTORN_FLAG_NETWORK;
    error_detail(&error, "%d of %s", 2, "three");
    error_fail(&error, UNTORN_LOCKED, NULL);
    CHECK_INT(error.flags, UNTORN_FLAG_NETWORK);
    CHECK_TEXT(error.detail, "2 of three");
}

TEST(a_detail_that_does_not_fit_is_cut)
{
    char longer[2 * UNTORN_DETAIL_SIZE];
    memset(longer, 'd', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    error_begin(&error, NULL, "f");
    error_detail(&error, "%s", longer);
    CHECK_INT(strlen(error.detail), UNTORN_DETAIL_SIZE - 1);
}

TEST(every_number_of_the_system_has_its_status)
{
    static const int statuses[][2] = {
        {ENOENT, UNTORN_MISSING},   {ENOTDIR, UNTORN_MISSING}, {EISDIR, UNTORN_NOT_A_FILE},
        {ENOSPC, UNTORN_NO_SPACE},  {EDQUOT, UNTORN_NO_SPACE}, {EFBIG, UNTORN_NO_SPACE},
        {EACCES, UNTORN_DENIED},    {EPERM, UNTORN_DENIED},    {EROFS, UNTORN_READ_ONLY},
        {EIO, UNTORN_IO},           {ELOOP, UNTORN_LINK_LOOP}, {ENAMETOOLONG, UNTORN_NAME},
        {ENOMEM, UNTORN_NO_MEMORY}, {EEXIST, UNTORN_EXISTS},   {EMLINK, UNTORN_UNTRUSTED},
        {ESTALE, UNTORN_RESTLESS},  {EBUSY, UNTORN_FAILED},    {EMFILE, UNTORN_FAILED},
        {EINVAL, UNTORN_FAILED},    {123456, UNTORN_FAILED},
    };
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        CHECK_INT(error_status_of(-statuses[i][0]), statuses[i][1]);
}

TEST(a_message_says_path_what_step_detail_cause_position_and_advice)
{
    error_begin(&error, NULL, "dir/a.json");
    error_os(&error, -EIO, "flush the new version");
    error_detail(&error, "disk sda");
    error.position = 17;
    CHECK_TEXT(describe(), "dir/a.json: input/output error, flush the new version: disk sda "
                           "[Input/output error] at byte 17 (the old content stays)");
}

TEST(a_message_leaves_out_what_is_not_there)
{
    error_begin(&error, NULL, "a");
    CHECK_TEXT(describe(), "a: done");
    error_begin(&error, NULL, "");
    CHECK_TEXT(describe(), "done");
    error_begin(&error, NULL, "a");
    error_fail(&error, UNTORN_MISSING, NULL);
    CHECK_TEXT(describe(), "a: no such file");
    error_begin(&error, NULL, "a");
    error_fail(&error, UNTORN_LOCKED, NULL);
    error_detail(&error, "held by pid 12");
    CHECK_TEXT(describe(), "a: the lock was not obtained in time: held by pid 12 "
                           "(wait longer with --wait, or see untorn who)");
}

TEST(a_folder_elsewhere_is_advised_first_only_where_it_helps)
{
    error_begin(&error, NULL, "a");
    error_fail(&error, UNTORN_NO_STATE, NULL);
    error.os_error = EACCES;
    CHECK(strstr(describe(), "(name a folder for it with --state-dir"));
    error.os_error = EROFS;
    CHECK(strstr(describe(), "(make the file system writable; if only the directory is read-only"));
}

TEST(an_excerpt_stands_behind_the_sentence_and_makes_the_byte_needless)
{
    error_begin(&error, NULL, "a.toml");
    error_fail(&error, UNTORN_IO, NULL);
    error_detail(&error, "line 1, column 2: what is wrong\n  x\n   ^");
    error.position = 1;
    CHECK_TEXT(describe(), "a.toml: input/output error: line 1, column 2: what is wrong "
                           "(the old content stays)\n  x\n   ^");
}

TEST(every_number_that_the_seam_gives_has_words)
{
    static const int numbers[] = {ENOENT, EACCES, ETXTBSY, EWOULDBLOCK,
                                  ELOOP,  ESTALE, EDQUOT,  ENOTSUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        CHECK(!strstr(error_os_text(numbers[i]), "nknown"));
    CHECK_TEXT(error_os_text(ENOENT), strerror(ENOENT));
    CHECK(strstr(error_os_text(99999), "nknown"));
}

TEST(a_file_that_another_program_has_open_is_told_so)
{
    error_begin(&error, NULL, "a");
    error_os(&error, -ETXTBSY, "put the new version in place");
    CHECK(strstr(describe(), "(another program has the file open and keeps others out; "));
}

TEST(the_number_of_a_refusing_function_is_not_read_as_a_system_error)
{
    error_begin(&error, NULL, "a");
    error_fail(&error, UNTORN_REFUSED, NULL);
    error.os_error = ENOSPC;
    CHECK(!strstr(describe(), strerror(ENOSPC)));
    error.os_error = -5;
    CHECK(!strstr(describe(), "["));
}

#define FAIL_WITH(name, number, exit_code, what) {number, what},

TEST(every_failure_is_described_on_one_line_and_says_that_the_old_content_stays_only_if_it_does)
{
    static const struct {
        int status;
        const char *what;
    } statuses[] = {UNTORN_STATUS_LIST(FAIL_WITH)};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        error_begin(&error, NULL, "a");
        error.status = statuses[i].status;
        const char *message = describe();
        CHECK(strncmp(message, "a: ", 3) == 0);
        CHECK(strncmp(message + 3, statuses[i].what, strlen(statuses[i].what)) == 0);
        CHECK(!strchr(message, '\n'));
        const char *advice = strchr(message, '(');
        CHECK(!advice || message[strlen(message) - 1] == ')');
        if (statuses[i].status >= 100)
            CHECK(advice && !strstr(advice, "old content stays"));
    }
}

TEST(a_message_never_leaves_its_buffer)
{
    char small[UNTORN_TEXT_SIZE + 8];
    char path[UNTORN_PATH_SIZE];
    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    error_begin(&error, NULL, path);
    error_os(&error, -ENAMETOOLONG, "a step that is not short either");
    error_detail(&error, "%0500d", 0);
    error.position = UINT64_MAX - 1;
    size_t whole = strlen(describe());
    CHECK(whole > UNTORN_PATH_SIZE + UNTORN_DETAIL_SIZE / 2);
    for (size_t size = 0; size <= UNTORN_TEXT_SIZE; size++) {
        memset(small, '#', sizeof small);
        CHECK(untorn_describe(&error, small, size) == small);
        CHECK_INT(small[size], '#');
        if (size > 0) {
            CHECK_INT(strlen(small), size - 1 < whole ? size - 1 : whole);
            CHECK(strncmp(small, text, strlen(small)) == 0);
        }
    }
}

TEST(the_longest_message_fits)
{
    char path[2 * UNTORN_PATH_SIZE];
    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    error_begin(&error, NULL, path);
    error_os(&error, -EACCES, "give the new version the old one's owner and mode");
    error_fail(&error, UNTORN_NO_STATE, error.step);
    error.os_error = EACCES;
    error_detail(&error, "%0600d", 0);
    error.position = UINT64_MAX - 1;
    const char *message = describe();
    CHECK_INT(message[strlen(message) - 1], ')');
}

#define FLAG(name, bit, word, sentence) {UNTORN_FLAG_##name, bit, word, sentence},

TEST(every_flag_has_one_bit_a_word_and_a_sentence)
{
    static const struct {
        unsigned flag;
        unsigned bit;
        const char *word, *sentence;
    } flags[] = {UNTORN_FLAG_LIST(FLAG)};
    unsigned seen = 0;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        CHECK_INT(flags[i].flag, 1u << flags[i].bit);
        CHECK(!(seen & flags[i].flag));
        seen |= flags[i].flag;
        CHECK_TEXT(untorn_flag_word(flags[i].flag), flags[i].word);
        CHECK_TEXT(untorn_flag_text(flags[i].flag), flags[i].sentence);
        CHECK_INT(strspn(flags[i].word, "abcdefghijklmnopqrstuvwxyz-"), strlen(flags[i].word));
    }
    for (unsigned bit = 0; bit < 32; bit++)
        CHECK_INT(untorn_flag_word(1u << bit) != NULL, (seen >> bit & 1) != 0);
    CHECK(untorn_flag_word(0) == NULL);
    CHECK(untorn_flag_text(3) == NULL);
}
