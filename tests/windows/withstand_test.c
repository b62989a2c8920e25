/* What other processes do to a file on Windows: keep it open, open whatever is new, write it at the
 * same time, end in the middle of a write. Whatever judges here is shown in the same way what
 * people write by hand, and must find the fault. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "harness.h"

#include <stdio.h>

#include <untorn.h>

#include "file/support.h"
#include "windows/support.h"
#include "windows/worker.h"

/* Without untorn, and only once. */
static bool replace_bare(const char *path, const char *text)
{
    put("bare", text);
    return MoveFileExA("bare", path, MOVEFILE_REPLACE_EXISTING);
}

/* ---- other processes ---- */

struct worker {
    HANDLE process, output;
};

/* Where many were ended just before, Wine may not start another at once. */
static bool create(const char *program, char *line, STARTUPINFOA *how, PROCESS_INFORMATION *process)
{
    for (int i = 0; i < 20; i++) {
        if (CreateProcessA(program, line, NULL, NULL, TRUE, 0, NULL, NULL, how, process))
            return true;
        printf("    no process: error %lu\n", GetLastError());
        Sleep(100);
    }
    return false;
}

static struct worker start(const char *words)
{
    char program[MAX_PATH], line[4096], byte;
    HANDLE ours, its;
    SECURITY_ATTRIBUTES inherits = {.nLength = sizeof inherits, .bInheritHandle = TRUE};
    PROCESS_INFORMATION process;
    DWORD count;
    CHECK(CreatePipe(&ours, &its, &inherits, 0));
    CHECK(SetHandleInformation(ours, HANDLE_FLAG_INHERIT, 0));
    STARTUPINFOA how = {.cb = sizeof how,
                        .dwFlags = STARTF_USESTDHANDLES,
                        .hStdOutput = its,
                        .hStdError = GetStdHandle(STD_ERROR_HANDLE)};
    GetModuleFileNameA(NULL, program, sizeof program);
    strcpy(strrchr(program, '\\') + 1, "worker.exe");
    snprintf(line, sizeof line, "worker %s", words);
    CHECK(create(program, line, &how, &process));
    CloseHandle(process.hThread);
    CloseHandle(its);
    CHECK(ReadFile(ours, &byte, 1, &count, NULL) && count == 1); /* it has begun */
    return (struct worker){process.hProcess, ours};
}

static int end(struct worker *worker)
{
    DWORD status;
    WaitForSingleObject(worker->process, INFINITE);
    CHECK(GetExitCodeProcess(worker->process, &status));
    CloseHandle(worker->process);
    CloseHandle(worker->output);
    return (int)status;
}

static void stop(struct worker *worker)
{
    TerminateProcess(worker->process, 9);
    CHECK_INT(end(worker), 9);
}

/* ---- updates at the same time ---- */

static int lost_updates(const char *verb, int times)
{
    enum { PROCESSES = 8 };
    struct worker workers[PROCESSES];
    char words[64], text[32];
    snprintf(words, sizeof words, "%s counter %d", verb, times);
    for (int i = 0; i < PROCESSES; i++)
        workers[i] = start(words);
    put(GATE, "");
    for (int i = 0; i < PROCESSES; i++)
        CHECK_INT(end(&workers[i]), 0);
    CHECK_INT(load("counter", text, sizeof text), 0);
    return PROCESSES * times - atoi(text);
}

TEST(eight_processes_lose_no_update)
{
    CHECK_INT(lost_updates("count", getenv("UNTORN_QUICK") ? 10 : 100), 0);
}

TEST(without_a_lock_updates_are_lost_and_counted)
{
    CHECK(lost_updates("count-bare", 20) > 0);
}

/* ---- ended in the middle of a write ---- */

static unsigned random_state;

static unsigned random_below(unsigned limit)
{
    random_state = random_state * 1103515245 + 12345;
    return (random_state >> 8) % limit;
}

static void choose_seed(void)
{
    const char *given = getenv("UNTORN_SEED");
    random_state = given ? (unsigned)strtoul(given, NULL, 10) : GetTickCount();
    printf("    UNTORN_SEED=%u\n", random_state);
    fflush(stdout);
}

