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
#include "common/csv.h"
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

static const char *name_of(const cJSON *item)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "name"));
    return item->string ? item->string : name ? name : "";
}

/* The member at a path of so many bytes: of an object by its key, of a list the one with that name. NULL: there is none. */
static const cJSON *find_member(const cJSON *item, const char *path, size_t bytes)
{
    for (size_t word; item && bytes > 0; path += word, bytes -= word) {
        const cJSON *inner = item->child;
        word = strcspn(path, ".");
        if (word > bytes) word = bytes;
        while (inner && (strlen(name_of(inner)) != word || strncmp(name_of(inner), path, word) != 0)) inner = inner->next;
        item = inner;
        if (word < bytes) word++;
    }
    return item;
}

/* Lists are in JSON; what is unknown is empty. */
static enum status write_value(const cJSON *value, FILE *out, struct err *err)
{
    char *text = NULL;
    if (!value || cJSON_IsNull(value)) return STATUS_OK;
    if (cJSON_IsString(value)) csv_write_text(out, "", value->valuestring);
    else if (cJSON_IsNumber(value)) fprintf(out, "%.15g", value->valuedouble);
    else if (!(text = json_print(value, JSON_LINE))) return err_memory(err);
    else csv_write_text(out, "", text);
    free(text);
    return STATUS_OK;
}

/* Writes a line: the names of the columns where row is NULL, else its values. first: the first row, or NULL. */
static enum status write_line(const char *columns, const cJSON *first, const cJSON *row, FILE *out, struct err *err)
{
    const char *separator = "";
    for (size_t bytes; *columns; columns += bytes + (columns[bytes] == ',')) {
        bytes = strcspn(columns, ",");
        const char *star = memchr(columns, '*', bytes);
        const size_t head = star ? (size_t)(star - columns) : bytes, tail = star ? bytes - head - 1 : 0;
        const cJSON *parent = star ? find_member(first, columns, head) : NULL;
        for (const cJSON *each = parent ? parent->child : NULL; !star || each; each = each->next) {
            char path[256];
            snprintf(path, sizeof path, "%.*s%.100s%.*s", (int)head, columns, star ? name_of(each) : "", (int)tail,
                     star ? star + 1 : "");
            fputs(separator, out);
            separator = ",";
            if (row) TRY(write_value(find_member(row, path, strlen(path)), out, err));
            else csv_write_text(out, "", path);
            if (!star) break;
        }
    }
    fputc('\n', out);
    return STATUS_OK;
}

enum status csv_rows_write(const struct csv_rows *rows, const cJSON *document, struct err *err)
{
    FILE *out;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(document, rows->list);
    if (!rows->file) return STATUS_OK;
    TRY(json_whole(document, err));
    TRY(output_set_open(rows->file, &out, err));
    const cJSON *first = list ? list->child : NULL;
    enum status status = write_line(rows->columns, first, NULL, out, err);
    for (const cJSON *row = first; status == STATUS_OK && row; row = row->next)
        status = write_line(rows->columns, first, row, out, err);
    return output_set_close(rows->file, out, status, err);
}

enum status csv_rows_write_fields(const struct csv_rows *rows, const struct field *fields, const void *item, struct err *err)
{
    cJSON *json;
    if (!rows->file) return STATUS_OK;
    TRY(fields_to_json(fields, item, 0, &json, err));
    enum status status = csv_rows_write(rows, json, err);
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
