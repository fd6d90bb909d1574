/* program_model_read() of trace/program_model/program_model.h: lines and blocks. */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/files/input_file.h"
#include "trace/program_model/reader.h"

static enum status read_rest(struct model_reader *reader, struct statement *statement)
{
    bool taken = true;
    while (taken) TRY(model_read_common(reader, statement, &taken));
    return model_line_ends(reader);
}

/* --- blocks --- */

static enum status add_statement(struct model_reader *reader, struct statement *statement)
{
    struct model_block *block = &reader->blocks[reader->depth];
    if (++reader->statement_count > MODEL_STATEMENTS_MAX)
        SCANNER_FAIL(&reader->scanner, "more than %d statements, expected fewer", MODEL_STATEMENTS_MAX);
    ARRAY_PUSH(block->items, block->count, block->capacity, *statement, reader->scanner.err);
    statement_init(statement, STATEMENT_CALL, 0); /* the block owns its content now */
    return STATUS_OK;
}

static enum status begin_block(struct model_reader *reader, struct statement *owner)
{
    if (reader->depth == MODEL_DEPTH_MAX)
        SCANNER_FAIL(&reader->scanner, "more than %d blocks in each other, expected fewer", MODEL_DEPTH_MAX);
    struct model_block *block = &reader->blocks[++reader->depth];
    *block = (struct model_block){.owner = *owner};
    statement_init(owner, STATEMENT_CALL, 0);
    if (reader->depth > reader->model->depth) reader->model->depth = reader->depth;
    return STATUS_OK;
}

/* The statements of the innermost block become its owner's. */
static void close_part(struct model_block *block)
{
    struct statement **body = block->is_other ? &block->owner.other : &block->owner.body;
    size_t *count = block->is_other ? &block->owner.other_count : &block->owner.body_count;
    *body = block->items;
    *count = block->count;
    block->items = NULL;
    block->count = block->capacity = 0;
}

/* Whether a statement does something else when the variable changes, or when it is executed again. */
static bool changes_with(const struct statement *statements, size_t count, uint32_t variable)
{
    for (size_t i = 0; i < count; i++) {
        const struct statement *at = &statements[i];
        bool computes = at->kind == STATEMENT_COMPUTE || at->reduced;
        if ((computes && at->computing >= 0) ||
            (variable && (expression_uses(&at->when, variable) || expression_uses(&at->amount, variable))) ||
            changes_with(at->body, at->body_count, variable) || changes_with(at->other, at->other_count, variable))
            return true;
    }
    return false;
}

static enum status read_else(struct model_reader *reader)
{
    struct model_block *block = &reader->blocks[reader->depth];
    if (reader->depth == 0 || block->owner.kind != STATEMENT_IF || block->is_other)
        SCANNER_FAIL(&reader->scanner, "else without if");
    TRY(model_line_ends(reader));
    close_part(block);
    block->is_other = true;
    return STATUS_OK;
}

static enum status read_end(struct model_reader *reader)
{
    if (reader->depth == 0) SCANNER_FAIL(&reader->scanner, "end without repeat, if or block");
    TRY(model_line_ends(reader));
    struct model_block *block = &reader->blocks[reader->depth];
    close_part(block);
    block->owner.varies = changes_with(block->owner.body, block->owner.body_count, block->owner.variable);
    if (block->owner.variable) reader->variables.names[block->owner.variable][0] = '\0'; /* out of scope */
    reader->depth--;
    return add_statement(reader, &block->owner);
}

/* --- statements --- */

static enum status read_amount(struct model_reader *reader, struct statement *statement)
{
    return expression_read(&reader->scanner, &reader->variables, &statement->amount);
}

/* Seconds, or the name of a computing. */
static enum status read_time(struct model_reader *reader, struct statement *statement)
{
    char name[SCANNER_NAME_BYTES];
    struct err other;
    scanner_skip_blanks(&reader->scanner);
    struct scanner ahead = {.at = reader->scanner.at, .err = &other};
    bool named = scanner_name(&ahead, "", name) == STATUS_OK;
    for (size_t i = 0; named && i < reader->model->computing_count; i++)
        if (strcmp(reader->model->computings[i].name, name) == 0) statement->computing = (int32_t)i;
    if (statement->computing == COMPUTING_ABSENT) return read_amount(reader, statement);
    reader->scanner.at = ahead.at;
    return STATUS_OK;
}

static enum status read_repeat(struct model_reader *reader, struct statement *statement)
{
    char name[SCANNER_NAME_BYTES];
    TRY(read_amount(reader, statement));
    scanner_skip_blanks(&reader->scanner);
    if (strncmp(reader->scanner.at, "as ", 3) == 0) {
        reader->scanner.at += 3;
        TRY(scanner_name(&reader->scanner, "the name of the loop's variable", name));
        TRY(variables_add(&reader->variables, &reader->scanner, name, &statement->variable));
        if (reader->variables.count > reader->model->variable_count) reader->model->variable_count = reader->variables.count;
    }
    TRY(read_rest(reader, statement));
    return begin_block(reader, statement);
}

