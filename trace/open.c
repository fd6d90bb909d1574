#include "trace/open.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/files/input_file.h"
#include "common/files/output_file.h"
#include "common/files/place.h"
#include "common/units.h"
#include "trace/faults.h"
#include "trace/memory.h"
#include "trace/otf2/otf2.h"
#include "trace/otf2/slices.h"
#include "trace/program_model/edit.h"
#include "trace/program_model/program_model.h"
#include "trace/spool/spool.h"
#include "trace/spool/read.h"
#include "trace/text/text.h"

enum trace_kind {
    KIND_TEXT,
    KIND_OTF2,
    KIND_SPOOL,
    KIND_MODEL,
    KIND_SPOOL_BELOW, /* a recording that was not packed: DIR.rma/spool */
    KIND_JSON,
    KIND_RANK_SPOOL, /* a single file of a spool */
    KIND_DIRECTORY,  /* without any of our files */
    KIND_EMPTY,
    KIND_OTHER,
};

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), own = strlen(end);
    return length > own && strcmp(name + length - own, end) == 0;
}

/* Whether the directory has a file whose name is begin...end; one that is missing has none. */
static enum status directory_holds(const char *path, const char *begin, const char *end, bool *found, struct err *err)
{
    DIR *directory = opendir(path);
    int cause = errno;
    *found = false;
    for (struct dirent *entry; directory && !*found;) {
        errno = 0;
        entry = readdir(directory);
        cause = errno;
        if (!entry) break;
        *found = strncmp(entry->d_name, begin, strlen(begin)) == 0 && ends_with(entry->d_name, end);
    }
    if (directory) closedir(directory);
    if (cause == ENOMEM) return err_memory(err);
    if (*found || (directory ? cause == 0 : cause == ENOENT || cause == ENOTDIR)) return STATUS_OK;
    return err_set(err, STATUS_DATA, path, NULL, "cannot be read: %s", strerror(cause));
}

static enum status spool_path(const char *path, char **below, struct err *err)
{
    return asprintf(below, "%s/spool", path) < 0 ? err_memory(err) : STATUS_OK;
}

static enum status directory_kind(const char *path, enum trace_kind *kind, struct err *err)
{
    char *below;
    bool found;
    *kind = KIND_OTF2;
    TRY(directory_holds(path, "", ".otf2", &found, err));
    if (found) return STATUS_OK;
    *kind = KIND_SPOOL;
    TRY(directory_holds(path, "rank-", ".spool", &found, err));
    if (found) return STATUS_OK;
    TRY(spool_path(path, &below, err));
    enum status status = directory_holds(below, "rank-", ".spool", &found, err);
    *kind = found ? KIND_SPOOL_BELOW : KIND_DIRECTORY;
    free(below);
    return status;
}

/* The first line that is no comment decides. */
static enum trace_kind file_kind(struct input_file *in)
{
    unsigned char start[8];
    uint64_t magic;
    size_t got = input_file_read(in, start, sizeof start);
    memcpy(&magic, start, sizeof magic);
    if (got == 0) return KIND_EMPTY;
    if (got == sizeof start && (magic == SPOOL_MAGIC || magic == SPOOL_TAIL_MAGIC)) return KIND_RANK_SPOOL;
    rewind(in->file);
    enum trace_kind kind = KIND_EMPTY;
    for (char *line; kind == KIND_EMPTY && (line = input_file_line(in)) != NULL;) {
        const char *word = line + strspn(line, " \t\r\n");
        if (*word == '\0' || *word == '#') continue;
        kind = *word == '{' || *word == '['              ? KIND_JSON
               : strncmp(word, "rmacast-trace", 13) == 0 ? KIND_TEXT
               : strncmp(word, PROGRAM_MODEL_WORD, strlen(PROGRAM_MODEL_WORD)) == 0 ? KIND_MODEL
                                                                                    : KIND_OTHER;
    }
    return kind;
}

