/* Where commands write. */
#include <string.h>

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

enum status cli_flush(struct err *err)
{
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
