#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracee.h"

enum { TASKS = 512, FAILED_FLUSHES = 64, TEXT = PATH_MAX + 64, EXIT_CANNOT_START = 127 };

#define OPTIONS                                                                                    \
    ((long)(PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |                     \
            PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))

enum at_end { END_NOTHING, END_KILL, END_ERROR };

struct task {
    pid_t pid;
    bool known;   /* its parent has told us about it: only then it may run */
    bool started; /* the stop it begins with is behind it */
    bool is_main; /* runs the program we were given, not one that was executed later */
    uint64_t loader_low, loader_high;
    enum at_end at_end;
    int error;    /* what the call now made is to answer; 0: its own answer */
    bool in_call; /* runs to the end of a call we want to see */
    bool restore; /* the byte count in the register was changed */
    uint64_t restore_size;
    long position;
    char *text; /* the call, for the log; new, NULL if nothing was logged yet */
};

struct tracer {
    const struct trace_plan *plan;
    struct trace_result *result;
    pid_t main;
    bool main_began;
    bool killed; /* all of it: what now turns up was being born and dies too */
    long hit_number;
    bool void_plan; /* the call at the plan's position cannot be meddled with so */
    struct task tasks[TASKS];
    struct identity failed[FAILED_FLUSHES];
    unsigned failed_count;
};

bool trace_exhausted(unsigned error_index)
{
    for (size_t i = 0; i < all_calls_count; i++)
        if (error_index < CALL_ERRORS && all_calls[i].errors[error_index] != 0)
            return false;
    return true;
}

/* ---- the child ---- */

static void install_filter(const char *only)
{
    struct sock_filter code[4 + 2 * 128];
    unsigned short n = 0;
    code[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < all_calls_count; i++) {
        if (!call_listed(only, all_calls[i].name))
            continue;
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                 (unsigned)all_calls[i].number, 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = n, .filter = code};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0)
        return;
    /* Without the right to do it freely, only for a program that cannot gain rights. */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
        _exit(EXIT_CANNOT_START);
}

static void redirect(const char *path, int flags, int to)
{
    if (path == NULL)
        return;
    int fd = open(path, flags, 0600);
    if (fd < 0 || dup2(fd, to) < 0)
        _exit(EXIT_CANNOT_START);
    if (fd != to)
        close(fd);
}

static _Noreturn void become(const struct trace_plan *plan, char *const arguments[])
{
    redirect(plan->input, O_RDONLY, STDIN_FILENO);
    redirect(plan->output, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect(plan->errors, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    if (plan->directory != NULL && chdir(plan->directory) != 0)
        _exit(EXIT_CANNOT_START);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(EXIT_CANNOT_START);
    raise(SIGSTOP);
    install_filter(plan->only);
    execvp(arguments[0], arguments);
    _exit(EXIT_CANNOT_START);
}

/* ---- tasks ---- */

static struct task *find_task(struct tracer *tracer, pid_t pid)
{
    struct task *unused = NULL;
    for (size_t i = 0; i < TASKS; i++) {
        if (tracer->tasks[i].pid == pid)
            return &tracer->tasks[i];
        if (tracer->tasks[i].pid == 0 && unused == NULL)
            unused = &tracer->tasks[i];
    }
    if (unused == NULL) {
        fprintf(stderr, "faultat: more than %d processes at once\n", TASKS);
        abort();
    }
    *unused = (struct task){.pid = pid};
    return unused;
}

static void resume(struct task *task, int signal_number)
{
    bool to_end = task->in_call;
    /* ESRCH: it was killed meanwhile; its end is reported by waitpid. */
    (void)ptrace(to_end ? PTRACE_SYSCALL : PTRACE_CONT, task->pid, NULL,
                 (void *)(intptr_t)signal_number);
}

static void kill_from(struct tracer *tracer, pid_t caller)
{
    tracer->killed = !tracer->plan->caller_only;
    for (size_t i = 0; i < TASKS; i++) {
        pid_t pid = tracer->tasks[i].pid;
        if (pid != 0 && (!tracer->plan->caller_only || pid == caller))
            (void)kill(pid, SIGKILL);
    }
}

static void log_call(struct tracer *tracer, struct task *task, int64_t result)
{
    if (tracer->plan->log != NULL)
        fprintf(tracer->plan->log, "%ld\t%d\t%s\t%lld\n", task->position, (int)task->pid,
                task->text, (long long)result);
}

/* ---- meddling ---- */

#ifdef __x86_64__

enum { KNOWS_REGISTERS = true };

static void set_registers(pid_t pid, const uint64_t *size, const int *error, bool skip)
{
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, pid, NULL, &registers) != 0)
        return;
    if (size != NULL)
        registers.rdx = *size;
    if (error != NULL)
        registers.rax = (unsigned long long)-(long long)*error;
    if (skip)
        registers.orig_rax = (unsigned long long)-1;
    (void)ptrace(PTRACE_SETREGS, pid, NULL, &registers);
}

