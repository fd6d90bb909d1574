/* The rows of platforms/keys.def against the table of keys in docs/platforms.md, and against the reader. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "platforms/keys.h"
#include "tests/unit/platforms/platform_test.h"

enum { DOCUMENTED_MAX = 200, LINE_BYTES = 2000 };

/* A key of the table; a line with several keys is several of these. */
struct documented {
    char path[128], standard[64], meaning[LINE_BYTES];
};
static struct documented documented[DOCUMENTED_MAX];
static size_t documented_count;

/* "| `a.b`, `.d` | default | meaning |": the second key is a.d. */
static void add_line(char *line)
{
    char *standard = strstr(line, " | "), *meaning = standard ? strstr(standard + 3, " | ") : NULL, section[128] = "";
    if (!meaning) fail_msg("not three columns: %s", line);
    *standard = *meaning = '\0';
    for (char *at = strchr(line, '`'); at; at = strchr(at + 1, '`')) {
        struct documented *key = &documented[documented_count++];
        char *end = strchr(at + 1, '`');
        assert_true(end && documented_count < DOCUMENTED_MAX);
        *end = '\0';
        snprintf(key->path, sizeof key->path, "%s%s", at[1] == '.' ? section : "", at + 1);
        snprintf(key->standard, sizeof key->standard, "%s", standard + 3);
        snprintf(key->meaning, sizeof key->meaning, "%s", meaning + 3);
        snprintf(section, sizeof section, "%s", key->path);
        *strrchr(strchr(section, '.') ? section : strcpy(section, "."), '.') = '\0';
        at = end;
    }
}

static void read_table(void)
{
    char line[LINE_BYTES] = "";
    FILE *in = fopen("docs/platforms.md", "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in) && strcmp(line, "## Keys\n") != 0) continue;
    while (fgets(line, sizeof line, in) && strncmp(line, "**", 2) != 0)
        if (strncmp(line, "| `", 3) == 0) add_line(line);
    fclose(in);
    assert_true(documented_count > 50);
}

static const struct documented *find_documented(const char *path)
{
    for (size_t i = 0; i < documented_count; i++)
        if (strcmp(documented[i].path, path) == 0) return &documented[i];
    return NULL;
}

/* The table says "x" of a name and x of a number. A default that is another key's value is its name in backticks. */
static void check_default(const struct platform_key *key, const struct documented *row)
{
    char text[64], *end;
    if (row->standard[0] == '`' && row->standard[1] != '"') return;
    if (key->kind == KEY_CHOICE) {
        snprintf(text, sizeof text, "`\"%s\"`", key->names[(int)key->standard]);
        assert_string_equal(row->standard, text);
    } else if (key->kind == KEY_SWITCH) {
        assert_string_equal(row->standard, key->names[(int)key->standard]);
    } else if (strtod(row->standard, &end) != key->standard || *end) {
        fail_msg("%s: the default is %g, docs/platforms.md says %s", key->path, key->standard, row->standard);
    }
}

/* What a reader of its own reads may be told with the section that has it. */
static void documents_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < documented_count; i++)
        if (!platform_key_find(documented[i].path) && !platform_key_of(documented[i].path))
            fail_msg("docs/platforms.md: %s is no key", documented[i].path);
    for (const struct platform_key *key = platform_keys; key->path; key++) {
        char above[128];
        const struct documented *row = find_documented(key->path);
        snprintf(above, sizeof above, "%s", key->path);
        if (key->kind == KEY_SECTION || key->kind == KEY_WHOLE) continue;
        for (char *dot; !row && isnan(key->standard) && (dot = strrchr(above, '.')); row = find_documented(above)) *dot = '\0';
        if (!row) fail_msg("docs/platforms.md does not say what %s is", key->path);
        if (!isnan(key->standard)) check_default(key, row);
        for (size_t i = 1; row == find_documented(key->path) && key->kind == KEY_CHOICE && key->names[i]; i++)
            if (!strstr(row->meaning, key->names[i]))
                fail_msg("docs/platforms.md does not say what %s = %s is", key->path, key->names[i]);
    }
}

static enum status open_with(const char *path, const char *value)
{
    char override[256];
    const char *const overrides[] = {"network.loopback.latency_s=0", "network.loopback.bandwidth_Bps=1e9", override};
    struct platform *platform = NULL;
    struct err err;
    snprintf(override, sizeof override, "%s=%s", path, value);
    enum status status = platform_from_text(PLATFORM_TEXT("", "", ""), overrides, 3, &platform, &err);
    platform_free(platform);
    return status;
}

static void check_number(const struct platform_key *key, double value, enum status expected)
{
    char text[64];
    snprintf(text, sizeof text, "%.17g", value);
    if (open_with(key->path, text) != expected) fail_msg("%s = %s: not %d", key->path, text, expected);
}

/* The limits are values, the next number beyond is none; each name is one, and no other text. */
static void limits_hold(void **state)
{
    (void)state;
    size_t numbers = 0, names = 0;
    for (const struct platform_key *key = platform_keys; key->path; key++) {
        char value[KEY_VALUE_BYTES];
        const bool named = platform_key_chooses(key) && key->kind != KEY_SWITCH;
        for (int i = 0; named && platform_key_value(key, i, value); i++, names++)
            if (open_with(key->path, value) != STATUS_OK) fail_msg("%s = %s is no value", key->path, value);
        if (key->kind == KEY_CHOICE || key->kind == KEY_SWITCH || key->kind == KEY_STEPS)
            assert_int_equal(open_with(key->path, "\"none\""), STATUS_USAGE);
        if (key->most == 0) continue;
        const bool whole = key->kind == KEY_COUNT || key->kind == KEY_SIZE || key->kind == KEY_LIMIT;
        check_number(key, key->least, STATUS_OK);
        check_number(key, key->most, STATUS_OK);
        check_number(key, whole ? key->least - 1 : nextafter(key->least, -INFINITY), STATUS_USAGE);
        check_number(key, whole ? key->most + 1 : nextafter(key->most, INFINITY), STATUS_USAGE);
        numbers++;
    }
    assert_true(numbers > 30 && names > 50);
}

int main(void)
{
    read_table();
    const struct CMUnitTest tests[] = {cmocka_unit_test(documents_agree), cmocka_unit_test(limits_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
