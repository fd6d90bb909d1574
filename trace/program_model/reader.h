/* The state of the reader of program models. Its files are read.c for lines and blocks, words.c for words and keys,
 * definitions.c for definitions, and read_call.c for calls. Internal to trace/program_model/. */
#ifndef TRACE_PROGRAM_MODEL_READER_H
#define TRACE_PROGRAM_MODEL_READER_H

#include "trace/program_model/program_model.h"
#include "trace/text/reader.h"

enum { MODEL_DEPTH_MAX = 32, MODEL_STATEMENTS_MAX = 1 << 20, MODEL_LINE_BYTES_MAX = 1 << 20 };

/* A block that is not closed yet. */
struct model_block {
    struct statement owner;  /* the statement whose body this is */
    struct statement *items; /* owned */
    size_t count, capacity;
    bool is_other; /* the statements after else */
};

struct model_reader {
    struct program_model *model;
    struct scanner scanner;
    struct variables variables;
    struct text_reader text; /* reads the keys of a call that have the form of the text trace */
    struct text_names names;
    bool header;
    struct model_block blocks[MODEL_DEPTH_MAX + 1];
    uint32_t depth;
    size_t statement_count;
    struct executions *rows_of; /* those of the computing or recorded run that was read last; NULL: there is none. Rows
                                   are added by model_end_rows() */
    uint32_t rows_ranks;
    struct model_row {
        float *values; /* owned */
        size_t count, capacity;
    } counts; /* of rows_of */
};

void statement_init(struct statement *statement, enum statement_kind kind, size_t line);
void statement_clear(struct statement *statement);

/* Returns STATUS_DATA unless the rest of the line is empty. */
enum status model_line_ends(struct model_reader *reader);

/* If the line continues with "key=", reads it and returns true. */
bool model_take_key(struct model_reader *reader, const char *key);

/* Reads the next word, up to a blank; "" at the end of the line. The caller frees *word. */
enum status model_take_word(struct model_reader *reader, char **word);

/* Reads when=, before= or after=, which every statement except else and end may have. Sets *taken if it was one. */
enum status model_read_common(struct model_reader *reader, struct statement *statement, bool *taken);

/* Whether the name begins a definition; whether it begins a row of a computing. The name has been read. */
bool model_is_definition(const char *name);
bool model_is_row(const char *name);
enum status model_read_definition(struct model_reader *reader, const char *name);
/* Adds the rows of a computing's run, after all of them have been read. */
enum status model_end_rows(struct model_reader *reader);

/* Reads the keys of a call. Its name has been read. */
enum status model_read_call(struct model_reader *reader, const char *name, struct statement *made);

#endif