static enum status recognise_kind(const char *path, enum trace_kind *kind, struct err *err)
{
    struct stat about;
    *kind = KIND_TEXT;
    if (strcmp(path, "-") == 0) {
        int first = ungetc(getc(stdin), stdin);
        if (first == '{' || first == '[') *kind = KIND_JSON;
        return STATUS_OK;
    }
    if (stat(path, &about) != 0)
        return err_set(err, STATUS_DATA, *path ? path : "''", NULL, "cannot be opened: %s", strerror(errno));
    if (S_ISDIR(about.st_mode)) return directory_kind(path, kind, err);
    if (!S_ISREG(about.st_mode)) return STATUS_OK; /* a pipe can be read once only: text */
    if (ends_with(path, ".otf2")) {
        *kind = KIND_OTF2;
        return STATUS_OK;
    }
    struct input_file in;
    TRY(input_file_open_own(path, &in, err)); /* whoever reads it makes it an input */
    *kind = file_kind(&in);
    return input_file_close(&in, STATUS_OK, err);
}

static enum status read_below(const char *path, bool keep_going, struct trace **trace, struct err *err)
{
    char *below;
    TRY(spool_path(path, &below, err));
    enum status status = spool_read_by(0, below, keep_going, trace, err);
    free(below);
    return status;
}

static uint32_t model_ranks;
static struct {
    const char *name, *value;
} model_parameters[MODEL_PARAMETERS_MAX];
static size_t model_parameter_count;

void trace_open_models_at(uint32_t ranks)
{
    model_ranks = ranks;
}

bool trace_open_models_with(const char *name, const char *value)
{
    if (model_parameter_count == MODEL_PARAMETERS_MAX) return false;
    model_parameters[model_parameter_count].name = name;
    model_parameters[model_parameter_count++].value = value;
    return true;
}

