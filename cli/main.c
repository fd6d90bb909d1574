/* rmacast: dispatches to the commands of cli/commands.def, prints at most one line of error, makes the exit status. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal/activity.h"
#include "cli/terminal/color.h"
#include "cli/cli.h"
#include "cli/manual.h"
#include "cli/schemas.h"
#include "common/files/file_claims.h"

enum { EXIT_DATA = 1, EXIT_USAGE = 2, OUTPUT_BYTES = 1 << 20 };

static const struct command commands[] = {
#define COMMAND(NAME, SUMMARY) {#NAME, cmd_##NAME, SUMMARY},
#include "cli/commands.def"
#undef COMMAND
    {NULL, NULL, NULL},
};

static const struct command *find_command(const char *name)
{
    for (const struct command *command = commands; command->name; command++)
        if (strcmp(command->name, name) == 0) return command;
    return NULL;
}

static void print_help(void)
{
    puts("Usage: rmacast COMMAND [OPTION...] [ARGUMENT...]\n"
         "Records one-sided MPI programs, finds their wait states, replays them on\n"
         "described clusters.\n");
    for (const struct command *command = commands; command->name; command++)
        printf("  %-10s %s\n", command->name, command->summary);
    puts(
        "\n'rmacast help COMMAND' tells a command's options. Exit status: 0 done; 1 the\n"
        "data are at fault or a stated tolerance does not hold; 2 wrong usage.");
}

static enum status unknown_command(const char *name, struct err *err)
{
    char list[300] = "";
    size_t used = 0;
    for (const struct command *command = commands; command->name && used < sizeof list; command++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", command->name);
    if (!name) return err_set(err, STATUS_USAGE, NULL, NULL, "the command is missing, expected one of %s", list);
    if (*name == '-') return err_set(err, STATUS_USAGE, NULL, NULL, "unknown option %s, see 'rmacast --help'", name);
    return err_set(err, STATUS_USAGE, NULL, NULL, "unknown command %s, expected one of %s", name, list);
}

/* Not while the terminal is another program's, or is written to all the time. */
static bool shows_activity(const struct command *command)
{
    const bool writes = command->run == cmd_dump || command->run == cmd_generate;
    return isatty(STDERR_FILENO) && command->run != cmd_record && !(writes && isatty(STDOUT_FILENO));
}

static enum status run_command(const struct command *command, int argc, char **argv, struct err *err)
{
    char *name;
    if (asprintf(&name, "rmacast %s", command->name) < 0) return err_memory(err);
    /* A file beyond its limit is an error like a full disk. What record runs keeps the signal that it had. */
    if (command->run != cmd_record) signal(SIGXFSZ, SIG_IGN);
    argv[0] = name;
    if (shows_activity(command)) {
        setvbuf(stdout, NULL, _IOFBF, OUTPUT_BYTES); /* so that a table comes as a whole, when cli_flush() has ended it */
        activity_begin(name);
    }
    enum status status = command->run(argc, argv, err);
    activity_end();
    free(name);
    return status;
}

/* For the build: help --man [COMMAND], help --completion SHELL, help --schemas DIRECTORY. */
static enum status help_as_page(int argc, char **argv, struct err *err)
{
    const struct command *command = argc > 2 ? find_command(argv[2]) : NULL;
    if (argc > 2 && !command) return unknown_command(argv[2], err);
    return manual_page(commands, command, stdout, err);
}

static enum status show_help(int argc, char **argv, struct err *err)
{
    static char option[] = "--help";
    if (argc < 2) {
        print_help();
        return STATUS_OK;
    }
    if (strcmp(argv[1], "--man") == 0) return help_as_page(argc, argv, err);
    if (strcmp(argv[1], "--completion") == 0) return manual_completion(commands, argc > 2 ? argv[2] : "no shell", stdout, err);
    if (strcmp(argv[1], "--schemas") == 0 && argc > 2) return schemas_write(argv[2], err);
    const struct command *command = find_command(argv[1]);
    if (!command) return unknown_command(argv[1], err);
    char *arguments[] = {argv[1], option, NULL};
    return run_command(command, 2, arguments, err);
}

static enum status run_arguments(int argc, char **argv, struct err *err)
{
    if (argc < 2) return unknown_command(NULL, err);
    if (strcmp(argv[1], "--version") == 0) {
        puts("rmacast " RMACAST_VERSION);
        return STATUS_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return show_help(argc - 1, argv + 1, err);
    const struct command *command = find_command(argv[1]);
    if (!command) return unknown_command(argv[1], err);
    return run_command(command, argc - 1, argv + 1, err);
}

int main(int argc, char **argv)
{
    struct err err = {.status = STATUS_OK};
    enum status status = file_claims_begin(&err);
    if (status == STATUS_OK) status = run_arguments(argc, argv, &err);
    status = file_claims_end(status, &err);
    struct err unwritten; /* of less interest than the error before it */
    if (status == STATUS_OK)
        status = cli_flush(&err);
    else
        (void)cli_flush_behind(status, &unwritten);
    if (status == STATUS_OK) return cli_exit_status();
    enum color color = color_wanted(STDERR_FILENO) ? COLOR_ERROR : COLOR_NONE;
    fprintf(stderr, "%srmacast:%s %s\n", color_begin(color), color_end(color), err.text);
    return status == STATUS_USAGE ? EXIT_USAGE : EXIT_DATA;
}
