#include "tests/cases/case_platform.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/keys.h"

enum { PAIRS_MAX = 32, PAIR_BYTES = 256, KEY_BYTES = 64, LINE_BYTES = 512 };

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

static enum status read_pairs(FILE *in, const char *file, struct pairs *pairs, struct err *err)
{
    char line[LINE_BYTES];
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "#\n")] = '\0';
        char *save;
        for (char *word = strtok_r(line, " \t", &save); word; word = strtok_r(NULL, " \t", &save))
            TRY(add_pair(pairs, file, word, err));
    }
    return STATUS_OK;
}

enum status case_platform_open(const char *base, const char *file, char letter, struct platform **platform,
                               struct err *err)
{
    struct pairs pairs = {.count = 0};
    FILE *in = fopen(file, "r");
    if (!in) return err_set(err, STATUS_DATA, file, NULL, "cannot be opened");
    enum status status = read_pairs(in, file, &pairs, err);
    fclose(in);
    TRY(status);
    snprintf(pairs.text[pairs.count++], PAIR_BYTES, "mpi.rma.semantics=%c", letter);
    const char *overrides[PAIRS_MAX];
    for (size_t i = 0; i < pairs.count; i++) overrides[i] = pairs.text[i];
    return platform_open(base, overrides, pairs.count, platform, err);
}
