#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <untorn/lock.h>

#include "child.h"
#include "limits.h"
#include "win/inside.h"

/* The numbers that these have elsewhere. */
enum { HANGS_UP = 1, INTERRUPTED = 2, QUITS = 3, ENDS = 15 };

static volatile LONG running; /* a command */
static volatile LONG got;

static int number_of(DWORD event)
{
    switch (event) {
    case CTRL_C_EVENT:
        return INTERRUPTED;
    case CTRL_BREAK_EVENT:
        return QUITS;
    case CTRL_CLOSE_EVENT:
        return HANGS_UP;
    default:
        return ENDS;
    }
}

/* In a thread of its own. The console tells the command as well. */
static BOOL WINAPI on_event(DWORD event)
{
    int number = number_of(event);
    if (!InterlockedOr(&running, 0))
        ExitProcess(128 + (UINT)number);
    InterlockedExchange(&got, number);
    if (number == HANGS_UP || number == ENDS)
        Sleep(INFINITE); /* the system ends us when this returns, and waits some seconds for it */
    return TRUE;
}

void interrupts_catch(void)
{
    SetConsoleCtrlHandler(on_event, TRUE);
}

static void begin(void)
{
    InterlockedExchange(&got, 0);
    InterlockedExchange(&running, 1);
}

static void end(struct child_result *result)
{
    InterlockedExchange(&running, 0);
    result->signal = (int)got;
    result->must_end = got == HANGS_UP || got == ENDS;
}

/* ---- starting ---- */

/* UNTORN_LOCK, as a text of the system; new. */
static wchar_t *wide_value(const char *value)
{
    size_t size = strlen(value) + 2;
    wchar_t *wide = malloc(size * sizeof *wide);
    if (wide && win_utf16(value, wide, size) >= 0)
        return wide;
    free(wide);
    return NULL;
}

/* The command inherits our environment: the variable is ours while it is started. */
static int start_with(wchar_t *path, wchar_t *line, const char *lock_value, STARTUPINFOW *how,
                      HANDLE *ret_process)
{
    static const wchar_t name[] = L"" UNTORN_LOCK_VARIABLE;
    const char *ours = lock_value ? os_variable(UNTORN_LOCK_VARIABLE) : NULL;
    wchar_t *before = ours ? wide_value(ours) : NULL;
    wchar_t *value = lock_value ? wide_value(lock_value) : NULL;
    PROCESS_INFORMATION process;
    int rc = (ours && !before) || (lock_value && !value) ? ENOMEM : 0;
    if (rc == 0 && value && !SetEnvironmentVariableW(name, value))
        rc = -win_last_failure();
    if (rc == 0) {
        how->cb = sizeof *how;
        if (CreateProcessW(path, line, NULL, NULL, TRUE, 0, NULL, NULL, how, &process)) {
            CloseHandle(process.hThread);
            *ret_process = process.hProcess;
        } else {
            rc = -win_last_failure();
        }
    }
    if (value)
        SetEnvironmentVariableW(name, before);
    free(before);
    free(value);
    return rc;
}

static int start(char *const *command, const char *lock_value, STARTUPINFOW *how,
                 HANDLE *ret_process)
{
    static wchar_t path[WIN_PATH];
    wchar_t *line = NULL;
    int rc = program_find(command, path, &line);
    if (rc < 0)
        return -rc;
    rc = start_with(path, line, lock_value, how, ret_process);
    free(line);
    return rc;
}

/* What the system gives as the status of a program that it ended. */
static int killer_of(DWORD code)
{
    switch (code) {
    case 0xC000013A: /* Ctrl-C */
        return SIGINT;
    case 0xC0000005: /* access to memory that is not its own */
    case 0xC00000FD: /* its stack is full */
        return SIGSEGV;
    case 0xC0000409: /* abort, or its stack is damaged */
        return 6;
    case 0xC000001D:
        return SIGILL;
    case 0xC0000094:
        return SIGFPE;
    default:
        return 0;
    }
}

static void await(HANDLE process, struct child_result *result)
{
    DWORD code = 1;
    WaitForSingleObject(process, INFINITE);
    GetExitCodeProcess(process, &code);
    CloseHandle(process);
    result->killed_by = killer_of(code);
    result->exit_status = result->killed_by ? 0 : (int)code;
}

/* ---- the pipes ---- */