static int64_t call_result(pid_t pid)
{
    struct user_regs_struct registers;
    return ptrace(PTRACE_GETREGS, pid, NULL, &registers) == 0 ? (int64_t)registers.rax : 0;
}

#else

enum { KNOWS_REGISTERS = false };

static void set_registers(pid_t pid, const uint64_t *size, const int *error, bool skip)
{
    (void)pid, (void)size, (void)error, (void)skip;
}

static int64_t call_result(pid_t pid)
{
    (void)pid;
    return 0;
}

#endif

/* Written anew after the failed flush: that flush says nothing about these bytes. */
static void watch_write(struct tracer *tracer, pid_t pid, int fd)
{
    struct identity file;
    bool regular;
    if (tracer->failed_count == 0 || !tracee_identify(pid, fd, &file, &regular))
        return;
    for (unsigned i = 0; i < tracer->failed_count; i++)
        if (tracer->failed[i].device == file.device && tracer->failed[i].inode == file.inode)
            tracer->failed[i] = tracer->failed[--tracer->failed_count];
}

/* Notes a flush of a regular file that fails, and one that comes after such a failure. */
static void watch_flush(struct tracer *tracer, pid_t pid, int fd, int error)
{
    struct identity file;
    bool regular = false;
    if ((error == 0 && tracer->failed_count == 0) || !tracee_identify(pid, fd, &file, &regular))
        return;
    for (unsigned i = 0; i < tracer->failed_count; i++)
        if (tracer->failed[i].device == file.device && tracer->failed[i].inode == file.inode)
            tracer->result->second_flush = tracer->result->second_flush || regular;
    if (error == 0)
        return;
    tracer->result->flush_error = error;
    if (tracer->failed_count < FAILED_FLUSHES)
        tracer->failed[tracer->failed_count++] = file;
}

static bool is_due(const struct tracer *tracer, long position, long number)
{
    const struct trace_plan *plan = tracer->plan;
    if (plan->action == TRACE_COUNT || plan->position == 0 || tracer->void_plan)
        return false;
    if (position == plan->position)
        return true;
    return plan->for_ever && position > plan->position &&
           (!plan->same_call || number == tracer->hit_number);
}

/* Whoever waits for input or for a reader is right to wait on after each signal. */
static bool waits_for_others(pid_t pid, const struct call *call, int fd)
{
    struct identity file;
    bool regular = false;
    if (call->number == SYS_read) /* not pread, which is for files one holds already */
        return true;
    return call_writes(call) &&
           (fd <= STDERR_FILENO || !tracee_identify(pid, fd, &file, &regular) || !regular);
}

static uint64_t shortened(const struct trace_plan *plan, uint64_t size)
{
    uint64_t unit = plan->unit == 0 ? 1 : plan->unit;
    uint64_t half = size / 2 - size / 2 % unit;
    return half > 0 ? half : size;
}

/* Prepares the task for its continuation. False: this call cannot be meddled with so. */
static bool meddle(struct tracer *tracer, struct task *task, const struct call *call,
                   const uint64_t args[6])
{
    const struct trace_plan *plan = tracer->plan;
    int error = plan->error != 0 ? plan->error : call_error(call, args, plan->error_index);
    if (error == EINTR && plan->for_ever && waits_for_others(task->pid, call, (int)args[0]))
        error = 0;
    if (error == EWOULDBLOCK && plan->for_ever && plan->waits_long)
        error = 0;
    uint64_t size = args[2];
    switch (plan->action) {
    case TRACE_KILL_BEFORE:
        kill_from(tracer, task->pid);
        return true;
    case TRACE_KILL_AFTER:
        task->at_end = END_KILL;
        return true;
    case TRACE_FAIL:
    case TRACE_FAIL_AFTER:
        if (task->position == plan->position)
            tracer->result->hit_last =
                plan->error != 0 || call_error(call, args, plan->error_index + 1) == 0;
        if (error == 0)
            return false;
        task->error = error;
        if (plan->action == TRACE_FAIL_AFTER || call->number == SYS_close)
            task->at_end = END_ERROR;
        else
            set_registers(task->pid, NULL, &error, true);
        return true;
    case TRACE_SHORTEN:
    case TRACE_TEAR:
        size = shortened(plan, size);
        if (size == args[2] || !call_transfers(call) ||
            (plan->action == TRACE_TEAR && !call_writes(call)))
            return false;
        set_registers(task->pid, &size, NULL, false);
        task->restore = true;
        task->restore_size = args[2];
        task->at_end = plan->action == TRACE_TEAR ? END_KILL : END_NOTHING;
        return true;
    default:
        return false;
    }
}

