#include "cli/manual.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "predictors/transforms/transform.h"
#include "trace/generate/generate.h"

struct described { /* what is printed of each command while its table is there */
    const struct command *command;
    FILE *out;
    void (*print)(const struct described *described, const struct argp *argp, const struct argp_option *const *options,
                  size_t count);
    struct err *err;
    enum status status;
};

static int by_name(const void *one, const void *other)
{
    return strcmp((*(const struct argp_option *const *)one)->name, (*(const struct argp_option *const *)other)->name);
}

static enum status list_options(const struct argp *argp, const struct argp_option ***options, size_t *count, size_t *capacity,
                                struct err *err)
{
    for (const struct argp_option *option = argp->options; option && (option->name || option->key); option++)
        if (option->name && !(option->flags & OPTION_HIDDEN)) ARRAY_PUSH(*options, *count, *capacity, option, err);
    for (const struct argp_child *child = argp->children; child && child->argp; child++)
        TRY(list_options(child->argp, options, count, capacity, err));
    return STATUS_OK;
}

static void describe_options(void *context, const struct argp *argp)
{
    struct described *described = context;
    const struct argp_option **options = NULL;
    size_t count = 0, capacity = 0;
    const struct argp common = {.options = cli_common_options};
    described->status = list_options(argp, &options, &count, &capacity, described->err);
    if (described->status == STATUS_OK) described->status = list_options(&common, &options, &count, &capacity, described->err);
    if (described->status == STATUS_OK) {
        qsort(options, count, sizeof *options, by_name);
        described->print(described, argp, options, count);
    }
    free(options);
}

static enum status describe_command(struct described *described)
{
    char name[64];
    char *arguments[] = {name, NULL};
    struct err stopped;
    snprintf(name, sizeof name, "rmacast %s", described->command->name);
    cli_describe(describe_options, described);
    described->command->run(1, arguments, &stopped); /* stops where it would parse its arguments */
    cli_describe(NULL, NULL);
    return described->status;
}

static bool is_short(const struct argp_option *option)
{
    return option->key > ' ' && option->key < 0x7f;
}

/* --- man(7) --- */

