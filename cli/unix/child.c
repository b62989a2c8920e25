#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <untorn/lock.h>

#include "child.h"
#include "limits.h"
#include "unix/inside.h"

extern char **environ;

static const int handled[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { HANDLED = sizeof handled / sizeof *handled };

static volatile sig_atomic_t running; /* the command's pid, 0 if there is none */
static volatile sig_atomic_t got;

/* The terminal sends its signals to the command as well; only what one process sent to another
 * has to be handed on. */
static void hand_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    int saved = errno;
    got = number;
    if (info->si_code == SI_USER && running > 0)
        (void)kill((pid_t)running, number); /* it may have ended already */
    errno = saved;
}

struct signals {
    sigset_t mask; /* as it was */
    struct sigaction actions[HANDLED];
};

static void block(sigset_t *ret_before)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < HANDLED; i++)
        sigaddset(&set, handled[i]);
    sigprocmask(SIG_BLOCK, &set, ret_before);
}

/* Leaves them blocked: until the pid is known there is nobody to hand a signal on to. */
static void signals_begin(struct signals *signals)
{
    struct sigaction action = {.sa_sigaction = hand_on, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    got = 0;
    block(&signals->mask);
    for (int i = 0; i < HANDLED; i++) {
        sigaction(handled[i], NULL, &signals->actions[i]);
        if (signals->actions[i].sa_handler != SIG_IGN) /* nohup: stays ignored */
            sigaction(handled[i], &action, NULL);
    }
}

static void signals_end(const struct signals *signals)
{
    sigprocmask(SIG_SETMASK, &signals->mask, NULL); /* what is pending arrives now */
    for (int i = 0; i < HANDLED; i++)
        sigaction(handled[i], &signals->actions[i], NULL);
}

static void note_signal(struct child_result *result)
{
    result->signal = got;
    result->must_end = got == SIGTERM || got == SIGHUP;
}

/* The environment with UNTORN_LOCK set; new, its words borrowed but for the first. */
static char **environment_with(const char *lock_value)
{
    static const char name[] = UNTORN_LOCK_VARIABLE "=";
    size_t count = 0, kept = 1;
    while (environ[count])
        count++;
    char **words = malloc((count + 2) * sizeof *words);
    char *word = malloc(sizeof name + strlen(lock_value));
    if (!words || !word) {
        free(words), free(word);
        return NULL;
    }
    memcpy(word, name, sizeof name - 1);
    strcpy(word + sizeof name - 1, lock_value);
    words[0] = word;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], name, sizeof name - 1) != 0)
            words[kept++] = environ[i];
    words[kept] = NULL;
    return words;
}

/* posix_spawn rather than fork: it runs no fork handlers, so the lock stays the child's too. */
static int start(char *const *command, const char *lock_value, const struct signals *signals,
                 posix_spawn_file_actions_t *actions, pid_t *ret_pid)
{
    char **environment = lock_value ? environment_with(lock_value) : environ;
    if (!environment)
        return ENOMEM;
    posix_spawnattr_t attributes;
    int error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        sigset_t ordinary;
        sigemptyset(&ordinary);
        if (!pipe_signal_was_ignored())
            sigaddset(&ordinary, SIGPIPE);
        posix_spawnattr_setsigdefault(&attributes, &ordinary);
        posix_spawnattr_setsigmask(&attributes, &signals->mask);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
        error = posix_spawnp(ret_pid, command[0], actions, &attributes, command, environment);
        posix_spawnattr_destroy(&attributes);
    }
    if (lock_value)
        free(environment[0]), free(environment);
    if (error == 0) {
        running = *ret_pid;
        sigprocmask(SIG_SETMASK, &signals->mask, NULL);
    }
    return error;
}

/* Waits without reaping, so that the pid is the command's for as long as a signal may be handed
 * on to it. */
static void await(pid_t pid, struct child_result *result)
{
    siginfo_t info;
    int status = 0;
    sigset_t before;
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        ;
    block(&before);
    running = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (WIFSIGNALED(status))
        result->killed_by = WTERMSIG(status);
    else
        result->exit_status = WEXITSTATUS(status);
}