static void note_hit(struct tracer *tracer, struct task *task, const struct call *call,
                     const uint64_t args[6])
{
    struct trace_result *result = tracer->result;
    if (result->hit_position != 0)
        return;
    char text[TEXT];
    tracee_call(task->pid, call, args, text, sizeof text);
    result->hit_position = task->position;
    tracer->hit_number = call->number;
    snprintf(result->hit, sizeof result->hit, "%.*s", (int)sizeof result->hit - 1, text);
}

static bool counts(struct tracer *tracer, const struct task *task, const struct call *call,
                   const struct __ptrace_syscall_info *info)
{
    if (call == NULL || (tracer->plan->main_only && !task->is_main))
        return false;
    if (info->instruction_pointer >= task->loader_low &&
        info->instruction_pointer < task->loader_high)
        return false;
    if (tracer->plan->match == NULL)
        return true;
    char path[PATH_MAX];
    tracee_path(task->pid, call, (const uint64_t *)info->seccomp.args, path, sizeof path);
    return strstr(path, tracer->plan->match) != NULL;
}

/* Lets the task go on without being stopped at each call, where the kernel and our rights allow
 * it (ptrace(2), PTRACE_O_SUSPEND_SECCOMP). Else it goes on as before: only slower. */
static void leave_alone(const struct tracer *tracer, const struct task *task)
{
    if (!tracer->plan->for_ever && tracer->plan->log == NULL && tracer->failed_count == 0)
        (void)ptrace(PTRACE_SETOPTIONS, task->pid, NULL,
                     (void *)(OPTIONS | PTRACE_O_SUSPEND_SECCOMP));
}

static void on_call(struct tracer *tracer, struct task *task)
{
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, task->pid, (void *)sizeof info, &info) < 0)
        return;
    uint64_t args[6];
    memcpy(args, info.seccomp.args, sizeof args);
    const struct call *call = call_by_number((long)info.seccomp.nr);
    if (!counts(tracer, task, call, &info))
        return;
    task->position = ++tracer->result->counted;
    if (tracer->plan->log != NULL) {
        task->text = task->text != NULL ? task->text : malloc(TEXT);
        if (task->text == NULL)
            abort();
        tracee_call(task->pid, call, args, task->text, TEXT);
    }
    task->error = 0;
    bool met = is_due(tracer, task->position, call->number);
    if (met) {
        /* Described first: after a kill its memory and handles are gone. */
        note_hit(tracer, task, call, args);
        met = meddle(tracer, task, call, args);
    }
    if (tracer->result->hit_position == task->position) {
        tracer->void_plan = !met;
        tracer->result->hit_position = met ? task->position : 0;
        tracer->result->hit_error = task->error;
    }
    if (call_flushes(call))
        watch_flush(tracer, task->pid, (int)args[0], task->error);
    if (call_writes(call) && task->error == 0)
        watch_write(tracer, task->pid, (int)args[0]);
    if (met)
        leave_alone(tracer, task);
    bool over = met && (tracer->plan->action == TRACE_KILL_BEFORE ||
                        (tracer->plan->action == TRACE_FAIL && task->at_end == END_NOTHING));
    if (over)
        log_call(tracer, task, -task->error);
    task->in_call = !over && (met || tracer->plan->log != NULL);
}

static void on_call_end(struct tracer *tracer, struct task *task)
{
    log_call(tracer, task, task->at_end == END_ERROR ? -task->error : call_result(task->pid));
    if (task->restore)
        set_registers(task->pid, &task->restore_size, NULL, false);
    if (task->at_end == END_ERROR)
        set_registers(task->pid, NULL, &task->error, false);
    if (task->at_end == END_KILL)
        kill_from(tracer, task->pid);
    task->restore = false;
    task->at_end = END_NOTHING;
    task->in_call = false;
}