static void write_roff(FILE *out, const char *text)
{
    static const struct {
        char character;
        const char *written;
    } escapes[] = {{'-', "\\-"}, {'\\', "\\e"}, {'\'', "\\(aq"}, {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
    fputs("\\&", out); /* a dot that begins the line is none of roff's */
    for (; *text; text++) {
        const char *written = NULL;
        for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
            if (*text == escapes[i].character) written = escapes[i].written;
        if (written)
            fputs(written, out);
        else
            fputc(*text, out);
    }
}

static void write_section(FILE *out, const char *title, const char *text)
{
    fprintf(out, ".SH %s\n", title);
    write_roff(out, text);
    fputc('\n', out);
}

static void write_title(FILE *out, const char *name, const char *summary)
{
    fputs(".TH \"", out);
    for (const char *at = name; *at; at++) fputc(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at, out);
    fputs("\" 1 \"\" \"rmacast " RMACAST_VERSION "\" \"rmacast\"\n.SH NAME\n", out);
    write_roff(out, name);
    fputs(" \\- ", out);
    write_roff(out, summary);
    fputc('\n', out);
}

static void write_end(FILE *out, const char *see_also)
{
    write_section(
        out, "EXIT STATUS",
        "0: done. 1: the data are at fault, or a stated tolerance does not hold. 2: wrong usage. An error is one line on "
        "standard error.");
    write_section(out, "SEE ALSO", see_also);
}

static void write_option(FILE *out, const struct argp_option *option)
{
    fputs(".TP\n\\fB", out);
    if (is_short(option)) fprintf(out, "\\-%c\\fR, \\fB", option->key);
    fputs("\\-\\-", out);
    write_roff(out, option->name);
    fputs("\\fR", out);
    if (option->arg) {
        fputs(option->flags & OPTION_ARG_OPTIONAL ? "[=\\fI" : "=\\fI", out);
        write_roff(out, option->arg);
        fputs(option->flags & OPTION_ARG_OPTIONAL ? "\\fR]" : "\\fR", out);
    }
    fputc('\n', out);
    write_roff(out, option->doc);
    fputc('\n', out);
}

/* Each line of args_doc is a way to call the command. */
static void write_synopsis(FILE *out, const char *name, const char *arguments)
{
    fputs(".SH SYNOPSIS\n", out);
    while (arguments) {
        size_t length = strcspn(arguments, "\n");
        char line[256];
        snprintf(line, sizeof line, "%.*s", (int)length, arguments);
        fprintf(out, "\\fBrmacast %s\\fR [\\fIOPTION\\fR...] ", name);
        write_roff(out, line);
        arguments = arguments[length] ? arguments + length + 1 : NULL;
        fputs(arguments ? "\n.br\n" : "\n", out);
    }
}

static void print_page(const struct described *described, const struct argp *argp, const struct argp_option *const *options,
                       size_t count)
{
    char name[64];
    snprintf(name, sizeof name, "rmacast-%s", described->command->name);
    write_title(described->out, name, described->command->summary);
    write_synopsis(described->out, described->command->name, argp->args_doc ? argp->args_doc : "");
    write_section(described->out, "DESCRIPTION", argp->doc ? argp->doc : described->command->summary);
    fputs(".SH OPTIONS\n", described->out);
    for (size_t i = 0; i < count; i++) write_option(described->out, options[i]);
    write_end(described->out, "rmacast(1)");
}

static void print_overview(const struct command *commands, FILE *out)
{
    write_title(out, "rmacast", "records one-sided MPI programs, finds their wait states, replays them on described clusters");
    fputs(".SH SYNOPSIS\n\\fBrmacast\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n.SH COMMANDS\n", out);
    for (; commands->name; commands++) {
        fprintf(out, ".TP\n\\fBrmacast\\-%s\\fR(1)\n", commands->name);
        write_roff(out, commands->summary);
        fputc('\n', out);
    }
    write_end(out, "The documents that are installed in share/doc/rmacast.");
}

enum status manual_page(const struct command *commands, const struct command *command, FILE *out, struct err *err)
{
    struct described described = {.command = command, .out = out, .print = print_page, .err = err};
    if (command) return describe_command(&described);
    print_overview(commands, out);
    return STATUS_OK;
}

/* --- completions --- */

/* The values of an option, or of a command's first argument, with blanks between them; empty: files, or anything. */
static const char *values_of(const char *command, const char *option)
{
    static char words[2000];
    static const struct {
        const char *option, *words, *of; /* of: the command; NULL: all */
    } rows[] = {{"compute", "", "generate"},
                {"engine", "simgrid loggp", NULL},
                {"platform", "two-nodes four-nodes ethernet-16 infiniband-64 dragonfly-512 ideal", NULL},
                {"semantics", "a b c d platform", NULL},
                {"rows", "a b c d platform a,b,c,d", NULL},
                {"progress", "hardware thread call ranks:1", NULL},
                {"lock", "blocking lazy", NULL},
                {"fence", "barrier notify", NULL},
                {"sync", "pscw fence lock flush p2p", NULL},
                {"compute", "wall cpu undisturbed", NULL},
                {"late-post", "latest earliest", NULL},
                {"lost", "parallel all", NULL},
                {"efficiency", "regions callpaths", NULL},
                {"window", "create allocate dynamic", "probe"},
                {"clock", "tsc monotonic", NULL},
                {"model", "base extended closed logical dependencies", "export"},
                {"to", "otf2 chrome paje csv cube extrap goal", "export"}};
    const bool rewrites = option && strcmp(option, "rewrite") == 0;
    words[0] = '\0';
    for (const struct transform *const *row = transforms(); rewrites && *row; row++)
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s%s", row == transforms() ? "" : " ", (*row)->name,
                 (*row)->argument ? ":" : "");
    for (const char *const *row = generate_patterns(); !option && strcmp(command, "generate") == 0 && *row; row++)
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", row == generate_patterns() ? "" : " ", *row);
    if (!option && strcmp(command, "platform") == 0) return "show check profiles plot diff export";
    for (size_t i = 0; option && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].option, option) == 0 && (!rows[i].of || strcmp(rows[i].of, command) == 0)) return rows[i].words;
    return words;
}

/* A case of bash: the command's options as words, and the values of those that have some. */
static void print_bash(const struct described *described, const struct argp *argp, const struct argp_option *const *options,
                       size_t count)
{
    (void)argp;
    fprintf(described->out, "        %s) options=\"", described->command->name);
    for (size_t i = 0; i < count; i++)
        fprintf(described->out, "%s--%s%s", i ? " " : "", options[i]->name,
                options[i]->arg && !(options[i]->flags & OPTION_ARG_OPTIONAL) ? "=" : "");
    fputs("\"\n            _rmacast_values() { case $1 in", described->out);
    for (size_t i = 0; i < count; i++)
        if (*values_of(described->command->name, options[i]->name))
            fprintf(described->out, " --%s) echo %s ;;", options[i]->name, values_of(described->command->name, options[i]->name));
    fprintf(described->out, " first) echo %s ;; esac; } ;;\n", values_of(described->command->name, NULL));
}

