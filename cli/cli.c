#include "cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal/activity.h"
#include "common/array.h"
#include "common/text/text.h"
#include "common/units.h"
#include "common/warning.h"
#include "trace/limits.h"
#include "trace/open.h"

/* The error of the current parse; argp's parsers have no other way to return a message. */
static struct err *parse_err;
static bool parse_failed;
static const char *parse_command;

error_t cli_usage(const struct argp_state *state, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    (void)state;
    err_set(parse_err, STATUS_USAGE, NULL, NULL, "%s, see '%s --help'", message, parse_command);
    parse_failed = true;
    return EINVAL;
}

/* argp without its messages does not say which option it did not like: finds it again. */
static void name_bad_option(const struct argp *argp, const struct argp_state *state)
{
    const char *word = state->next > 0 ? state->argv[state->next - 1] : "";
    if (strncmp(word, "--", 2) != 0 || word[2] == '\0') {
        const char *at =
            state->next < state->argc && state->argv[state->next][0] == '-' ? state->argv[state->next] : word;
        bool lacks = at[0] == '-' && at[1] && !at[2];
        for (const struct argp_option *option = argp->options; lacks && (option->name || option->key); option++)
            if (option->key == at[1] && option->arg) {
                cli_usage(state, "option %s needs a value %s", at, option->arg);
                return;
            }
        cli_usage(state, "unknown option %s", at);
        return;
    }
    size_t length = strcspn(word, "=");
    const struct argp_option *found = NULL;
    int count = 0;
    for (const struct argp_option *option = argp->options; option->name || option->key; option++) {
        if (!option->name || strncmp(option->name, word + 2, length - 2) != 0) continue;
        found = option;
        count = strlen(option->name) == length - 2 ? 1 : count + 1;
        if (strlen(option->name) == length - 2) break;
    }
    if (count == 0)
        cli_usage(state, "unknown option %.*s", (int)length, word);
    else if (count > 1)
        cli_usage(state, "option %.*s is ambiguous", (int)length, word);
    else if (found->arg)
        cli_usage(state, "option --%s needs a value %s", found->name, found->arg);
    else
        cli_usage(state, "option --%s takes no value", found->name);
}

enum { KEY_HELP = 'h', KEY_QUIET = 'q', KEY_MODEL_RANKS = 3000, KEY_MODEL_PARAMETER, KEY_WIDE, LAST_GROUP = -1 };

const struct argp_option cli_common_options[] = {
    {"help", KEY_HELP, NULL, 0, "this text", LAST_GROUP},
    {"quiet", KEY_QUIET, NULL, 0, "results and errors only: no progress, warnings and notes", LAST_GROUP},
    {"wide", KEY_WIDE, NULL, 0, "do not fold the lines of tables to the terminal", LAST_GROUP},
    {0},
};

static bool quiet, wide;
static void (*describe_table)(void *context, const struct argp *argp);
static void *describe_context;

bool cli_is_quiet(void)
{
    return quiet;
}

bool cli_is_wide(void)
{
    return wide;
}

void cli_note(const char *format, ...)
{
    va_list arguments;
    char line[1024];
    if (quiet) return;
    activity_end();
    snprintf(line, sizeof line, "rmacast: %s\n", format);
    va_start(arguments, format);
    text_print_list(stderr, line, arguments);
    va_end(arguments);
}

static void tell_warning(const char *text)
{
    cli_note("warning: %s", text);
}

void cli_describe(void (*describe)(void *context, const struct argp *argp), void *context)
{
    describe_table = describe;
    describe_context = context;
}

struct outer {
    const struct argp *whole, *command;
    void *input;
};

char *cli_split_assignment(char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    if (length == 0 || isdigit((unsigned char)*text) || text[length] != '=' || text[length + 1] == '\0') return NULL;
    text[length] = '\0';
    return text + length + 1;
}

/* What the command's own parser is given goes through note_option(). */
enum { GIVEN_MAX = 256 }; /* more than any command has */
static struct {
    const struct argp *command;
    struct {
        const struct argp_option *option;
        const char *argument; /* the last one; NULL: none */
    } items[GIVEN_MAX];
    size_t count;
} given;

/* Whether word, of so many bytes, is the name of given option i, or "name=value" with its value. */
static bool is_given_as(size_t i, const char *word, size_t bytes)
{
    const char *name = given.items[i].option->name, *argument = given.items[i].argument;
    size_t length = strlen(name);
    if (length > bytes || strncmp(word, name, length) != 0) return false;
    if (length == bytes) return true;
    return word[length] == '=' && argument && strlen(argument) == bytes - length - 1 &&
           strncmp(word + length + 1, argument, bytes - length - 1) == 0;
}

/* Moves on to the next word of *list. */
static bool next_word(const char **list, size_t *bytes)
{
    *list += *bytes;
    *list += strspn(*list, " ");
    *bytes = strcspn(*list, " ");
    return *bytes > 0;
}

