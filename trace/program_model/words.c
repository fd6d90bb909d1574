/* Common parts of a program model's lines: keys, words, when=, before=, after=. Declared in
 * trace/program_model/reader.h. */
#include <stdlib.h>
#include <string.h>

#include "trace/program_model/reader.h"

enum status model_line_ends(struct model_reader *reader)
{
    scanner_skip_blanks(&reader->scanner);
    if (*reader->scanner.at != '\0') SCANNER_FAIL(&reader->scanner, "'%.40s', expected the end of the line", reader->scanner.at);
    return STATUS_OK;
}

bool model_take_key(struct model_reader *reader, const char *key)
{
    size_t length = strlen(key);
    scanner_skip_blanks(&reader->scanner);
    const char *at = reader->scanner.at;
    if (strncmp(at, key, length) != 0 || at[length] != '=' || at[length + 1] == '=') return false;
    reader->scanner.at += length + 1;
    return true;
}

enum status model_take_word(struct model_reader *reader, char **word)
{
    scanner_skip_blanks(&reader->scanner);
    size_t length = strcspn(reader->scanner.at, " \t\r\n");
    *word = strndup(reader->scanner.at, length);
    reader->scanner.at += length;
    return *word ? STATUS_OK : err_memory(reader->scanner.err);
}

/* --- what statements have in common --- */

static enum status read_place(struct model_reader *reader, int32_t *computing)
{
    char name[SCANNER_NAME_BYTES];
    if (*computing != COMPUTING_ABSENT) SCANNER_FAIL(&reader->scanner, "before= or after= stands twice");
    if (*reader->scanner.at == '0') {
        reader->scanner.at++;
        *computing = COMPUTING_ZERO;
        return STATUS_OK;
    }
    TRY(scanner_name(&reader->scanner, "the name of a computing, or 0", name));
    for (size_t i = 0; i < reader->model->computing_count; i++) {
        if (strcmp(reader->model->computings[i].name, name) != 0) continue;
        *computing = (int32_t)i;
        return STATUS_OK;
    }
    SCANNER_FAIL(&reader->scanner, "'%s' is no computing, expected a line \"computing %s SECONDS\" before", name, name);
}

enum status model_read_common(struct model_reader *reader, struct statement *statement, bool *taken)
{
    *taken = true;
    if (model_take_key(reader, "before")) return read_place(reader, &statement->before);
    if (model_take_key(reader, "after")) return read_place(reader, &statement->after);
    *taken = model_take_key(reader, "when");
    if (!*taken) return STATUS_OK;
    if (statement->when.operations) SCANNER_FAIL(&reader->scanner, "when= stands twice");
    return expression_read(&reader->scanner, &reader->variables, &statement->when);
}
