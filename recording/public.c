/* include/rmacast/record.h. Running a command takes over signals and waits for all children of the process. So a child
 * process does it. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/public.h"
#include "recording/job.h"
#include "recording/run.h"
#include <rmacast/record.h>

/* The answer of the child process. */
struct answer {
    int exit_status;
    struct err err;
    enum status status;
};

/* The recorder reads its options from the environment of the program. */
static bool set_options(const struct rmacast_record_options *options)
{
    char limit[32];
    snprintf(limit, sizeof limit, "%" PRId64, options->limit_bytes);
    return (!options->calls || setenv("RMACAST_CALLS", options->calls, 1) == 0) &&
           (options->limit_bytes <= 0 || setenv("RMACAST_LIMIT", limit, 1) == 0) &&
           (!options->cpu_time || setenv("RMACAST_CPU_TIME", "1", 1) == 0) &&
           (!options->threads || setenv("RMACAST_THREADS", "1", 1) == 0) &&
           (!options->paused || setenv("RMACAST_PAUSED", "1", 1) == 0);
}

static enum status record_program(char *const *command, const char *directory,
                                  const struct rmacast_record_options *options, int *exit_status, struct err *err)
{
    static const struct record_observer nobody = {0};
    char archive[RECORD_PATH_BYTES];
    if (options && !set_options(options)) return err_memory(err);
    TRY(record_directory(directory, command, archive, err));
    return record_job(command, archive, &nobody, exit_status, err);
}

/* Does not return. */
static void answer_in_child(int out, char *const *command, const char *directory,
                            const struct rmacast_record_options *options)
{
    struct answer answer = {.exit_status = 0};
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* the command ends with the caller */
    answer.status = record_program(command, directory, options, &answer.exit_status, &answer.err);
    ssize_t written = write(out, &answer, sizeof answer); /* sends less than a pipe holds */
    _exit(written == (ssize_t)sizeof answer ? 0 : 1);
}

static enum status record_in_child(char *const *command, const char *directory,
                                   const struct rmacast_record_options *options, struct answer *answer, struct err *err)
{
    int ends[2];
    if (pipe(ends) != 0) return err_set(err, STATUS_SYSTEM, NULL, NULL, "pipe: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        answer_in_child(ends[1], command, directory, options);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t bytes = 1; child > 0 && bytes != 0 && got < sizeof *answer;) {
        bytes = read(ends[0], (char *)answer + got, sizeof *answer - got);
        if (bytes > 0) got += (size_t)bytes;
        if (bytes < 0 && errno != EINTR) break;
    }
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    if (got == sizeof *answer) return STATUS_OK;
    return err_set(err, STATUS_SYSTEM, command[0], NULL, "the process that records it has ended, expected its answer");
}

static enum status check_values(char *const *command, const struct rmacast_record_options *options, struct err *err)
{
    const struct public_argument arguments[] = {
        {.name = "command[0]", PUBLIC_TEXT, command[0]},
        {.name = "limit_bytes", PUBLIC_NUMBER, .number = options ? (double)options->limit_bytes : 0, .high = 0x1p63},
        {0}};
    TRY(public_check(arguments, err));
    if (!options || !options->calls || record_knows_groups(options->calls)) return STATUS_OK;
    return err_set(err, STATUS_USAGE, NULL, NULL, "calls '%s', expected some of rma, p2p, collective, local joined by commas",
                   options->calls);
}

PUBLIC enum rmacast_status rmacast_record(char *const *command, const char *directory,
                                          const struct rmacast_record_options *options, int *exit_status,
                                          struct rmacast_error *error)
{
    struct answer answer = {.exit_status = 0};
    struct err err = {.text = ""};
    const struct public_argument arguments[] = {
        {.name = "command", PUBLIC_POINTER, command},
        {.name = "rmacast_record_options", PUBLIC_SIZE, options, .high = sizeof *options},
        {.name = "directory", PUBLIC_TEXT, directory ? directory : "its own"},
        {0}};
    enum status status = public_check(arguments, &err);
    if (status == STATUS_OK) status = check_values(command, options, &err);
    if (status == STATUS_OK) status = record_in_child(command, directory, options, &answer, &err);
    if (status != STATUS_OK) return public_status(status, &err, error);
    if (answer.status == STATUS_OK && exit_status) *exit_status = answer.exit_status;
    return public_status(answer.status, &answer.err, error);
}