static void save_letter(char letter)
{
    static char data[LENGTH];
    struct untorn_options options = {.level = UNTORN_CACHE};
    memset(data, letter, sizeof data);
    CHECK_INT(untorn_write("f", data, sizeof data, &options, &error), 0);
}

static LONGLONG now(void)
{
    LARGE_INTEGER ticks;
    QueryPerformanceCounter(&ticks);
    return ticks.QuadPart;
}

/* Of the first three, in ticks: so that moments are spread over writes on any machine. */
static LONGLONG longest_write(void)
{
    LONGLONG longest = 0;
    for (int i = 0; i < 3; i++) {
        LONGLONG before = now();
        save_letter(LAST_LETTER);
        longest = now() - before > longest ? now() - before : longest;
    }
    return longest;
}

/* To the tick: Sleep knows only milliseconds. */
static void wait_less_than(LONGLONG ticks)
{
    LONGLONG until = now() + ticks * random_below(1 << 20) / (1 << 20);
    LARGE_INTEGER second;
    QueryPerformanceFrequency(&second);
    while (now() < until)
        Sleep((DWORD)((until - now()) * 1000 / second.QuadPart));
}

/* Ends it; the last letter that it said, or that before the first. */
static char stop_and_listen(struct worker *worker)
{
    char said[256], last = LAST_LETTER;
    DWORD count;
    TerminateProcess(worker->process, 9);
    while (ReadFile(worker->output, said, sizeof said, &count, NULL) && count > 0)
        last = said[count - 1];
    CHECK_INT(end(worker), 9);
    return last;
}

struct tally {
    int rounds, begun, ahead; /* wrote at all; the version in flight is there already */
};

/* What the file is to somebody who does not know untorn, after `said` was acknowledged. */
static const char *judge_content(char said, struct tally *tally)
{
    static char data[LENGTH + 2];
    if (get_bytes("f", data, sizeof data) != LENGTH)
        return "torn";
    for (int i = 1; i < LENGTH; i++)
        if (data[i] != data[0])
            return "torn";
    tally->begun += said != LAST_LETTER;
    tally->ahead += data[0] != said;
    return data[0] == said || data[0] == next_letter(said) ? NULL : "lost";
}

/* NULL, or what is wrong after a writer was ended and the next call was made. */
static const char *end_one(const char *verb, LONGLONG span, struct tally *tally)
{
    char words[64];
    snprintf(words, sizeof words, "%s f", verb);
    struct worker worker = start(words);
    wait_less_than(span);
    const char *wrong = judge_content(stop_and_listen(&worker), tally);
    save_letter(LAST_LETTER);
    tally->rounds++;
    if (wrong)
        return wrong;
    bool tidy = count_entries(".untorn/stage", "") == 0 && count_entries(".untorn", "gone") == 0 &&
                count_entries(".untorn/history/f", "gone") == 0 && count_entries(".", "") == 2;
    return tidy ? NULL : "left over";
}

static const char *end_in_the_middle(const char *verb, int times)
{
    struct tally tally = {0};
    const char *wrong = NULL;
    choose_seed();
    LONGLONG span = 3 * longest_write();
    for (int i = 0; i < times && !wrong; i++)
        wrong = end_one(verb, span, &tally);
    printf("    %s: ended %d times, %d of them after a first version, %d with the version in "
           "flight: %s\n",
           verb, tally.rounds, tally.begun, tally.ahead, wrong ? wrong : "all whole");
    return wrong;
}

TEST(a_writer_that_is_ended_anywhere_leaves_a_whole_version_and_nothing_else)
{
    int times = getenv("UNTORN_LONG") ? 500 : getenv("UNTORN_QUICK") ? 10 : 50;
    CHECK_TEXT(end_in_the_middle("write", times), NULL);
}

TEST(one_that_writes_over_the_old_version_is_caught)
{
    CHECK_TEXT(end_in_the_middle("write-over", 100), "torn");
}

