#include "tests/cases/case_platform.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/keys.h"

enum { PAIRS_MAX = 32, PAIR_BYTES = 256, KEY_BYTES = 64 };

static bool is_header(const char *line, const char *name)
{
    size_t length = strlen(name);
    return strncmp(line, "# ", 2) == 0 && strncmp(line + 2, name, length) == 0 && strcmp(line + 2 + length, ":\n") == 0;
}

enum status case_section_open(const char *file, const char *name, struct case_section *section, struct err *err)
{
    *section = (struct case_section){.in = fopen(file, "r")};
    if (!section->in) return err_set(err, STATUS_DATA, file, NULL, "cannot be opened");
    char line[CASE_LINE_BYTES];
    while (fgets(line, sizeof line, section->in)) {
        section->line++;
        if (is_header(line, name)) return STATUS_OK;
    }
    fclose(section->in);
    return err_set(err, STATUS_DATA, file, NULL, "has no section '# %s:'", name);
}

bool case_section_next(struct case_section *section, char line[CASE_LINE_BYTES])
{
    if (!fgets(line, CASE_LINE_BYTES, section->in) || is_header(line, "expected")) return false;
    section->line++;
    size_t length = strcspn(line + 1, "#\n");
    memmove(line, line + 1, length);
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t')) length--;
    line[length] = '\0';
    for (char *c = line; *c; c++)
        if (*c == '\t') *c = ' ';
    return true;
}

/* A word without dots is the key of that name in the first of these sections, but for the words in `others`. */
static const char *const sections[] = {"nodes", "network", "mpi", "mpi.rma.protocol.calls", "mpi.rma", "mapping"};
static const struct {
    const char *word, *path;
} others[] = {{"nodes", "nodes.count"},
              {"loopback_latency_s", "network.loopback.latency_s"},
              {"loopback_bandwidth_Bps", "network.loopback.bandwidth_Bps"},
              {"rma_eager_bytes", "mpi.rma.eager_bytes"}};

/* False: there is no such key. */
static bool find_path(const char *word, size_t length, char path[KEY_BYTES])
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i].word) == length && strncmp(others[i].word, word, length) == 0)
            return snprintf(path, KEY_BYTES, "%s", others[i].path) > 0;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        snprintf(path, KEY_BYTES, "%s.%.*s", sections[i], (int)length, word);
        if (platform_key_find(path)) return true;
    }
    return false;
}

struct pairs {
    char text[PAIRS_MAX][PAIR_BYTES];
    size_t count;
};

static enum status add_pair(struct pairs *pairs, const char *file, const char *word, struct err *err)
{
    const char *value = strchr(word, '=');
    if (!value || pairs->count == PAIRS_MAX - 1)
        return err_set(err, STATUS_DATA, file, NULL, "'%s', expected key=value, no more than %d", word, PAIRS_MAX - 1);
    size_t length = (size_t)(value++ - word);
    if (strncmp(word, "engines", length) == 0) return STATUS_OK;
    char *text = pairs->text[pairs->count++];
    if (strncmp(word, "nodes_of_ranks", length) == 0 && length > strlen("nodes")) {
        snprintf(text, PAIR_BYTES, "mapping={\"ranks\":[%s]}", value);
        return STATUS_OK;
    }
    if (memchr(word, '.', length)) { /* the whole path */
        snprintf(text, PAIR_BYTES, "%s", word);
        return STATUS_OK;
    }
    char path[KEY_BYTES];
    if (find_path(word, length, path)) {
        snprintf(text, PAIR_BYTES, "%s=%s", path, value);
        return STATUS_OK;
    }
    return err_set(err, STATUS_DATA, file, NULL, "unknown key in '%s'", word);
}

static enum status read_pairs(struct case_section *section, const char *file, struct pairs *pairs, struct err *err)
{
    char line[CASE_LINE_BYTES];
    while (case_section_next(section, line)) {
        char *save;
        for (char *word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save))
            TRY(add_pair(pairs, file, word, err));
    }
    return STATUS_OK;
}

enum status case_platform_open(const char *base, const char *file, char letter, struct platform **platform,
                               struct err *err)
{
    struct pairs pairs = {.count = 0};
    struct case_section section;
    TRY(case_section_open(file, "platform", &section, err));
    enum status status = read_pairs(&section, file, &pairs, err);
    fclose(section.in);
    TRY(status);
    snprintf(pairs.text[pairs.count++], PAIR_BYTES, "mpi.rma.semantics=%c", letter);
    const char *overrides[PAIRS_MAX];
    for (size_t i = 0; i < pairs.count; i++) overrides[i] = pairs.text[i];
    return platform_open(base, overrides, pairs.count, platform, err);
}