/* The two pipes: what we write to the command, and what we read from it. */
struct pipes {
    int to[2], from[2];
};

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void pipes_close(struct pipes *pipes)
{
    for (int i = 0; i < 2; i++)
        close_one(&pipes->to[i]), close_one(&pipes->from[i]);
}

static int pipes_open(struct pipes *pipes)
{
    *pipes = (struct pipes){{-1, -1}, {-1, -1}};
    if (pipe(pipes->to) != 0 || pipe(pipes->from) != 0)
        return errno;
    for (int i = 0; i < 2; i++)
        if (fcntl(pipes->to[i], F_SETFD, FD_CLOEXEC) != 0 ||
            fcntl(pipes->from[i], F_SETFD, FD_CLOEXEC) != 0)
            return errno;
    return fcntl(pipes->to[1], F_SETFL, O_NONBLOCK) != 0 ? errno : 0;
}

/* Writes as much as the pipe takes; closes it at the end, or when nobody reads any more. */
static void feed(int *fd, const char **input, size_t *size)
{
    ssize_t count = *size > 0 ? write(*fd, *input, *size) : 0;
    if (count > 0) {
        *input += count;
        *size -= (size_t)count;
    }
    if (*size == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
        close_one(fd);
}

/* Returns 0, or an errno value after which the command's output cannot be trusted to be whole. */
static int drain(int *fd, struct bytes *output)
{
    if (!bytes_reserve(output, CLI_PIECE))
        return ENOMEM;
    ssize_t count = read(*fd, output->data + output->size, output->capacity - output->size);
    if (count > 0)
        output->size += (size_t)count;
    else if (count == 0)
        close_one(fd);
    else if (errno != EINTR)
        return errno;
    return 0;
}

static int pump(struct pipes *pipes, const char *input, size_t size, struct bytes *output)
{
    int error = 0;
    while (error == 0 && (pipes->to[1] >= 0 || pipes->from[0] >= 0)) {
        struct pollfd wanted[] = {{.fd = pipes->to[1], .events = POLLOUT},
                                  {.fd = pipes->from[0], .events = POLLIN}};
        if (poll(wanted, 2, -1) < 0) {
            error = errno == EINTR ? 0 : errno;
            continue;
        }
        if (wanted[0].revents)
            feed(&pipes->to[1], &input, &size);
        if (wanted[1].revents)
            error = drain(&pipes->from[0], output);
    }
    return error;
}

struct child_result child_run(char *const *command, const char *lock_value)
{
    struct child_result result = {0};
    struct signals signals;
    pid_t pid;
    signals_begin(&signals);
    result.start_error = start(command, lock_value, &signals, NULL, &pid);
    if (result.start_error == 0)
        await(pid, &result);
    signals_end(&signals);
    note_signal(&result);
    return result;
}

static int start_filter(char *const *command, const char *lock_value, const struct signals *signals,
                        struct pipes *pipes, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, pipes->to[0], STDIN_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, pipes->from[1], STDOUT_FILENO);
    if (error == 0)
        error = start(command, lock_value, signals, &actions, ret_pid);
    posix_spawn_file_actions_destroy(&actions);
    close_one(&pipes->to[0]);
    close_one(&pipes->from[1]);
    return error;
}

struct child_result child_filter(char *const *command, const char *lock_value, const void *input,
                                 size_t size, struct bytes *output)
{
    struct child_result result = {0};
    struct signals signals;
    struct pipes pipes;
    pid_t pid;
    signals_begin(&signals);
    result.pipe_error = pipes_open(&pipes);
    if (result.pipe_error == 0)
        result.start_error = start_filter(command, lock_value, &signals, &pipes, &pid);
    if (result.pipe_error == 0 && result.start_error == 0) {
        result.pipe_error = pump(&pipes, input, size, output);
        pipes_close(&pipes); /* a command that still writes meets a broken pipe and ends */
        await(pid, &result);
    }
    pipes_close(&pipes);
    signals_end(&signals);
    note_signal(&result);
    return result;
}

const char *child_signal_text(int number)
{
    return strsignal(number);
}

void child_die_of(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}