/* ---- processes coming and going ---- */

static void on_exec(struct tracer *tracer, struct task *task)
{
    task->is_main = task->pid == tracer->main && !tracer->main_began;
    tracer->main_began = true;
    task->in_call = false;
    tracee_loader(task->pid, &task->loader_low, &task->loader_high);
}

static void on_child(struct tracer *tracer, struct task *parent)
{
    unsigned long pid = 0;
    if (ptrace(PTRACE_GETEVENTMSG, parent->pid, NULL, &pid) != 0)
        return;
    struct task *child = find_task(tracer, (pid_t)pid);
    child->known = true;
    child->is_main = parent->is_main;
    child->loader_low = parent->loader_low;
    child->loader_high = parent->loader_high;
    if (child->started)
        resume(child, 0);
}

static void on_stop(struct tracer *tracer, struct task *task, int status)
{
    int signal_number = WSTOPSIG(status), event = status >> 16;
    if (!task->started && signal_number == SIGSTOP) {
        task->started = true;
        if (tracer->killed)
            (void)kill(task->pid, SIGKILL);
        else if (task->known)
            resume(task, 0);
        return;
    }
    if (event == PTRACE_EVENT_SECCOMP)
        on_call(tracer, task);
    else if (event == PTRACE_EVENT_EXEC)
        on_exec(tracer, task);
    else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
             event == PTRACE_EVENT_CLONE)
        on_child(tracer, task);
    else if (signal_number == (SIGTRAP | 0x80))
        on_call_end(tracer, task);
    else if (event == 0) {
        resume(task, signal_number);
        return;
    }
    resume(task, 0);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int signal_number)
{
    (void)signal_number;
    alarms = alarms + 1;
}

/* The alarm comes again and again, so that one lost between a look and a wait does no harm. */
static void set_alarm(unsigned timeout_ms)
{
    struct sigaction action = {.sa_handler = on_alarm};
    struct itimerval timer = {{0, timeout_ms == 0 ? 0 : 100000},
                              {timeout_ms / 1000, (suseconds_t)(timeout_ms % 1000) * 1000}};
    alarms = 0;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void follow(struct tracer *tracer)
{
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, __WALL);
        if (pid < 0 && errno != EINTR)
            return;
        if (alarms > 0) {
            tracer->result->timed_out = true;
            tracer->killed = true;
            for (size_t i = 0; i < TASKS; i++)
                if (tracer->tasks[i].pid != 0)
                    (void)kill(tracer->tasks[i].pid, SIGKILL);
        }
        if (pid < 0)
            continue;
        struct task *task = find_task(tracer, pid);
        if (WIFSTOPPED(status)) {
            on_stop(tracer, task, status);
        } else {
            if (pid == tracer->main)
                tracer->result->status = status;
            free(task->text);
            *task = (struct task){0};
        }
    }
}

int trace_run(const struct trace_plan *plan, char *const arguments[], struct trace_result *ret)
{
    static struct tracer tracer; /* large, and one at a time */
    memset(&tracer, 0, sizeof tracer);
    *ret = (struct trace_result){0};
    if (!KNOWS_REGISTERS)
        return -ENOSYS;
    tracer.plan = plan;
    tracer.result = ret;
    fflush(NULL);
    tracer.main = fork();
    if (tracer.main < 0)
        return -errno;
    if (tracer.main == 0)
        become(plan, arguments);
    int status;
    while (waitpid(tracer.main, &status, __WALL) < 0)
        if (errno != EINTR)
            return -errno;
    if (!WIFSTOPPED(status))
        return -ENOEXEC;
    if (ptrace(PTRACE_SETOPTIONS, tracer.main, NULL, (void *)OPTIONS) != 0) {
        int error = errno;
        kill(tracer.main, SIGKILL);
        waitpid(tracer.main, &status, __WALL);
        return -error;
    }
    struct task *task = find_task(&tracer, tracer.main);
    task->known = task->started = true;
    set_alarm(plan->timeout_ms == 0 ? 20000 : plan->timeout_ms);
    resume(task, 0);
    follow(&tracer);
    set_alarm(0);
    return 0;
}