TEST(one_that_says_too_early_that_it_is_done_is_caught)
{
    CHECK_TEXT(end_in_the_middle("write-later", 100), "lost");
}

TEST(one_that_leaves_something_beside_the_file_is_caught)
{
    CHECK_TEXT(end_in_the_middle("write-beside", 100), "left over");
}

/* ---- readers that do not know untorn ---- */

/* Whether it meets a mixture in so many milliseconds. */
static bool reader_meets_a_mixture(const char *writer_words, DWORD duration)
{
    save_letter(LAST_LETTER);
    struct worker writer = start(writer_words), reader = start("read f");
    DWORD outcome = WaitForSingleObject(reader.process, duration);
    if (outcome == WAIT_TIMEOUT)
        stop(&reader);
    else
        CHECK_INT(end(&reader), 1);
    stop(&writer);
    return outcome != WAIT_TIMEOUT;
}

TEST(a_reader_sees_only_whole_versions)
{
    CHECK(!reader_meets_a_mixture("write f", 2000));
}

TEST(a_reader_sees_what_is_written_over_the_old_version)
{
    CHECK(reader_meets_a_mixture("write-over f", 60000));
}

/* ---- readers of a set ---- */

static const char *const set[] = {"a", "b", "sub/c"};
enum { SET = 3 };

static bool is_all(const struct untorn_content *content, char letter)
{
    if (content->size != LENGTH)
        return false;
    for (int i = 0; i < LENGTH; i++)
        if (content->data[i] != letter)
            return false;
    return true;
}

static bool is_of_one_commit(const struct untorn_content contents[SET])
{
    for (int i = 0; i < SET; i++)
        if (!contents[0].data || !is_all(&contents[i], contents[0].data[0]))
            return false;
    return true;
}

static void save_set(void)
{
    static char data[LENGTH];
    struct untorn_transaction *transaction;
    memset(data, LAST_LETTER, sizeof data);
    CHECK_INT(untorn_transaction_begin(NULL, &transaction, &error), 0);
    for (int i = 0; i < SET; i++)
        CHECK_INT(untorn_transaction_put(transaction, set[i], data, LENGTH, NULL, &error), 0);
    CHECK_INT(untorn_transaction_commit(transaction, &error), 0);
    untorn_transaction_free(transaction);
}

static void check_done(int rc)
{
    char text[UNTORN_TEXT_SIZE];
    if (rc != 0)
        printf("    %s\n", untorn_describe(&error, text, sizeof text));
    CHECK_INT(rc, 0);
}

static char read_together(int number)
{
    struct untorn_options options = {.wait_ms = 60000};
    struct untorn_content contents[SET];
    (void)number;
    check_done(untorn_read_set(set, SET, &options, contents, &error));
    CHECK(is_of_one_commit(contents));
    char letter = contents[0].data[0];
    for (int i = 0; i < SET; i++)
        untorn_content_free(&contents[i]);
    return letter;
}

static char read_alone(int number)
{
    struct untorn_content content;
    check_done(untorn_read(set[number % SET], NULL, &content, &error));
    char letter = content.data[0];
    CHECK(is_all(&content, letter));
    untorn_content_free(&content);
    return letter;
}

static void read_on(char (*read)(int number))
{
    ULONGLONG until = GetTickCount64() + (getenv("UNTORN_QUICK") ? 3000 : 10000);
    int times = 0, changes = 0;
    char letter = LAST_LETTER;
    make_dir("sub", 0777);
    save_set();
    struct worker writer = start("commit a b sub/c");
    for (; GetTickCount64() < until || changes == 0; times++) {
        char before = letter;
        letter = read(times);
        changes += letter != before;
    }
    stop(&writer);
    printf("    read %d times, %d times another version\n", times, changes);
}

TEST(a_set_that_is_committed_without_a_pause_is_read_again_and_again)
{
    read_on(read_together);
}

TEST(so_is_each_of_its_files)
{
    read_on(read_alone);
}

/* ---- files that others have open ---- */

