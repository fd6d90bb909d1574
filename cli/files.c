#include "cli/files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "common/files/file_claims.h"
#include "common/files/output_file.h"
#include "common/files/place.h"
#include "trace/open.h"
#include "trace/otf2/otf2.h"

static bool writes_archive(const struct cli_output *output)
{
    return output->kind == CLI_WRITES_ARCHIVE ||
           (output->kind == CLI_WRITES_TRACE && !trace_is_text_name(output->path));
}

static enum status claim_part(void *context, const char *path, bool directory, struct err *err)
{
    const struct cli_output *output = context;
    return file_claim_output(output->name, output->path, path, directory, err);
}

static enum status claim_output(const struct cli_output *output, struct err *err)
{
    struct cli_output own = *output;
    if (!output->path || !*output->path || strcmp(output->path, "-") == 0) return STATUS_OK;
    TRY(claim_part(&own, output->path, false, err));
    return writes_archive(output) ? otf2_visit_written(output->path, claim_part, &own, err) : STATUS_OK;
}

/* The directory of several files may be missing: the command makes it. */
static enum status check_file_in(const char *path, struct err *err)
{
    char *above = strdup(path), *end = above ? strrchr(above, '/') : NULL;
    if (!above) return err_memory(err);
    while (end && end > above && end[-1] == '/') end--;
    if (end && end > above) *end = '\0';
    bool there = true;
    enum status status = end && end > above ? place_look(above, &there, err) : STATUS_OK;
    if (status == STATUS_OK) status = output_file_check(there ? path : above, err);
    free(above);
    return status;
}

/* The directory of an archive may be missing, too. text: a text trace is as well. */
static enum status check_archive(const char *path, bool text, struct err *err)
{
    struct stat about;
    bool there;
    TRY(otf2_check_place(path, err));
    TRY(place_look(path, &there, err));
    if (!there) return output_file_check(path, err);
    if (stat(path, &about) != 0) return err_set(err, STATUS_SYSTEM, path, NULL, "cannot be written: %s", strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return err_set(err, STATUS_SYSTEM, path, NULL, "is a %s, expected the directory of an archive or a new name%s",
                       S_ISREG(about.st_mode) ? "file" : S_ISFIFO(about.st_mode) ? "pipe" : "device",
                       text ? "; a text trace is -o NAME.txt, or -o - for standard output" : "");
    if (access(path, W_OK | X_OK) == 0) return STATUS_OK;
    return err_set(err, STATUS_SYSTEM, path, NULL, "cannot be written: %s", strerror(errno));
}

static enum status check_writable(const struct cli_output *output, struct err *err)
{
    if (!output->path) return STATUS_OK;
    if (writes_archive(output)) return check_archive(output->path, output->kind == CLI_WRITES_TRACE, err);
    return output->kind == CLI_WRITES_IN ? check_file_in(output->path, err) : output_file_check(output->path, err);
}

/* Standard output has one name, so that it is the same whatever it leads to. */
static enum status check_standard_output(const struct cli_output *outputs, size_t count, struct err *err)
{
    static const char *const others[] = {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    const struct cli_output *first = NULL;
    for (const struct cli_output *output = outputs; output < outputs + count; output++) {
        for (size_t i = 0; output->path && i < sizeof others / sizeof *others; i++)
            if (strcmp(output->path, others[i]) == 0)
                return err_set(err, STATUS_USAGE, NULL, NULL, "%s %s is standard output, expected %s - or a file",
                               output->name, output->path, output->name);
        if (!cli_is_output(output->path)) continue;
        if (first)
            return err_set(err, STATUS_USAGE, NULL, NULL, "%s - and %s - both write standard output, expected a file for one",
                           first->name, output->name);
        first = output;
    }
    return STATUS_OK;
}

enum status cli_claim_outputs(const struct cli_output *outputs, size_t count, struct err *err)
{
    TRY(check_standard_output(outputs, count, err));
    for (size_t i = 0; i < count; i++) TRY(claim_output(&outputs[i], err));
    for (size_t i = 0; i < count; i++) TRY(check_writable(&outputs[i], err));
    return STATUS_OK;
}