/* What we write to the command, and what we read from it; the command's ends come first. */
struct pipes {
    HANDLE to[2], from[2];
};

static void close_one(HANDLE *handle)
{
    if (*handle)
        CloseHandle(*handle);
    *handle = NULL;
}

static void pipes_close(struct pipes *pipes)
{
    for (int i = 0; i < 2; i++)
        close_one(&pipes->to[i]), close_one(&pipes->from[i]);
}

static int pipes_open(struct pipes *pipes)
{
    *pipes = (struct pipes){{NULL, NULL}, {NULL, NULL}};
    if (!CreatePipe(&pipes->to[0], &pipes->to[1], NULL, CLI_PIECE) ||
        !CreatePipe(&pipes->from[1], &pipes->from[0], NULL, CLI_PIECE) ||
        !SetHandleInformation(pipes->to[0], HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) ||
        !SetHandleInformation(pipes->from[0], HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT))
        return -win_last_failure();
    return 0;
}

/* A pipe here can only be written into with patience: another thread has it. */
struct feeder {
    HANDLE pipe;
    const char *input;
    size_t size;
};

static DWORD WINAPI feed(void *context)
{
    struct feeder *feeder = context;
    while (feeder->size > 0) {
        DWORD now = feeder->size > CLI_PIECE ? CLI_PIECE : (DWORD)feeder->size, count;
        if (!WriteFile(feeder->pipe, feeder->input, now, &count, NULL))
            break; /* nobody reads any more */
        feeder->input += count;
        feeder->size -= count;
    }
    close_one(&feeder->pipe);
    return 0;
}

/* Returns 0, or an errno value after which the command's output cannot be trusted to be whole. */
static int drain(HANDLE pipe, struct bytes *output)
{
    return bytes_read_all(output, (system_stream)pipe);
}

static int pump(struct pipes *pipes, const char *input, size_t size, struct bytes *output)
{
    struct feeder feeder = {pipes->to[1], input, size};
    HANDLE thread = CreateThread(NULL, 0, feed, &feeder, 0, NULL);
    if (!thread)
        return EAGAIN;
    pipes->to[1] = NULL;
    int error = drain(pipes->from[1], output);
    while (error != 0 && WaitForSingleObject(thread, 10) == WAIT_TIMEOUT)
        CancelSynchronousIo(thread); /* it has no use any more */
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    return error;
}

/* ---- running ---- */

struct child_result child_run(char *const *command, const char *lock_value)
{
    struct child_result result = {0};
    STARTUPINFOW how = {0};
    HANDLE process;
    begin();
    result.start_error = start(command, lock_value, &how, &process);
    if (result.start_error == 0)
        await(process, &result);
    end(&result);
    return result;
}

static int start_filter(char *const *command, const char *lock_value, struct pipes *pipes,
                        HANDLE *ret_process)
{
    STARTUPINFOW how = {.dwFlags = STARTF_USESTDHANDLES,
                        .hStdInput = pipes->to[0],
                        .hStdOutput = pipes->from[0],
                        .hStdError = GetStdHandle(STD_ERROR_HANDLE)};
    int error = start(command, lock_value, &how, ret_process);
    close_one(&pipes->to[0]);
    close_one(&pipes->from[0]);
    return error;
}

struct child_result child_filter(char *const *command, const char *lock_value, const void *input,
                                 size_t size, struct bytes *output)
{
    struct child_result result = {0};
    struct pipes pipes;
    HANDLE process;
    begin();
    result.pipe_error = pipes_open(&pipes);
    if (result.pipe_error == 0)
        result.start_error = start_filter(command, lock_value, &pipes, &process);
    if (result.pipe_error == 0 && result.start_error == 0) {
        result.pipe_error = pump(&pipes, input, size, output);
        pipes_close(&pipes); /* a command that still writes meets a broken pipe and ends */
        await(process, &result);
    }
    pipes_close(&pipes);
    end(&result);
    return result;
}

const char *child_signal_text(int number)
{
    switch (number) {
    case SIGINT:
        return "Interrupt";
    case SIGSEGV:
        return "Segmentation fault";
    case 6:
        return "Aborted";
    case SIGILL:
        return "Illegal instruction";
    default:
        return "Floating point exception";
    }
}

void child_die_of(int number)
{
    exit(128 + number);
}