static enum status read_if(struct model_reader *reader, struct statement *statement)
{
    TRY(read_amount(reader, statement));
    TRY(model_line_ends(reader));
    return begin_block(reader, statement);
}

static enum status read_block(struct model_reader *reader, struct statement *statement)
{
    scanner_skip_blanks(&reader->scanner);
    const char *at = reader->scanner.at; /* a region's name is encoded as in a line "enter" */
    reader->scanner.at += strcspn(at, " ");
    if (reader->scanner.at == at) SCANNER_FAIL(&reader->scanner, "expected the name of the block");
    struct model_line *line = &reader->model->lines[reader->model->line_count - 1]; /* its text ends as the scanner's does */
    size_t bytes = strlen(line->text);
    if (model_take_key(reader, "time")) {
        TRY(read_time(reader, statement));
        for (line->time_end = bytes - strlen(reader->scanner.at); line->text[line->time_end - 1] == ' ';) line->time_end--;
    }
    scanner_skip_blanks(&reader->scanner);
    size_t length = strlen("reduced");
    statement->reduced = strncmp(reader->scanner.at, "reduced", length) == 0 && strchr(" ", reader->scanner.at[length]);
    if (statement->reduced) {
        reader->scanner.at += length;
        line->reduced_end = bytes - strlen(reader->scanner.at);
    }
    if (statement->reduced && !statement->amount.operations && statement->computing == COMPUTING_ABSENT)
        SCANNER_FAIL(&reader->scanner, "reduced without a time, expected \"block NAME time=SECONDS reduced\"");
    TRY(read_rest(reader, statement));
    return begin_block(reader, statement);
}

static enum status read_compute(struct model_reader *reader, struct statement *statement)
{
    TRY(read_time(reader, statement));
    TRY(read_rest(reader, statement));
    return add_statement(reader, statement);
}

static enum status read_call(struct model_reader *reader, const char *name, struct statement *statement)
{
    TRY(model_read_call(reader, name, statement));
    return add_statement(reader, statement);
}

static enum status read_statement(struct model_reader *reader, const char *name)
{
    static const struct {
        const char *name;
        enum statement_kind kind;
        enum status (*read)(struct model_reader *reader, struct statement *statement);
    } kinds[] = {{"compute", STATEMENT_COMPUTE, read_compute}, {"repeat", STATEMENT_REPEAT, read_repeat},
                 {"if", STATEMENT_IF, read_if},                {"block", STATEMENT_BLOCK, read_block}};
    struct statement statement;
    if (strcmp(name, "else") == 0) return read_else(reader);
    if (strcmp(name, "end") == 0) return read_end(reader);
    size_t i = 0, count = sizeof kinds / sizeof *kinds;
    while (i < count && strcmp(kinds[i].name, name) != 0) i++;
    statement_init(&statement, i < count ? kinds[i].kind : STATEMENT_CALL, reader->scanner.line);
    enum status status = i < count ? kinds[i].read(reader, &statement) : read_call(reader, name, &statement);
    statement_clear(&statement);
    return status;
}

/* --- lines --- */

static enum status read_header(struct model_reader *reader)
{
    struct scanner *scanner = &reader->scanner;
    size_t length = strlen(PROGRAM_MODEL_WORD);
    if (strncmp(scanner->at, PROGRAM_MODEL_WORD " ", length + 1) != 0)
        SCANNER_FAIL(scanner, "'%.40s', expected \"" PROGRAM_MODEL_WORD " 1\" as the first line", scanner->at);
    scanner->at += length;
    scanner_skip_blanks(scanner);
    if (strcmp(scanner->at, "1") != 0)
        SCANNER_FAIL(scanner, "version %.20s of program models, expected \"" PROGRAM_MODEL_WORD " 1\"", scanner->at);
    reader->header = true;
    return STATUS_OK;
}

/* Removes the comment, and reduces sequences of blanks to one. Returns false if the line is empty. */
static bool clean_line(char *text)
{
    char *to = text, last = ' ';
    for (const char *from = text; *from; from++) {
        bool blank = *from == ' ' || *from == '\t' || *from == '\r' || *from == '\n';
        if (*from == '#' && last == ' ') break;
        if (!blank) last = *to++ = *from;
        else if (last != ' ') last = *to++ = ' ';
    }
    while (to > text && to[-1] == ' ') to--;
    *to = '\0';
    return to > text;
}

