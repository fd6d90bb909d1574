/* Where commands write. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static int exit_status;

void cli_exit_with(int status)
{
    exit_status = status;
}

int cli_exit_status(void)
{
    return exit_status;
}

bool cli_is_output(const char *file)
{
    return file && strcmp(file, "-") == 0;
}

enum status cli_open(const char *file, FILE **out, struct err *err)
{
    *out = strcmp(file, "-") == 0 ? stdout : fopen(file, "w");
    return *out ? STATUS_OK : err_set(err, STATUS_SYSTEM, file, NULL, "cannot be written: %s", strerror(errno));
}

enum status cli_close(const char *file, FILE *out, struct err *err)
{
    bool failed = fflush(out) != 0 || ferror(out);
    int cause = errno;
    if (out != stdout && fclose(out) != 0 && !failed) {
        failed = true;
        cause = errno;
    }
    return failed ? err_set(err, STATUS_SYSTEM, file, NULL, "cannot be written: %s", strerror(cause)) : STATUS_OK;
}

enum status cli_write_json(const cJSON *json, const char *file, struct err *err)
{
    FILE *out;
    char *text = cJSON_Print(json);
    if (!text) return err_memory(err);
    enum status status = cli_open(file, &out, err);
    if (status == STATUS_OK) {
        fprintf(out, "%s\n", text);
        status = cli_close(file, out, err);
    }
    cJSON_free(text);
    return status;
}

void cli_progress(const char *format, ...)
{
    if (!isatty(STDERR_FILENO)) return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}
