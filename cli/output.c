/* Where commands write. */
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/terminal/activity.h"
#include "cli/cli.h"
#include "common/files/output_file.h"

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

int cli_columns(void)
{
    enum { USUAL = 80 };
    struct winsize size;
    if (!isatty(STDOUT_FILENO)) return 0;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL;
}

enum status cli_flush(struct err *err)
{
    activity_end();
    return output_file_close("standard output", stdout, STATUS_OK, err);
}

enum status cli_write_json(const cJSON *json, const char *file, struct err *err)
{
    FILE *out;
    char *text = cJSON_Print(json);
    if (!text) return err_memory(err);
    enum status status = output_file_open(file, &out, err);
    if (status == STATUS_OK) {
        fprintf(out, "%s\n", text);
        status = output_file_close(file, out, status, err);
    }
    cJSON_free(text);
    return status;
}
