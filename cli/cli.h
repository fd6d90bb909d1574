/* Shared by the commands: one-line messages for wrong options, values of options, output.
 *
 * A command is cmd_NAME(argc, argv, err) in cli/cmd_NAME.c and a row in commands.def. It calls cli_parse with its
 * struct argp, whose parser uses the helpers below for values, and returns a status; main prints err and makes the exit
 * status. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "common/status.h"

struct trace;

struct command {
    const char *name;
    enum status (*run)(int argc, char **argv, struct err *err);
    const char *summary;
};

#define COMMAND(NAME, SUMMARY) enum status cmd_##NAME(int argc, char **argv, struct err *err);
#include "cli/commands.def"
#undef COMMAND

/* The options that all commands have. */
extern const struct argp_option cli_common_options[];

/* For the help of options that choose a blocking semantics (docs/semantics.md). */
#define SEMANTICS_HELP "Who waits for the target's MPI_Win_post: a MPI_Win_start, b the operation, c MPI_Win_complete, d nobody"

/* Parses the command line; argv[0] is "rmacast COMMAND". flags: 0, or ARGP_IN_ORDER where the first argument ends the
 * options; CLI_READS_TRACES adds the options --ranks and --parameter of program models (trace/open.h). Wrong
 * usage is STATUS_USAGE in one line; --help prints help and does not return. input is the parser's state->input. */
enum { CLI_READS_TRACES = 1 << 16 };
enum status cli_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input, struct err *err);

/* Until it is called with NULL: cli_parse() hands its table to describe, and returns STATUS_USAGE. */
void cli_describe(void (*describe)(void *context, const struct argp *argp), void *context);

/* Whether --quiet was given; a line of information on standard error, unless it was. */
bool cli_is_quiet(void);
/* Whether --wide was given. */
bool cli_is_wide(void);
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Inside a parser: writes the message and returns what the parser has to return. */
error_t cli_usage(const struct argp_state *state, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Inside a parser, for ARGP_KEY_ARG: the first argument goes to *first, a second one is an error. */
error_t cli_one_argument(const struct argp_state *state, char *argument, const char **first);
/* Inside a parser, for ARGP_KEY_END. */
error_t cli_needs_argument(const struct argp_state *state, const char *argument, const char *name);

/* "NAME=VALUE": ends the name there, and returns the value; NULL: the text has another form, and is unchanged. */
char *cli_split_assignment(char *text);

/* Inside a parser, for ARGP_KEY_END: mode, as "--extrap-points", looks at the options with these keys (0 ends them) and at no
 * others of the command; an error names the first other one that was given. */
error_t cli_given_only(const struct argp_state *state, const char *mode, const int *keys);

/* The name of an option of the list, as "epsilon late-post", that the last cli_parse() was given; NULL: none was. Which options
 * need others is in cli/option_rules.def. */
const char *cli_given(const char *options);

/* Inside a parser: values of options; option ("--epsilon") is for messages. */
error_t cli_duration(const struct argp_state *state, const char *option, const char *text, double *seconds);
error_t cli_duration_ps(const struct argp_state *state, const char *option, const char *text, int64_t *ps);
error_t cli_size(const struct argp_state *state, const char *option, const char *text, int64_t *bytes);
error_t cli_count(const struct argp_state *state, const char *option, const char *text, int64_t low, int64_t high,
                  int64_t *count);
error_t cli_fraction(const struct argp_state *state, const char *option, const char *text, double *fraction);
error_t cli_share(const struct argp_state *state, const char *option, const char *text, double *share); /* at most 1 */
error_t cli_choice(const struct argp_state *state, const char *option, const char *text, const char *const *names,
                   size_t *index);

/* Moves the next item of "a,b,c" from *list to item; false after the last one. An item that does not fit is
 * truncated. */
bool cli_next_item(const char **list, char *item, size_t size);

/* A growing array of borrowed strings, for options that may be repeated. free(items) is the caller's. */
struct cli_strings {
    const char **items;
    size_t count, capacity;
};
error_t cli_add_string(const struct argp_state *state, struct cli_strings *strings, const char *text);

/* The width of the terminal if standard output is one, else the environment variable COLUMNS. 0: unlimited, if there is
 * neither, so that scripts find whole lines, and with --wide. */
int cli_columns(void);
/* Standard output for a table: what is written to it from now on until cli_flush is folded to cli_columns(), with colours on a
 * terminal. Legal again. */
FILE *cli_table(void);

/* Gives the files that were written their names (cli/output_set.h). Tells whether everything was written to standard output. */
enum status cli_flush(struct err *err);
/* The same behind files, which go unless their status is STATUS_OK: a full disk takes those, not the table. Returns what became
 * of the files, unless that is STATUS_OK. */
enum status cli_flush_behind(enum status files, struct err *err);
/* To a file of the command's set (cli/output_set.h); "-" is standard output. */
enum status cli_write_json(const cJSON *json, const char *file, struct err *err);
/* The same of what rows write (common/json/fields.h). */
struct field;
enum status cli_write_fields(const struct field *fields, const void *item, size_t many, const char *file, struct err *err);

/* --csv of commands that also write JSON: a list of the document, with a line for each of its objects. */
#define CSV_ROWS_OPTION(KEY)                                                                                           \
    {"csv", KEY, "FILE", 0, "write the rows as comma-separated values; - is standard output, without the table", 0}
struct csv_rows {
    const char *file; /* NULL: not asked for */
    const char *list; /* key of the list in the document */
    /* "key,inner.key,list.*.key": of an inner list of objects with a name, * is each name that the first row has. What a row
     * lacks is empty. */
    const char *columns;
};
enum status csv_rows_write(const struct csv_rows *rows, const cJSON *document, struct err *err);
/* The same of what field rows write. */
enum status csv_rows_write_fields(const struct csv_rows *rows, const struct field *fields, const void *item, struct err *err);

/* trace_save(), where a text is a file of the command's set. */
enum status cli_save_trace(const struct trace *trace, const char *path, struct err *err);
/* cli_write_json(), which gives it and all before it their names: for files that this command or what it starts reads. */
enum status cli_write_json_now(const cJSON *json, const char *file, struct err *err);

/* True if what is written to file goes to standard output ("-"), so that the table is left out. file may be NULL. */
bool cli_is_output(const char *file);

/* For a command that has done its work and must end with another status than 0 (record: the application's own;
 * validate: a tolerance that does not hold). Counts if the command returns STATUS_OK. */
void cli_exit_with(int exit_status);
int cli_exit_status(void);

#endif
