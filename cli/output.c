/* The outputs of commands. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/terminal/activity.h"
#include "cli/terminal/color.h"
#include "cli/terminal/fold.h"
#include "cli/cli.h"
#include "cli/output_set.h"
#include "common/files/output_file.h"
#include "common/json/fields.h"
#include "common/json/json_write.h"
#include "common/memory_text.h"
#include "trace/open.h"
#include "trace/text/text.h"

static int exit_status;
/* State of the table that is being written; standard_output NULL: none. */
static struct {
    FILE *standard_output;
    struct memory_text made;
    bool lost; /* memory was missing for it */
} held_table;

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
    enum { USUAL = 80, LEAST = 40 };
    struct winsize size;
    const char *asked = getenv("COLUMNS");
    if (cli_is_wide()) return 0;
    if (!isatty(STDOUT_FILENO)) return asked && atoi(asked) >= LEAST ? atoi(asked) : 0;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL;
}

/* In glibc stdout is a variable that programs may set (its manual, 12.2). */
FILE *cli_table(void)
{
    if (held_table.standard_output) return stdout;
    held_table.lost = memory_text_open(&held_table.made, NULL) != STATUS_OK;
    if (held_table.lost) return stdout;
    held_table.standard_output = stdout;
    stdout = held_table.made.out;
    return stdout;
}

static enum status write_table(struct err *err)
{
    if (held_table.lost) return err_memory(err); /* its lines are not folded */
    if (!held_table.standard_output) return STATUS_OK;
    enum status status = memory_text_close(&held_table.made, STATUS_OK, err);
    stdout = held_table.standard_output;
    held_table.standard_output = NULL;
    if (status == STATUS_OK) fold_write(held_table.made.text, cli_columns(), color_wanted(STDOUT_FILENO), stdout);
    free(held_table.made.text);
    held_table.made.text = NULL;
    return status;
}

static enum status flush_table(struct err *err)
{
    activity_end();
    TRY(write_table(err));
    return output_file_close("standard output", stdout, STATUS_OK, err);
}

enum status cli_flush_behind(enum status files, struct err *err)
{
    enum status named = output_set_end(files == STATUS_OK, err);
    if (files == STATUS_OK) files = named;
    enum status status = flush_table(files == STATUS_OK ? err : NULL);
    return files == STATUS_OK ? status : files;
}

enum status cli_flush(struct err *err)
{
    return cli_flush_behind(STATUS_OK, err);
}

enum status cli_write_json(const cJSON *json, const char *file, struct err *err)
{
    FILE *out;
    TRY(json_whole(json, err));
    TRY(output_set_open(file, &out, err));
    enum status status = json_write(json, JSON_LINES, out, err);
    fputc('\n', out);
    return output_set_close(file, out, status, err);
}

enum status cli_write_fields(const struct field *fields, const void *item, size_t many, const char *file, struct err *err)
{
    cJSON *json;
    TRY(fields_to_json(fields, item, many, &json, err));
    enum status status = cli_write_json(json, file, err);
    cJSON_Delete(json);
    return status;
}

enum status cli_save_trace(const struct trace *trace, const char *path, struct err *err)
{
    FILE *out;
    if (!trace_is_text_name(path)) return trace_save(trace, path, err);
    TRY(output_set_open(path, &out, err));
    return output_set_close(path, out, text_write(trace, NULL, out, err), err);
}

enum status cli_write_json_now(const cJSON *json, const char *file, struct err *err)
{
    TRY(cli_write_json(json, file, err));
    return output_set_end(true, err);
}
