/* Files that commands read beside traces, platforms and results: configurations, profiles, program models, a bench's results,
 * what pages are made of. An input is commands, one a line behind "$ ", and the files that they find in their directory
 * (command.h): each behind a line "@ NAME", or "@/ NAME" for a directory in its place. Whatever the files hold, the commands end
 * as they have to, and leave the files as they were, but those behind -o. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/fuzz/command.h"
#include "tests/fuzz/harnesses.h"
#include "tests/fuzz/mutate_json.h"
#include "tests/fuzz/mutate_text.h"

enum { PARTS_MAX = 64, NAME_BYTES = 64, LINE_BYTES = 1024 };

/* The line that begins a part, and what is behind it; the first part has no line: the commands. */
struct part {
    const char *line, *body;
    size_t line_length, size;
};

static size_t line_length(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? (size_t)(newline - at) + 1 : (size_t)(end - at);
}

static size_t split(const char *text, size_t size, struct part parts[PARTS_MAX])
{
    const char *end = text + size;
    size_t count = 1;
    parts[0] = (struct part){text, text, 0, 0};
    for (const char *at = text; at < end;) {
        size_t length = line_length(at, end);
        if (*at == '@' && count < PARTS_MAX)
            parts[count++] = (struct part){at, at + length, length, 0};
        else
            parts[count - 1].size += length;
        at += length;
    }
    return count;
}

/* "@ NAME" or "@/ NAME"; false: the name leads elsewhere, or has no letter. */
static bool name_of(const struct part *part, char name[NAME_BYTES], bool *directory)
{
    char form[LINE_BYTES] = "";
    memcpy(form, part->line, part->line_length < LINE_BYTES ? part->line_length : LINE_BYTES - 1);
    *directory = strncmp(form, "@/", 2) == 0;
    return sscanf(form, *directory ? "@/ %63s" : "@ %63s", name) == 1 && *name != '/' && *name != '.' && !strstr(name, "..");
}

static void make_file(const char *place, const struct part *part)
{
    char name[NAME_BYTES], path[256];
    bool directory;
    if (!name_of(part, name, &directory)) return;
    for (char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%s/%.*s", place, (int)(slash - name), name);
        mkdir(path, 0700);
    }
    snprintf(path, sizeof path, "%s/%s", place, name);
    struct stat there;
    if (directory)
        mkdir(path, 0700);
    else if (stat(path, &there) != 0) /* of two parts with one name the first is there */
        command_write(place, name, part->body, part->size);
}

static void check_file(const char *place, const struct part *parts, size_t index, const char *words)
{
    static char text[FUZZ_ROOM + 1];
    char name[NAME_BYTES], other[NAME_BYTES], path[256], output[NAME_BYTES + 8];
    bool directory;
    if (!name_of(&parts[index], name, &directory) || directory) return;
    for (size_t i = 1; i < index; i++) {
        if (!name_of(&parts[i], other, &directory)) continue;
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
    size_t count = split((const char *)data, size, parts);
    command_place(place, sizeof place);
    for (size_t i = 1; i < count; i++) make_file(place, &parts[i]);
    const char *end = parts[0].body + parts[0].size;
    for (const char *line = parts[0].body; line < end; line += line_length(line, end))
        run_line(place, line, line_length(line, end), parts, count);
    fuzz_remove(place);
}

/* Changes a file's bytes in place; returns how many there are then. */
static size_t change_body(struct random *random, uint8_t *body, size_t size, size_t room)
{
    static const char *const lines[] = {"",         "{",      "]",       "nan",         "-1",     "1e308", "ranks 0",
                                        "end",      "()",     "if 0",    "repeat 0",    "DATA",   "\"",    "compute",
                                        "DATA -1",  "a,b,,c", "0,0,0",   "REGION a->b", "99999999999999999999",
                                        "POINTS (0)", "PARAMETER"};
    if (size > 0 && (*body == '{' || *body == '[') && random_below(random, 8) > 0) return mutate_json(random, body, size, room);
    if (random_below(random, 3) == 0) return mutate_bytes(random, body, size, room);
    return mutate_lines(random, lines, sizeof lines / sizeof *lines, body, size, room);
}

static size_t mutate_file(struct random *random, uint8_t *data, size_t size, size_t room)
{
    static uint8_t made[FUZZ_ROOM], body[FUZZ_ROOM];
    struct part parts[PARTS_MAX];
    size_t count = split((const char *)data, size, parts), used = 0;
    if (count < 2 || size > sizeof body) return size;
    size_t changed = 1 + random_below(random, (uint32_t)count - 1);
    uint32_t how = random_below(random, 40);
    for (size_t i = 0; i < count; i++) {
        const char *line = parts[i].line;
        size_t length = parts[i].line_length, body_size = parts[i].size;
        if (i == changed && how == 0) continue; /* is missing */
        memcpy(body, parts[i].body, body_size);
        if (i == changed && how == 1) body_size = 0;
        if (i == changed && how > 2) body_size = change_body(random, body, body_size, room < sizeof body ? room : sizeof body);
        if (used + length + body_size + 1 > room || used + length + body_size + 1 > sizeof made) return size;
        memcpy(made + used, line, length);
        used += length;
        if (i == changed && how == 2 && length > 1) { /* "@ NAME" to "@/ NAME" */
            memmove(made + used - length + 2, made + used - length + 1, length - 1);
            made[used - length + 1] = '/';
            used++;
        }
        memcpy(made + used, body, body_size);
        used += body_size;
    }
    memcpy(data, made, used);
    return used;
}

const struct fuzz_harness harness_file = {
    .name = "file",
    .summary = "configurations, profiles, models, results of the bench, parts of pages: what commands make of them",
    .run = run_file,
    .mutate = mutate_file,
};