/* The index of the first option of the list that was given; given.count: none was. */
static size_t find_given(const char *list)
{
    for (size_t i = 0; i < given.count; i++) {
        const char *word = list;
        for (size_t bytes = 0; next_word(&word, &bytes);)
            if (is_given_as(i, word, bytes)) return i;
    }
    return given.count;
}

/* "--json or --csv" of "json csv". */
static const char *say_needed(const char *list, char *text, size_t room)
{
    size_t used = 0;
    for (size_t bytes = 0; used < room && next_word(&list, &bytes);)
        used += (size_t)snprintf(text + used, room - used, "%s--%.*s", used ? " or " : "", (int)bytes, list);
    return text;
}

static const struct option_rule {
    const char *commands, *when, *options, *needs;
} option_rules[] = {
#define OPTION_RULE(COMMANDS, WHEN, OPTIONS, NEEDS) {COMMANDS, WHEN, OPTIONS, NEEDS},
#include "cli/option_rules.def"
#undef OPTION_RULE
};

static error_t check_rule(const struct argp_state *state, const struct option_rule *rule)
{
    char needed[128];
    size_t option = find_given(rule->options), when = find_given(rule->when);
    if (option == given.count || (*rule->when && when == given.count) || find_given(rule->needs) < given.count) return 0;
    const char *name = given.items[option].option->name;
    if (!*rule->when) return cli_usage(state, "--%s needs %s", name, say_needed(rule->needs, needed, sizeof needed));
    if (!*rule->needs) return cli_usage(state, "--%s has no meaning with --%s", name, rule->when);
    return cli_usage(state, "--%s with --%s needs %s", name, rule->when, say_needed(rule->needs, needed, sizeof needed));
}

static error_t check_rules(const struct argp_state *state)
{
    const char *blank = strrchr(parse_command, ' '), *slash = strrchr(parse_command, '/');
    const char *command = blank ? blank + 1 : slash ? slash + 1 : parse_command;
    error_t failed = 0;
    for (size_t i = 0; !failed && i < sizeof option_rules / sizeof *option_rules; i++) {
        const char *word = option_rules[i].commands;
        for (size_t bytes = 0; !failed && next_word(&word, &bytes);)
            if (strlen(command) == bytes && strncmp(command, word, bytes) == 0) failed = check_rule(state, &option_rules[i]);
    }
    return failed;
}

static void note_given(const struct argp_option *option, int key, const char *argument)
{
    while (option && option->key != key && (option->key || option->name)) option++;
    size_t at = 0;
    while (at < given.count && given.items[at].option != option) at++;
    if (!option || !option->key || !option->name || at == GIVEN_MAX) return;
    given.items[at].option = option;
    given.items[at].argument = argument;
    if (at == given.count) given.count++;
}

static error_t note_option(int key, char *argument, struct argp_state *state)
{
    error_t failed = key == ARGP_KEY_END ? check_rules(state) : 0;
    note_given(given.command->options, key, argument);
    return failed ? failed : given.command->parser(key, argument, state);
}

error_t cli_given_only(const struct argp_state *state, const char *mode, const int *keys)
{
    for (size_t i = 0; i < given.count; i++) {
        const int *key = keys;
        while (*key && *key != given.items[i].option->key) key++;
        if (!*key) return cli_usage(state, "--%s has no meaning with %s", given.items[i].option->name, mode);
    }
    return 0;
}

const char *cli_given(const char *options)
{
    size_t i = find_given(options);
    return i < given.count ? given.items[i].option->name : NULL;
}

static error_t parse_parameter(const struct argp_state *state, char *argument)
{
    char *value = cli_split_assignment(argument);
    if (!value) return cli_usage(state, "--parameter %s, expected NAME=VALUE", argument);
    return trace_open_models_with(argument, value) ? 0 : cli_usage(state, "more than %d --parameter", MODEL_PARAMETERS_MAX);
}

static const struct argp_option options_of_models[] = {
    {"ranks", KEY_MODEL_RANKS, "N", 0, "of a program model given as TRACE: for so many ranks (as many as it says)", LAST_GROUP},
    {"parameter", KEY_MODEL_PARAMETER, "NAME=VALUE", 0, "of a program model given as TRACE: gives a parameter a value",
     LAST_GROUP},
    {0}};

static error_t parse_of_models(int key, char *argument, struct argp_state *state)
{
    int64_t ranks;
    note_given(options_of_models, key, argument);
    if (key == KEY_MODEL_PARAMETER) return parse_parameter(state, argument);
    if (key != KEY_MODEL_RANKS) return ARGP_ERR_UNKNOWN;
    error_t failed = cli_count(state, "--ranks", argument, 1, TRACE_RANKS_MAX, &ranks);
    if (!failed) trace_open_models_at((uint32_t)ranks);
    return failed;
}

