#include "common/children.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array.h"
#include "common/memory_text.h"

/* Stands before the answer in the pipe; an answer shorter than it says is none. */
struct answer_head {
    enum status status;
    size_t bytes;
};

struct child {
    pid_t pid; /* 0: slot is free */
    int pipe, errors;
    size_t job;
    char *data;
    size_t bytes, capacity;
};

static int write_all(int fd, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        ssize_t n = write(fd, at, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return -1;
        at += n;
        bytes -= (size_t)n;
    }
    return 0;
}

static _Noreturn void child_main(child_work work, void *context, size_t job, int answer, int errors, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    struct memory_text made;
    struct err err = {.status = STATUS_OK};
    bool failed = dup2(errors, STDERR_FILENO) < 0;
    if (!failed) {
        enum status status = memory_text_open(&made, &err);
        if (status == STATUS_OK) status = memory_text_close(&made, work(context, job, made.out, &err), &err);
        const char *text = status == STATUS_OK ? made.text : err.text;
        struct answer_head head = {.status = status, .bytes = status == STATUS_OK ? made.bytes : strlen(err.text)};
        failed = write_all(answer, &head, sizeof head) || write_all(answer, text, head.bytes);
    }
    if (failed) dprintf(errors, "%s", strerror(errno));
    _exit(failed ? 1 : 0);
}

static enum status child_start(struct child *child, child_work work, void *context, size_t job, struct err *err)
{
    int ends[2];
    if (pipe(ends) != 0)
        return err_set(err, STATUS_SYSTEM, NULL, NULL, "no pipe to a child process: %s", strerror(errno));
    int errors = memfd_create("child-stderr", MFD_CLOEXEC);
    fflush(NULL);
    pid_t parent = getpid();
    pid_t pid = errors >= 0 ? fork() : -1;
    if (pid == 0) {
        close(ends[0]);
        child_main(work, context, job, ends[1], errors, parent);
    }
    int cause = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        if (errors >= 0) close(errors);
        return err_set(err, STATUS_SYSTEM, NULL, NULL, "no child process: %s", strerror(cause));
    }
    *child = (struct child){.pid = pid, .pipe = ends[0], .errors = errors, .job = job};
    return STATUS_OK;
}

static void first_error_line(int fd, char *line, size_t room)
{
    ssize_t n = pread(fd, line, room - 1, 0);
    line[n > 0 ? n : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
}

/* Takes what the child has sent and how it ended; frees the slot. */
static void child_finish(struct child *child, struct child_answer *answer)
{
    int how = 0;
    while (waitpid(child->pid, &how, 0) < 0 && errno == EINTR) continue;
    struct answer_head head = {.status = STATUS_SYSTEM};
    if (child->bytes >= sizeof head) memcpy(&head, child->data, sizeof head);
    bool whole = child->bytes >= sizeof head && child->bytes == sizeof head + head.bytes;
    *answer = (struct child_answer){.status = STATUS_SYSTEM};
    if (!whole) {
        char line[896];
        first_error_line(child->errors, line, sizeof line);
        const char *colon = *line ? ": " : "";
        if (WIFEXITED(how) && WEXITSTATUS(how) == CHILD_EXPLAINED && *line)
            answer->status = err_set(&answer->err, STATUS_DATA, NULL, NULL, "%s", line);
        else if (WIFSIGNALED(how))
            err_set(&answer->err, STATUS_SYSTEM, NULL, NULL, "child process ended by signal %d (%s)%s%s", WTERMSIG(how),
                    strsignal(WTERMSIG(how)), colon, line);
        else
            err_set(&answer->err, STATUS_SYSTEM, NULL, NULL, "child process ended with status %d and no answer%s%s",
                    WEXITSTATUS(how), colon, line);
    } else if (head.status != STATUS_OK) {
        answer->status = head.status;
        err_set(&answer->err, head.status, NULL, NULL, "%.*s", (int)head.bytes, child->data + sizeof head);
    } else {
        answer->status = STATUS_OK;
        memmove(child->data, child->data + sizeof head, head.bytes);
        child->data[head.bytes] = '\0';
        answer->data = child->data;
        answer->bytes = head.bytes;
        child->data = NULL;
    }
    free(child->data);
    close(child->pipe);
    close(child->errors);
    child->pid = 0;
}

/* One read from a pipe that has something; *ended at its end. Always leaves room for a closing NUL. */
static enum status child_read(struct child *child, bool *ended, struct err *err)
{
    size_t need = child->bytes + 65536;
    if (need >= child->capacity)
        TRY(array_reserve((void **)&child->data, &child->capacity, need + 1, 1, err));
    ssize_t n = read(child->pipe, child->data + child->bytes, child->capacity - child->bytes - 1);
    if (n < 0 && errno == EINTR) return STATUS_OK;
    if (n < 0) return err_set(err, STATUS_SYSTEM, NULL, NULL, "the answer of a child process: %s", strerror(errno));
    child->bytes += (size_t)n;
    *ended = n == 0;
    return STATUS_OK;
}

/* The running children, and the receiver of their ends. */
struct crew {
    child_work work;
    const struct children_jobs *jobs;
    void *context;
    struct child *children;
    struct pollfd *polls;
    size_t slots, running;
};

static enum status crew_take(struct crew *crew, struct child *child, struct err *err)
{
    struct child_answer answer;
    size_t job = child->job;
    child_finish(child, &answer);
    crew->running--;
    enum status status = crew->jobs->take(crew->context, job, &answer, err);
    free(answer.data);
    return status;
}

/* Waits until some child has sent or ended and takes it in. */
static enum status crew_step(struct crew *crew, struct err *err)
{
    for (size_t i = 0; i < crew->slots; i++)
        crew->polls[i] = (struct pollfd){.fd = crew->children[i].pid ? crew->children[i].pipe : -1, .events = POLLIN};
    if (poll(crew->polls, (nfds_t)crew->slots, -1) < 0) {
        if (errno == EINTR) return STATUS_OK;
        return err_set(err, STATUS_SYSTEM, NULL, NULL, "waiting for child processes: %s", strerror(errno));
    }
    for (size_t i = 0; i < crew->slots; i++) {
        struct child *child = &crew->children[i];
        if (!child->pid || !(crew->polls[i].revents & (POLLIN | POLLHUP | POLLERR))) continue;
        bool ended = false;
        TRY(child_read(child, &ended, err));
        if (ended) TRY(crew_take(crew, child, err));
    }
    return STATUS_OK;
}

static enum status crew_run(struct crew *crew, struct err *err)
{
    for (;;) {
        for (size_t i = 0; i < crew->slots; i++) {
            size_t job;
            if (crew->children[i].pid) continue;
            if (!crew->jobs->next(crew->context, &job)) break;
            TRY(child_start(&crew->children[i], crew->work, crew->context, job, err));
            crew->running++;
        }
        if (crew->running == 0) return STATUS_OK;
        TRY(crew_step(crew, err));
    }
}

static size_t count_processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (size_t)count : 1;
}