/* Text inside quotes of a shell, with a backslash before the characters of special. */
static void print_quoted(const char *text, const char *special, FILE *out)
{
    for (const char *at = text; *at; at++) {
        if (strchr(special, *at)) fputc('\\', out);
        fputs(*at == '\'' ? "'\\''" : (const char[]){*at, '\0'}, out);
    }
}

/* A function of zsh: _arguments of the command. In an explanation ':', '[' and ']' end it. */
static void print_zsh(const struct described *described, const struct argp *argp, const struct argp_option *const *options,
                      size_t count)
{
    (void)argp;
    fprintf(described->out, "        %s)\n            _arguments \\\n", described->command->name);
    for (size_t i = 0; i < count; i++) {
        const struct argp_option *option = options[i];
        fprintf(described->out, "                '*--%s%s[", option->name,
                !option->arg ? "" : option->flags & OPTION_ARG_OPTIONAL ? "=-" : "=");
        print_quoted(option->doc, ":[]\\", described->out);
        const char *values = values_of(described->command->name, option->name);
        fprintf(described->out, "]%s%s%s%s%s' \\\n", option->arg ? ":" : "", option->arg ? option->arg : "",
                !option->arg ? "" : *values ? ":(" : ":_files", option->arg ? values : "", option->arg && *values ? ")" : "");
    }
    const char *first = values_of(described->command->name, NULL);
    if (*first) fprintf(described->out, "                '1:what:(%s)' \\\n", first);
    fputs("                '*:file:_files' ;;\n", described->out);
}

static const char bash_begin[] = "# Completion of rmacast for bash, made of the tables that 'rmacast help' prints.\n"
                                 "_rmacast()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} options=\n    COMPREPLY=()\n"
                                 "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"";
static const char bash_middle[] = "\" -- \"$word\"))\n        return\n    fi\n    _rmacast_values() { :; }\n"
                                  "    case ${COMP_WORDS[1]} in\n";
static const char bash_end[] =
    "    esac\n    local option=${COMP_WORDS[COMP_CWORD - 1]} values=\n    [ \"$word\" != = ] || word=\n"
    "    [ \"$option\" != = ] || option=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    [[ ${COMP_WORDS[COMP_CWORD]} != = ]] || option=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    [[ $option == --* ]] && values=$(_rmacast_values \"$option\")\n"
    "    [ \"$COMP_CWORD\" -ne 2 ] || values=$(_rmacast_values first)\n"
    "    if [[ -n $values && $word != -* ]]; then\n        COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
    "        [ ${#COMPREPLY[@]} -eq 0 ] || return\n    fi\n"
    "    case $word in\n        -*)\n            COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
    "            [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null ;;\n"
    "        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n    esac\n}\n"
    "complete -o filenames -F _rmacast rmacast\n";
static const char zsh_begin[] =
    "#compdef rmacast\n# Completion of rmacast for zsh, made of the tables that 'rmacast help' prints.\n"
    "local -a commands\ncommands=(";
static const char zsh_middle[] =
    ")\nif (( CURRENT == 2 )); then\n    _describe command commands\nelse\n    local command=$words[2]\n"
    "    shift words\n    (( CURRENT-- ))\n    case $command in\n";
static const char zsh_end[] = "    esac\nfi\n";

struct shell {
    const char *name, *begin, *middle, *end;
    void (*print)(const struct described *described, const struct argp *argp, const struct argp_option *const *options,
                  size_t count);
    bool explains; /* the list of commands has their summaries */
};

static const struct shell shells[] = {
    {"bash", bash_begin, bash_middle, bash_end, print_bash, false},
    {"zsh", zsh_begin, zsh_middle, zsh_end, print_zsh, true},
};

static enum status print_completion(const struct command *commands, const struct shell *shell, FILE *out, struct err *err)
{
    fputs(shell->begin, out);
    for (const struct command *command = commands; command->name; command++) {
        fprintf(out, shell->explains ? "'%s:" : "%s ", command->name);
        if (!shell->explains) continue;
        print_quoted(command->summary, "", out);
        fputs("' ", out);
    }
    fputs(shell->explains ? "'help:what the commands and their options are'" : "help", out);
    fputs(shell->middle, out);
    for (const struct command *command = commands; command->name; command++) {
        struct described described = {.command = command, .out = out, .print = shell->print, .err = err};
        TRY(describe_command(&described));
    }
    fputs(shell->end, out);
    return STATUS_OK;
}

enum status manual_completion(const struct command *commands, const char *shell, FILE *out, struct err *err)
{
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, shell) == 0) return print_completion(commands, &shells[i], out, err);
    return err_set(err, STATUS_USAGE, NULL, NULL, "no completion for %s, expected bash or zsh", shell);
}
