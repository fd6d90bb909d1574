#include "tests/fuzz/parts.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/command.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate_json.h"
#include "tests/fuzz/mutate_text.h"

enum { LINE_BYTES = 1024 };

size_t parts_line_length(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? (size_t)(newline - at) + 1 : (size_t)(end - at);
}

size_t parts_split(const char *text, size_t size, struct part parts[PARTS_MAX])
{
    const char *end = text + size;
    size_t count = 1;
    parts[0] = (struct part){text, text, 0, 0};
    for (const char *at = text; at < end;) {
        size_t length = parts_line_length(at, end);
        if (*at == '@' && count < PARTS_MAX)
            parts[count++] = (struct part){at, at + length, length, 0};
        else
            parts[count - 1].size += length;
        at += length;
    }
    return count;
}

bool parts_name(const struct part *part, char name[PART_NAME_BYTES], bool *directory)
{
    char form[LINE_BYTES] = "";
    memcpy(form, part->line, part->line_length < LINE_BYTES ? part->line_length : LINE_BYTES - 1);
    *directory = strncmp(form, "@/", 2) == 0;
    return sscanf(form, *directory ? "@/ %63s" : "@ %63s", name) == 1 && *name != '/' && *name != '.' &&
           !strstr(name, "..");
}

void parts_write(const char *place, const struct part *part)
{
    char name[PART_NAME_BYTES], path[256];
    bool directory;
    if (!parts_name(part, name, &directory)) return;
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

size_t parts_place(const uint8_t *data, size_t size, struct part parts[PARTS_MAX], char *place, size_t room)
{
    size_t count = parts_split((const char *)data, size, parts);
    fuzz_directory("parts", place, room);
    for (size_t i = 1; i < count; i++) parts_write(place, &parts[i]);
    return count;
}

static size_t change_body(struct random *random, const char *const *lines, size_t line_count, uint8_t *body,
                          size_t size, size_t room)
{
    if (size > 0 && (*body == '{' || *body == '[') && random_below(random, 8) > 0)
        return mutate_json(random, body, size, room);
    if (random_below(random, 3) == 0) return mutate_bytes(random, body, size, room);
    return mutate_lines(random, lines, line_count, body, size, room);
}

size_t parts_mutate(struct random *random, const char *const *lines, size_t line_count, uint8_t *data, size_t size,
                    size_t room)
{
    static uint8_t made[FUZZ_ROOM], body[FUZZ_ROOM];
    struct part parts[PARTS_MAX];
    size_t count = parts_split((const char *)data, size, parts), used = 0;
    if (count < 2 || size > sizeof body) return size;
    size_t changed = 1 + random_below(random, (uint32_t)count - 1);
    uint32_t how = random_below(random, 40);
    for (size_t i = 0; i < count; i++) {
        const char *line = parts[i].line;
        size_t length = parts[i].line_length, body_size = parts[i].size;
        if (i == changed && how == 0) continue; /* is missing */
        memcpy(body, parts[i].body, body_size);
        if (i == changed && how == 1) body_size = 0;
        if (i == changed && how > 2)
            body_size =
                change_body(random, lines, line_count, body, body_size, room < sizeof body ? room : sizeof body);
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