enum status children_run_jobs(child_work work, const struct children_jobs *jobs, void *context, size_t at_once, struct err *err)
{
    struct crew crew = {
        .work = work, .jobs = jobs, .context = context, .slots = at_once ? at_once : count_processors()};
    crew.children = calloc(crew.slots, sizeof *crew.children);
    crew.polls = calloc(crew.slots, sizeof *crew.polls);
    enum status status = crew.children && crew.polls ? crew_run(&crew, err) : err_memory(err);
    for (size_t i = 0; crew.children && i < crew.slots; i++) {
        if (!crew.children[i].pid) continue;
        struct child_answer lost;
        kill(crew.children[i].pid, SIGKILL);
        child_finish(&crew.children[i], &lost);
        free(lost.data);
    }
    FREE_ALL(crew.children, crew.polls);
    return status;
}

/* Jobs that are known before. */
struct batch {
    child_work work;
    void *context;
    size_t count, next;
    struct child_answer *answers;
};

static enum status batch_work(void *context, size_t job, FILE *out, struct err *err)
{
    const struct batch *batch = context;
    return batch->work(batch->context, job, out, err);
}

static bool batch_next(void *context, size_t *job)
{
    struct batch *batch = context;
    if (batch->next == batch->count) return false;
    *job = batch->next++;
    return true;
}

static enum status batch_take(void *context, size_t job, struct child_answer *answer, struct err *err)
{
    struct batch *batch = context;
    (void)err;
    batch->answers[job] = *answer;
    answer->data = NULL;
    return STATUS_OK;
}

enum status children_run(child_work work, void *context, size_t count, size_t at_once, struct child_answer *answers,
                         struct err *err)
{
    static const struct children_jobs jobs = {batch_next, batch_take};
    struct batch batch = {.work = work, .context = context, .count = count, .answers = answers};
    size_t slots = at_once ? at_once : count_processors();
    memset(answers, 0, count * sizeof *answers);
    if (count == 0) return STATUS_OK;
    enum status status = children_run_jobs(batch_work, &jobs, &batch, slots < count ? slots : count, err);
    if (status != STATUS_OK) child_answers_clear(answers, count);
    return status;
}

void child_answers_clear(struct child_answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(answers[i].data);
        answers[i] = (struct child_answer){.status = STATUS_OK};
    }
}