static error_t parse_outer(int key, char *argument, struct argp_state *state)
{
    struct outer *outer = state->input;
    (void)argument;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = outer->input; return 0;
    case KEY_HELP:
        argp_help(outer->whole, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, state->name);
        exit(EXIT_SUCCESS);
    case KEY_QUIET: quiet = true; return 0;
    case KEY_WIDE: wide = true; return 0;
    case ARGP_KEY_ERROR:
        if (!parse_failed && state->next > 0 && strcmp(state->argv[state->next - 1], "--ranks") == 0)
            cli_usage(state, "option --ranks needs a value N");
        if (!parse_failed) name_bad_option(outer->command, state);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

enum status cli_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input, struct err *err)
{
    static const struct argp of_models = {.options = options_of_models, .parser = parse_of_models};
    const struct argp *const reads_traces = flags & CLI_READS_TRACES ? &of_models : NULL;
    struct argp noted = *argp;
    const struct argp_child children[] = {{&noted, 0, NULL, 0}, {reads_traces, 0, NULL, 0}, {0}};
    const struct argp whole = {cli_common_options, parse_outer, NULL, NULL, children, NULL, NULL};
    struct outer outer = {&whole, argp, input};
    warning_listen(tell_warning);
    if (describe_table) {
        struct argp shown = *argp;
        if (!shown.children) shown.children = children + 1;
        describe_table(describe_context, &shown);
        return STATUS_USAGE;
    }
    noted.parser = note_option;
    given.command = argp;
    given.count = 0;
    parse_err = err;
    parse_failed = false;
    parse_command = argv[0];
    error_t failed =
        argp_parse(&whole, argc, argv,
                   (flags & ~(unsigned)CLI_READS_TRACES) | ARGP_NO_EXIT | ARGP_NO_ERRS | ARGP_NO_HELP, NULL, &outer);
    if (failed == ENOMEM) return err_memory(err);
    return failed ? STATUS_USAGE : STATUS_OK;
}

error_t cli_one_argument(const struct argp_state *state, char *argument, const char **first)
{
    if (*first) return cli_usage(state, "unexpected argument '%s' behind '%s'", argument, *first);
    *first = argument;
    return 0;
}

error_t cli_needs_argument(const struct argp_state *state, const char *argument, const char *name)
{
    return argument ? 0 : cli_usage(state, "%s is missing", name);
}

error_t cli_duration(const struct argp_state *state, const char *option, const char *text, double *seconds)
{
    if (units_parse_duration(text, seconds) && *seconds < 9e6) return 0;
    return cli_usage(state, "%s %s, expected a duration as 10us, 1.5ms or 2s", option, text);
}

error_t cli_duration_ps(const struct argp_state *state, const char *option, const char *text, int64_t *ps)
{
    double seconds;
    const char *end;
    if (*text != '-' && units_parse_ps(text, &end, ps) && *end == '\0') return 0; /* exact, as times are in dumps */
    error_t failed = cli_duration(state, option, text, &seconds);
    if (!failed) *ps = units_ps(seconds);
    return failed;
}

error_t cli_size(const struct argp_state *state, const char *option, const char *text, int64_t *bytes)
{
    return units_parse_size(text, bytes) ? 0
                                         : cli_usage(state, "%s %s, expected a size as 4096, 64K or 1M", option, text);
}

error_t cli_count(const struct argp_state *state, const char *option, const char *text, int64_t low, int64_t high,
                  int64_t *count)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end || errno || value < low || value > high)
        return cli_usage(state, "%s %s, expected a whole number from %" PRId64 " to %" PRId64, option, text, low, high);
    *count = value;
    return 0;
}

error_t cli_fraction(const struct argp_state *state, const char *option, const char *text, double *fraction)
{
    /* "5" is 5 %, not five times as much */
    if (units_parse_fraction(text, fraction) && (*fraction <= 1 || strchr(text, '%'))) return 0;
    return cli_usage(state, "%s %s, expected a fraction as 5%% or 0.05", option, text);
}

error_t cli_share(const struct argp_state *state, const char *option, const char *text, double *share)
{
    error_t failed = cli_fraction(state, option, text, share);
    return failed || *share <= 1 ? failed : cli_usage(state, "%s %s, expected at most 100%%", option, text);
}

error_t cli_choice(const struct argp_state *state, const char *option, const char *text, const char *const *names,
                   size_t *index)
{
    char list[300] = "";
    size_t used = 0;
    for (size_t i = 0; names[i]; i++) {
        if (strcmp(names[i], text) == 0) {
            *index = i;
            return 0;
        }
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    return cli_usage(state, "%s %s, expected one of %s", option, text, list);
}

bool cli_next_item(const char **list, char *item, size_t size)
{
    if (!*list) return false;
    size_t length = strcspn(*list, ","), kept = length < size ? length : size - 1;
    memcpy(item, *list, kept);
    item[kept] = '\0';
    *list = (*list)[length] ? *list + length + 1 : NULL;
    return true;
}

error_t cli_add_string(const struct argp_state *state, struct cli_strings *strings, const char *text)
{
    (void)state;
    if (array_reserve((void **)&strings->items, &strings->capacity, strings->count + 1, sizeof text, parse_err) !=
        STATUS_OK)
        return ENOMEM;
    strings->items[strings->count++] = text;
    return 0;
}
