#include "mpi/point_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array.h"

extern char **environ;

static enum status start_server(struct point_server *server, struct err *err)
{
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    static char command[] = "sweep", option[] = "--serve";
    char *arguments[] = {(char *)(uintptr_t)server->program, command, (char *)(uintptr_t)server->config, option, NULL};
    posix_spawn_file_actions_t actions;
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        return err_set(err, STATUS_SYSTEM, NULL, NULL, "no pipe to %s: %s", server->program, strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    int failed = posix_spawn(&server->pid, server->program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    server->to = to[1];
    server->from = from[0];
    if (failed == 0) return STATUS_OK;
    close(to[1]);
    close(from[0]);
    server->pid = 0;
    return err_set(err, STATUS_SYSTEM, server->program, NULL, "cannot be started: %s", strerror(failed));
}

/* Takes the process away. *how: as of waitpid(). */
static void stop_server(struct point_server *server, int *how)
{
    if (server->pid == 0) return;
    close(server->to);
    close(server->from);
    while (waitpid(server->pid, how, 0) < 0 && errno == EINTR) continue;
    server->pid = 0;
    server->busy = false;
    server->bytes = 0;
}

enum status point_server_begin(struct point_server *server, size_t point, struct err *err)
{
    if (server->pid == 0) TRY(start_server(server, err));
    server->busy = true;
    dprintf(server->to, "%zu\n", point); /* if it has ended, the answer is that */
    return STATUS_OK;
}

static bool set_text(struct point_answer *answer, enum point_outcome outcome, const char *text, size_t bytes)
{
    *answer = (struct point_answer){.outcome = outcome, .text = strndup(text, bytes)};
    return answer->text != NULL;
}

/* The process has ended in the middle of a point. */
static enum status tell_end(struct point_server *server, struct point_answer *answer, struct err *err)
{
    char text[128];
    int how = 0;
    stop_server(server, &how);
    if (WIFSIGNALED(how))
        snprintf(text, sizeof text, "the process of the point ended by signal %d (%s)", WTERMSIG(how),
                 strsignal(WTERMSIG(how)));
    else
        snprintf(text, sizeof text, "the process of the point ended with status %d and no answer", WEXITSTATUS(how));
    return set_text(answer, POINT_FAILED, text, strlen(text)) ? STATUS_OK : err_memory(err);
}

/* The answer is whole. */
static bool is_whole(const struct point_server *server, int *status, size_t *begin, size_t *bytes)
{
    const char *line = server->bytes > 0 ? memchr(server->data, '\n', server->bytes) : NULL;
    if (!line || sscanf(server->data, "%d %zu", status, bytes) != 2) return false;
    *begin = (size_t)(line - server->data) + 1;
    return server->bytes - *begin >= *bytes;
}

enum status point_server_poll(struct point_server *server, int wait_ms, bool *answered, struct point_answer *answer,
                              struct err *err)
{
    struct pollfd in = {.fd = server->from, .events = POLLIN};
    int status;
    size_t begin, bytes;
    *answered = false;
    if (poll(&in, 1, wait_ms) <= 0) return STATUS_OK;
    TRY(array_reserve((void **)&server->data, &server->capacity, server->bytes + 65536, 1, err));
    ssize_t n = read(server->from, server->data + server->bytes, server->capacity - server->bytes - 1);
    if (n < 0 && errno == EINTR) return STATUS_OK;
    *answered = true;
    if (n <= 0) return tell_end(server, answer, err);
    server->bytes += (size_t)n;
    server->data[server->bytes] = '\0';
    *answered = is_whole(server, &status, &begin, &bytes);
    if (!*answered) return STATUS_OK;
    server->busy = false;
    server->bytes = 0;
    enum point_outcome outcome = status < 0 ? POINT_HOPELESS : status == STATUS_OK ? POINT_DONE : POINT_FAILED;
    return set_text(answer, outcome, server->data + begin, bytes) ? STATUS_OK : err_memory(err);
}

void point_server_close(struct point_server *server)
{
    int how;
    if (server->busy) kill(server->pid, SIGKILL);
    stop_server(server, &how);
    free(server->data);
    *server = (struct point_server){.pid = 0};
}
