#include "cli/files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/files/file_claims.h"
#include "common/files/output_file.h"
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
    bool missing = end && end > above && access(above, F_OK) != 0 && errno == ENOENT;
    enum status status = output_file_check(missing ? above : path, err);
    free(above);
    return status;
}

/* The directory of an archive may be missing, too. */
static enum status check_archive(const char *path, struct err *err)
{
    struct stat about;
    TRY(otf2_check_place(path, err));
    if (stat(path, &about) != 0) return output_file_check(path, err);
    if (!S_ISDIR(about.st_mode))
        return err_set(err, STATUS_SYSTEM, path, NULL, "is a file, expected the directory of an archive or a new name");
    if (access(path, W_OK | X_OK) == 0) return STATUS_OK;
    return err_set(err, STATUS_SYSTEM, path, NULL, "cannot be written: %s", strerror(errno));
}

static enum status check_writable(const struct cli_output *output, struct err *err)
{
    if (!output->path) return STATUS_OK;
    if (writes_archive(output)) return check_archive(output->path, err);
    return output->kind == CLI_WRITES_IN ? check_file_in(output->path, err) : output_file_check(output->path, err);
}

enum status cli_claim_outputs(const struct cli_output *outputs, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++) TRY(claim_output(&outputs[i], err));
    for (size_t i = 0; i < count; i++) TRY(check_writable(&outputs[i], err));
    return STATUS_OK;
}
