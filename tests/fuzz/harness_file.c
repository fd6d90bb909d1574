/* Files that commands read beside traces, platforms and results: configurations, profiles, program models, a bench's results,
 * what pages are made of. An input is commands, one a line behind "$ ", and the files (parts.h) that they find in their directory
 * (command.h). Whatever the files hold, the commands end as they have to, and leave the files as they were, but those behind
 * -o. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/fuzz/command.h"
#include "tests/fuzz/harnesses.h"
#include "tests/fuzz/parts.h"

enum { LINE_BYTES = 1024 };

static void check_file(const char *place, const struct part *parts, size_t index, const char *words)
{
    static char text[FUZZ_ROOM + 1];
    char name[PART_NAME_BYTES], other[PART_NAME_BYTES], path[256], output[PART_NAME_BYTES + 8];
    bool directory;
    if (!parts_name(&parts[index], name, &directory) || directory) return;
    for (size_t i = 1; i < index; i++) {
        if (!parts_name(&parts[i], other, &directory)) continue;
        if (strncmp(other, name, strlen(name)) == 0 || strncmp(other, name, strlen(other)) == 0) return;
    }
    snprintf(output, sizeof output, "-o %s", name);
    if (strstr(words, output)) return;
    snprintf(path, sizeof path, "%s/%s", place, name);
    FILE *in = fopen(path, "r");
    if (!in) fuzz_finding("%s is gone: %s", name, words);
    size_t size = fread(text, 1, sizeof text, in);
    fclose(in);
    if (size != parts[index].size || memcmp(text, parts[index].body, size) != 0)
        fuzz_finding("%s is another file now: %s", name, words);
}

static void run_line(const char *place, const char *line, size_t length, const struct part *parts, size_t count)
{
    static char said[COMMAND_SAID_BYTES];
    char text[LINE_BYTES], all[LINE_BYTES], *words[COMMAND_WORDS_MAX + 2] = {(char *)command_program}, *rest;
    size_t word_count = 1;
    if (length < 3 || length >= sizeof text || line[0] != '$') return;
    snprintf(text, sizeof text, "%.*s", (int)length - 2, line + 2);
    text[strcspn(text, "\n")] = '\0';
    strcpy(all, text);
    for (char *word = strtok_r(text, " ", &rest); word && word_count <= COMMAND_WORDS_MAX; word = strtok_r(NULL, " ", &rest))
        words[word_count++] = word;
    int how = command_run(place, words, said);
    bool may_take_long = strstr(all, "--totals"); /* a program model says how often it repeats */
    if (!may_take_long || !WIFSIGNALED(how) || WTERMSIG(how) != SIGALRM) command_check_end(how, said, all);
    for (size_t i = 1; i < count; i++) check_file(place, parts, i, all);
    command_check_files(place, all);
}

static void run_file(const uint8_t *data, size_t size)
{
    char place[64];
    struct part parts[PARTS_MAX];
    size_t count = parts_split((const char *)data, size, parts);
    command_place(place, sizeof place);
    for (size_t i = 1; i < count; i++) parts_write(place, &parts[i]);
    const char *end = parts[0].body + parts[0].size;
    for (const char *line = parts[0].body; line < end; line += parts_line_length(line, end))
        run_line(place, line, parts_line_length(line, end), parts, count);
    fuzz_remove(place);
}

static size_t mutate_file(struct random *random, uint8_t *data, size_t size, size_t room)
{
    static const char *const lines[] = {"",         "{",      "]",       "nan",         "-1",     "1e308", "ranks 0",
                                        "end",      "()",     "if 0",    "repeat 0",    "DATA",   "\"",    "compute",
                                        "DATA -1",  "a,b,,c", "0,0,0",   "REGION a->b", "99999999999999999999",
                                        "POINTS (0)", "PARAMETER"};
    return parts_mutate(random, lines, sizeof lines / sizeof *lines, data, size, room);
}

const struct fuzz_harness harness_file = {
    .name = "file",
    .summary = "configurations, profiles, models, results of the bench, parts of pages: what commands make of them",
    .run = run_file,
    .mutate = mutate_file,
};
