#include "platforms/keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "platforms/read.h"

static const struct key_rows serve_rows = {sizeof(struct serve_rule), SERVE_RULES_MAX, "by", offsetof(struct serve_rule, by),
                                           NULL, 0},
                             share_rows = {sizeof(struct reverse_rule), REVERSE_RULES_MAX, "share",
                                           offsetof(struct reverse_rule, share), NULL, 0},
                             cost_rows = {sizeof(struct apply_cost), APPLY_COSTS_MAX, "s_per_byte",
                                          offsetof(struct apply_cost, s_per_byte), "fixed_s",
                                          offsetof(struct apply_cost, fixed_s)};

#define REQUIRED NAN
#define OTHER NAN
#define SERVERS "hardware", "thread", "call"
#define AT(MEMBER) .offset = offsetof(struct platform, MEMBER)
#define NAMES(...) .names = (const char *const[]) {__VA_ARGS__, NULL}

#define SECTION(PATH, DEFAULT) {.path = PATH, .kind = KEY_SECTION, .standard = DEFAULT},
#define WHOLE(PATH) {.path = PATH, .kind = KEY_WHOLE},
#define NUMBER(PATH, KIND, MEMBER, DEFAULT, LEAST, MOST)                                                                      \
    {.path = PATH, .kind = KIND, AT(MEMBER), .standard = DEFAULT, .least = LEAST, .most = MOST},
#define OF_NODES(PATH, KIND, MEMBER, ...) NUMBER(PATH, KIND, group.MEMBER, __VA_ARGS__)
#define TIME(PATH, MEMBER) NUMBER(PATH, KEY_TIME, MEMBER, 0, 0, TIME_MOST)
#define SWITCH(PATH, MEMBER, DEFAULT) {.path = PATH, .kind = KEY_SWITCH, AT(MEMBER), .standard = DEFAULT, NAMES("false", "true")},
#define CHOICE(PATH, MEMBER, ...) {.path = PATH, .kind = KEY_CHOICE, AT(MEMBER), NAMES(__VA_ARGS__)},
#define CHOICES CHOICE
#define CHOICE_READ(PATH, READ, DEFAULT, ...) {.path = PATH, .kind = KEY_CHOICE, .standard = DEFAULT, NAMES(__VA_ARGS__)},
#define BY_SIZE(PATH, KIND, MEMBER, ROWS, LEAST, MOST)                                                                        \
    {.path = PATH, .kind = KIND, AT(MEMBER), .least = LEAST, .most = MOST, .rows = &(ROWS)},
#define SERVER(NAME, SERVICE)                                                                                                 \
    {.path = "mpi.rma.protocol.serves." NAME, .kind = KEY_CHOICE, AT(protocol.serves[SERVICE]), .standard = OTHER,            \
     NAMES(SERVERS), .rows = &serve_rows},
#define STEPS(NAME, CALL)                                                                                                     \
    {.path = "mpi.rma.protocol.calls." NAME, .kind = KEY_STEPS, AT(protocol.calls[CALL]), .standard = CALL},
#define OWN(PATH, KIND, MEMBER, READ) {.path = PATH, .kind = KIND, AT(MEMBER), .standard = OTHER},
#define PART(PATH, KIND) {.path = PATH, .kind = KIND, .standard = OTHER},

const struct platform_key platform_keys[] = {
#include "platforms/keys.def"
    {.path = NULL}};

const struct platform_key *platform_key_find(const char *path)
{
    for (const struct platform_key *key = platform_keys; key->path; key++)
        if (strcmp(key->path, path) == 0) return key;
    return NULL;
}

const struct platform_key *platform_key_of(const char *path)
{
    static const struct platform_key upto_bytes = {.path = "upto_bytes", .kind = KEY_LIMIT};
    const struct platform_key *key = platform_key_find(path);
    char above[JSON_PATH_BYTES], beside[JSON_PATH_BYTES];
    const char *last = strrchr(path, *path && path[strlen(path) - 1] == ']' ? '[' : '.');
    if (key || !last || last == path) return key;
    if (strcmp(last, ".upto_bytes") == 0) return &upto_bytes;
    snprintf(above, sizeof above, "%.*s", (int)(last - path), path);
    if (last[-1] == ']') { /* a row of a list, whose values may be in it, or beside it for all rows */
        const char *list = strrchr(above, '.');
        snprintf(beside, sizeof beside, "%.*s%s", list ? (int)(list - above) : (int)strcspn(above, "["), above, last);
        key = platform_key_find(beside);
    }
    if (!key) key = platform_key_of(above);
    return key && (key->kind == KEY_SECTION || key->kind == KEY_WHOLE) ? NULL : key;
}

bool platform_key_chooses(const struct platform_key *key)
{
    return (key->kind == KEY_STEPS || (key->names && key->names[1])) && strncmp(key->path, "mapping.", strlen("mapping.")) != 0;
}

bool platform_key_value(const struct platform_key *key, int index, char value[KEY_VALUE_BYTES])
{
    char text[STEPS_TEXT_BYTES];
    struct call_steps steps;
    size_t used = 1;
    if (key->kind != KEY_STEPS) {
        for (int i = 0; i < index; i++)
            if (!key->names[i]) return false;
        return key->names[index] && snprintf(value, KEY_VALUE_BYTES, "%s", key->names[index]) > 0;
    }
    if (!steps_variant((enum steps_call)key->standard, index, &steps)) return false;
    snprintf(value, KEY_VALUE_BYTES, "[");
    for (char *rest = steps_text(&steps, text), *step; *text && (step = strsep(&rest, ","));)
        used += (size_t)snprintf(value + used, KEY_VALUE_BYTES - used, "%s\"%s\"", used > 1 ? "," : "", step);
    snprintf(value + used, KEY_VALUE_BYTES - used, "]");
    return true;
}

void platform_keys_default(struct platform *platform)
{
    const int64_t all_sizes = INT64_MAX;
    for (const struct platform_key *key = platform_keys; key->path; key++) {
        char *at = (char *)platform + key->offset;
        if (key->rows) memcpy(at, &all_sizes, sizeof all_sizes);
        if (key->kind == KEY_STEPS) *(struct call_steps *)(void *)at = steps_default((enum steps_call)key->standard);
        if (isnan(key->standard) || key->standard == 0 || key->rows || key->kind == KEY_STEPS) continue;
        if (key->kind == KEY_SWITCH)
            *(bool *)at = true;
        else if (key->kind == KEY_COUNT)
            *(int32_t *)(void *)at = (int32_t)key->standard;
        else if (key->kind == KEY_LIMIT || key->kind == KEY_SIZE)
            *(int64_t *)(void *)at = (int64_t)key->standard;
        else
            *(double *)(void *)at = key->standard;
    }
}