static enum status keep_line(struct model_reader *reader, const char *name, const char *text)
{
    struct program_model *model = reader->model;
    uint32_t depth = reader->depth;
    if (depth > 0 && (strcmp(name, "else") == 0 || strcmp(name, "end") == 0)) depth--;
    if (model_is_row(name)) depth++;
    struct model_line line = {.depth = depth, .text = strdup(text)};
    if (!line.text) return err_memory(reader->scanner.err);
    enum status status =
        array_reserve((void **)&model->lines, &model->line_capacity, model->line_count + 1, sizeof line, reader->scanner.err);
    if (status == STATUS_OK) model->lines[model->line_count++] = line;
    else free(line.text);
    return status;
}

static enum status read_line(struct model_reader *reader, char *text)
{
    char name[SCANNER_NAME_BYTES] = "";
    reader->scanner.at = text;
    if (!reader->header) {
        TRY(keep_line(reader, name, text));
        return read_header(reader);
    }
    TRY(scanner_name(&reader->scanner, "a definition, compute, repeat, if, block, end or the name of a call", name));
    TRY(keep_line(reader, name, text));
    return model_is_definition(name) ? model_read_definition(reader, name) : read_statement(reader, name);
}

static enum status read_lines(struct model_reader *reader, struct input_file *in)
{
    enum status status = STATUS_OK;
    for (char *text; status == STATUS_OK && (text = input_file_line(in)) != NULL;) {
        char line[24];
        reader->text.line = ++reader->scanner.line;
        snprintf(line, sizeof line, "%zu", reader->scanner.line);
        if (strlen(text) != in->length || in->length > MODEL_LINE_BYTES_MAX)
            status = err_set(reader->scanner.err, STATUS_DATA, reader->scanner.file, line,
                             "a zero byte, or a line of more than %d bytes; expected text", MODEL_LINE_BYTES_MAX);
        else if (clean_line(text)) status = read_line(reader, text);
    }
    return status;
}

static enum status read_all(struct model_reader *reader, struct input_file *in)
{
    struct program_model *model = reader->model;
    struct model_comm world = {.all = true};
    uint64_t *slot;
    TRY(trace_new(reader->scanner.file, 1, &model->names, reader->scanner.err));
    reader->text.trace = model->names;
    ARRAY_PUSH(model->comms, model->comm_count, model->comm_capacity, world, reader->scanner.err);
    TRY(map_put(&reader->text.comms, 0, 0, &slot, reader->scanner.err));
    TRY(read_lines(reader, in));
    if (!reader->header) SCANNER_FAIL(&reader->scanner, "the file ends, expected \"" PROGRAM_MODEL_WORD " 1\"");
    if (reader->depth > 0)
        SCANNER_FAIL(&reader->scanner, "the file ends, expected \"end\" of the block of line %zu",
                     reader->blocks[reader->depth].owner.line);
    TRY(model_end_rows(reader));
    model->statements = reader->blocks[0].items;
    model->statement_count = reader->blocks[0].count;
    reader->blocks[0].items = NULL;
    reader->blocks[0].count = 0;
    return STATUS_OK;
}

static void clear_reader(struct model_reader *reader)
{
    for (uint32_t i = 0; i <= reader->depth; i++) {
        struct model_block *block = &reader->blocks[i];
        for (size_t k = 0; k < block->count; k++) statement_clear(&block->items[k]);
        free(block->items);
        if (i > 0) statement_clear(&block->owner);
    }
    free(reader->counts.values);
    map_clear(&reader->text.comms);
    map_clear(&reader->text.windows);
    text_reader_clear(&reader->text);
}

enum status program_model_read(struct input_file *in, struct program_model **model, struct err *err)
{
    const char *name = in->path;
    struct err own; /* the text's reader needs one */
    struct model_reader *reader = calloc(1, sizeof *reader);
    struct program_model *made = calloc(1, sizeof *made);
    if (made) made->file = strdup(name);
    enum status status = STATUS_OK;
    if (!reader || !made || !made->file) status = err_memory(err);
    else {
        reader->model = made;
        reader->scanner = (struct scanner){.file = name, .err = err ? err : &own};
        reader->text.file = name;
        reader->text.names = &reader->names;
        reader->text.err = reader->scanner.err;
        text_names_fill(&reader->names);
        variables_open(&reader->variables);
        made->variable_count = reader->variables.count;
        status = read_all(reader, in);
        clear_reader(reader);
    }
    free(reader);
    status = input_file_close(in, status, err);
    GIVE(status, *model = made, program_model_free(made));
}

enum status program_model_open(const char *file, struct program_model **model, struct err *err)
{
    struct input_file in;
    TRY(input_file_open(file, &in, err));
    return program_model_read(&in, model, err);
}
