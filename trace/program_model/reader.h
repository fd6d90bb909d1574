/* State shared by the files of the reader of program models: lines and blocks (read.c), what lines share (words.c),
 * definitions (definitions.c), calls (read_call.c). Internal to trace/program_model/. */
#ifndef TRACE_PROGRAM_MODEL_READER_H
#define TRACE_PROGRAM_MODEL_READER_H

#include "trace/program_model/program_model.h"
#include "trace/text/reader.h"

enum { MODEL_DEPTH_MAX = 32, MODEL_STATEMENTS_MAX = 1 << 20, MODEL_LINE_BYTES_MAX = 1 << 20 };

/* A block that is not closed yet. */
struct model_block {
    struct statement owner; /* whose body this is */
    struct statement *items; /* owned */
    size_t count, capacity;
    bool is_other; /* behind else */
};

struct model_reader {
    struct program_model *model;
    struct scanner scanner;
    struct variables variables;
    struct text_reader text;  /* for what a call says as in the text trace */
    struct text_names names;
    bool header;
    struct model_block blocks[MODEL_DEPTH_MAX + 1];
    uint32_t depth;
    size_t statement_count;
    struct executions *rows_of; /* of the computing or its recorded run read last; NULL: of none. Nothing is added there before
                                   model_end_rows() */
    uint32_t rows_ranks;
    struct model_row {
        float *values; /* owned */
        size_t count, capacity;
    } counts; /* of rows_of */
};

void statement_init(struct statement *statement, enum statement_kind kind, size_t line);
void statement_clear(struct statement *statement);

/* The rest of the line must be empty. */
enum status model_line_ends(struct model_reader *reader);

/* "key=" at hand: takes it. */
bool model_take_key(struct model_reader *reader, const char *key);

/* The next word, up to a blank; "" at the end of the line. The caller frees it. */
enum status model_take_word(struct model_reader *reader, char **word);

/* when=, before=, after=, which every statement but else and end may have; *taken: it was one. */
enum status model_read_common(struct model_reader *reader, struct statement *statement, bool *taken);

/* A line that begins with such a name; false: there is none. The name has been taken. */
bool model_is_definition(const char *name);
bool model_is_row(const char *name); /* of a computing */
enum status model_read_definition(struct model_reader *reader, const char *name);
/* What the rows of a computing's run say together, once all of them are read. */
enum status model_end_rows(struct model_reader *reader);

/* The keys of a call; its name has been taken. */
enum status model_read_call(struct model_reader *reader, const char *name, struct statement *made);

#endif
