#include "tests/cases/case_platform.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS_MAX = 32, PAIR_BYTES = 256, LINE_BYTES = 512 };

static const struct {
    const char *key, *path;
} keys[] = {
    {"nodes", "nodes.count"},
    {"cores", "nodes.cores"},
    {"speed", "nodes.speed"},
    {"memory_bandwidth_Bps", "nodes.memory_bandwidth_Bps"},
    {"latency_s", "network.latency_s"},
    {"bandwidth_Bps", "network.bandwidth_Bps"},
    {"overhead_s", "network.overhead_s"},
    {"gap_s", "network.gap_s"},
    {"loopback_latency_s", "network.loopback.latency_s"},
    {"loopback_bandwidth_Bps", "network.loopback.bandwidth_Bps"},
    {"eager_bytes", "mpi.eager_bytes"},
    {"lock", "mpi.rma.lock"},
    {"fence", "mpi.rma.fence"},
    {"buffer_bytes", "mpi.rma.buffer_bytes"},
    {"epochs_ahead", "mpi.rma.epochs_ahead"},
    {"issue", "mpi.rma.issue"},
    {"aggregate", "mpi.rma.aggregate"},
    {"progress", "mpi.rma.progress"},
    {"thread_delay_s", "mpi.rma.thread_delay_s"},
    {"control_bytes", "mpi.rma.control_bytes"},
    {"rma_eager_bytes", "mpi.rma.eager_bytes"},
    {"atomic_s_per_byte", "mpi.rma.atomic_s_per_byte"},
    {"window_info_bytes", "mpi.rma.window_info_bytes"},
    {"ranks_per_node", "mapping.ranks_per_node"},
};

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
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strlen(keys[i].key) != length || strncmp(keys[i].key, word, length) != 0) continue;
        snprintf(text, PAIR_BYTES, "%s=%s", keys[i].path, value);
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