static enum status read_model(const char *path, struct trace **trace, struct err *err)
{
    struct program_model_options options = PROGRAM_MODEL_DEFAULTS;
    struct program_model *model;
    options.ranks = model_ranks;
    TRY(program_model_open(path, &model, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < model_parameter_count; i++)
        status = program_model_set_parameter(model, model_parameters[i].name, model_parameters[i].value, err);
    if (status == STATUS_OK) status = program_model_make(model, &options, trace, err);
    program_model_free(model);
    return status;
}

static enum status read_kind(const char *path, enum trace_kind kind, bool keep_going, struct trace **trace,
                             struct err *err)
{
    static const char expected[] = "expected an OTF2 archive, a spool directory, a text trace or a program model";
    switch (kind) {
    case KIND_TEXT: return text_read_by(0, path, keep_going, trace, err);
    case KIND_OTF2: return otf2_read_by(0, path, keep_going, trace, err);
    case KIND_SPOOL: return spool_read_by(0, path, keep_going, trace, err);
    case KIND_MODEL: return read_model(path, trace, err);
    case KIND_SPOOL_BELOW: return read_below(path, keep_going, trace, err);
    case KIND_JSON:
        return err_set(err, STATUS_DATA, path, NULL, "JSON, as results and platforms are, and no trace; %s", expected);
    case KIND_RANK_SPOOL: return err_set(err, STATUS_DATA, path, NULL, "the spool of one rank, expected its directory");
    case KIND_DIRECTORY:
        if (access(path, R_OK | X_OK) != 0)
            return err_set(err, STATUS_DATA, path, NULL, "cannot be read: %s", strerror(errno));
        return otf2_fail_without_anchor(path, expected, err);
    case KIND_EMPTY: return err_set(err, STATUS_DATA, path, NULL, "empty, %s", expected);
    case KIND_OTHER: break;
    }
    return err_set(err, STATUS_DATA, path, NULL, "no trace, %s", expected);
}

/* Only program models can have a requested number of ranks and requested parameters. */
static enum status check_asked(const char *path, enum trace_kind kind, const struct trace *trace, struct err *err)
{
    if (kind != KIND_MODEL && model_parameter_count > 0)
        return err_set(err, STATUS_DATA, path, NULL, "has no parameter %s, expected a program model, or no --parameter",
                       model_parameters[0].name);
    if (model_ranks == 0 || trace->rank_count == model_ranks) return STATUS_OK;
    return err_set(err, STATUS_DATA, path, NULL, "has %u rank%s, expected a program model, or no --ranks %u", trace->rank_count,
                   units_plural(trace->rank_count), model_ranks);
}

static enum status open_with(const char *path, bool keep_going, struct trace **trace, struct err *err)
{
    enum trace_kind kind;
    struct trace *made;
    TRY(recognise_kind(path, &kind, err));
    if (kind <= KIND_SPOOL_BELOW) TRY(trace_memory_check(path, err));
    TRY(read_kind(path, kind, keep_going, &made, err));
    bool checked = kind == KIND_SPOOL || kind == KIND_SPOOL_BELOW ||
                   kind == KIND_MODEL; /* before times are corrected, as they are made */
    enum status status = STATUS_OK;
    if (!checked) status = keep_going ? trace_check_partly(made, err) : trace_check(made, err);
    if (status == STATUS_OK) status = check_asked(path, kind, made, err);
    GIVE(status, *trace = made, trace_free(made));
}

enum status trace_open(const char *path, struct trace **trace, struct err *err)
{
    return open_with(path, false, trace, err);
}

enum status trace_open_partly(const char *path, struct trace **trace, struct err *err)
{
    return open_with(path, true, trace, err);
}

enum status trace_open_source(const char *path, struct trace_source *source, bool *possible, uint64_t *records,
                              struct err *err)
{
    enum trace_kind kind;
    *possible = false;
    TRY(recognise_kind(path, &kind, err));
    return kind == KIND_OTF2 ? otf2_slices_open(path, source, possible, records, err) : STATUS_OK;
}

enum status trace_recognise(const char *path, enum trace_form *form, struct err *err)
{
    enum trace_kind kind;
    *form = TRACE_FORM_OTHER;
    bool there = true;
    if (strcmp(path, "-") != 0) TRY(place_look(path, &there, err));
    if (!there) return STATUS_OK;
    TRY(recognise_kind(path, &kind, err));
    if (kind <= KIND_SPOOL_BELOW) *form = kind == KIND_MODEL ? TRACE_FORM_MODEL : TRACE_FORM_TRACE;
    return STATUS_OK;
}

bool trace_is_text_name(const char *path)
{
    return strcmp(path, "-") == 0 || ends_with(path, ".txt");
}

static enum status visit_archives(const char *path, otf2_file_visitor *visit, void *context, struct err *err)
{
    DIR *directory = opendir(path);
    enum status status = STATUS_OK;
    for (struct dirent *entry; directory && status == STATUS_OK && (entry = readdir(directory));) {
        char *anchor;
        if (!ends_with(entry->d_name, ".otf2")) continue;
        status = asprintf(&anchor, "%s/%s", path, entry->d_name) < 0 ? err_memory(err) : STATUS_OK;
        if (status != STATUS_OK) break;
        status = otf2_visit_files(anchor, visit, context, err);
        free(anchor);
    }
    if (directory) closedir(directory);
    return status;
}

enum status trace_visit_read(const char *path, otf2_file_visitor *visit, void *context, struct err *err)
{
    char *below;
    bool found;
    struct stat about;
    if (stat(path, &about) != 0) return STATUS_OK;
    if (!S_ISDIR(about.st_mode))
        return ends_with(path, ".otf2") ? otf2_visit_files(path, visit, context, err) : STATUS_OK;
    TRY(visit_archives(path, visit, context, err));
    TRY(directory_holds(path, "rank-", ".spool", &found, err));
    if (found) return visit(context, path, true, err);
    TRY(spool_path(path, &below, err));
    enum status status = directory_holds(below, "rank-", ".spool", &found, err);
    if (status == STATUS_OK && found) status = visit(context, below, true, err);
    free(below);
    return status;
}

enum status trace_save(const struct trace *trace, const char *path, struct err *err)
{
    if (!trace_is_text_name(path)) return otf2_write(trace, path, err);
    FILE *out;
    TRY(output_file_open(path, &out, err));
    enum status status = text_write(trace, NULL, out, err);
    return output_file_close(path, out, status, err);
}
