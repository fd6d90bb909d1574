/* Manual pages and shell completions, made of the tables that --help prints: commands.def and each command's struct argp. */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include "cli/cli.h"

/* commands: the rows of commands.def, ended by a NULL name. */

/* A page of man(7): of a command, or with command NULL of rmacast itself. */
enum status manual_page(const struct command *commands, const struct command *command, FILE *out, struct err *err);

/* A completion script: "bash" or "zsh"; STATUS_USAGE for another shell. */
enum status manual_completion(const struct command *commands, const char *shell, FILE *out, struct err *err);

#endif