TEST(a_program_that_lets_its_file_be_deleted_is_no_obstacle)
{
    char text[32];
    CHECK_INT(save("f", "old"), 0);
    struct worker holder = start("hold f 7 60000");
    CHECK(!replace_bare("f", "bare"));
    CHECK_INT(save("f", "new"), 0);
    CHECK_INT(load("f", text, sizeof text), 0);
    CHECK_TEXT(text, "new");
    stop(&holder);
}

TEST(one_that_does_not_is_waited_for)
{
    char text[32];
    CHECK_INT(save("f", "old"), 0);
    struct worker holder = start("hold f 3 300");
    CHECK_INT(save("f", "new"), 0);
    CHECK_INT(load("f", text, sizeof text), 0);
    CHECK_TEXT(text, "new");
    CHECK_INT(end(&holder), 0);
}

TEST(but_not_for_ever_and_then_the_old_version_stays)
{
    char text[32];
    CHECK_INT(save("f", "old"), 0);
    struct worker holder = start("hold f 3 60000");
    CHECK(!replace_bare("f", "bare"));
    CHECK(save("f", "new") < 0);
    CHECK_INT(load("f", text, sizeof text), 0);
    CHECK_TEXT(text, "old");
    stop(&holder);
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
    CHECK_INT(save("f", "new"), 0);
}

/* Whether one of so many saves fails while every new file is opened for 50 ms, shared so. */
static bool refused_while_scanned(int share, bool (*replace)(const char *path, const char *text),
                                  int times)
{
    static const char *const folders[] = {".", ".untorn\\stage", ".untorn\\history\\f"};
    struct worker scanners[3];
    bool refused = false;
    CHECK_INT(save("f", "old"), 0);
    for (int i = 0; i < 3; i++) {
        char words[64];
        snprintf(words, sizeof words, "scan %s %d 50", folders[i], share);
        scanners[i] = start(words);
    }
    for (int i = 0; i < times && !refused; i++)
        refused = !replace("f", i % 2 ? "odd" : "even");
    for (int i = 0; i < 3; i++)
        stop(&scanners[i]);
    return refused;
}

static bool replace_well(const char *path, const char *text)
{
    return save(path, text) == 0;
}

TEST(a_scanner_that_opens_whatever_is_new_is_no_obstacle)
{
    CHECK(!refused_while_scanned(7, replace_well, 20));
    CHECK(!refused_while_scanned(3, replace_well, 20));
    CHECK_INT(count_entries(".untorn/stage", ""), 0);
}

TEST(it_is_one_to_those_who_try_only_once)
{
    CHECK(refused_while_scanned(7, replace_bare, 10000));
    CHECK(refused_while_scanned(3, replace_bare, 10000));
}

/* ---- all of it at once ---- */

/* Scanners open whatever is new, and twice somebody keeps the file longer than an update waits for
 * him: it fails then. */
static void disturb(void)
{
    struct worker of_file = start("scan . 7 20"), of_stages = start("scan .untorn\\stage 3 20");
    for (int i = 0; i < 2; i++) {
        Sleep(300);
        struct worker holder = start("hold counter 3 3000");
        CHECK_INT(end(&holder), 0);
    }
    stop(&of_file);
    stop(&of_stages);
}

TEST(what_is_there_in_the_end_is_what_was_acknowledged)
{
    enum { PROCESSES = 8 };
    struct worker workers[PROCESSES];
    char words[64], text[32];
    int times = getenv("UNTORN_QUICK") ? 10 : 50, succeeded = 0;
    snprintf(words, sizeof words, "count-on counter %d", times);
    CHECK_INT(save("counter", "0\n"), 0);
    for (int i = 0; i < PROCESSES; i++)
        workers[i] = start(words);
    put(GATE, "");
    disturb();
    for (int i = 0; i < PROCESSES; i++) {
        int status = end(&workers[i]);
        CHECK(status <= times);
        succeeded += status;
    }
    CHECK_INT(load("counter", text, sizeof text), 0);
    printf("    %d of %d updates succeeded\n", succeeded, PROCESSES * times);
    CHECK_INT(atoi(text), succeeded);
}
