#include "tests/property/knobs.h"

#include <string.h>

#include "platforms/keys.h"

static const struct knob own[] = {
    {"mpi.rma.semantics",
     {"a", "b", "c", "d", "a", "b", "c", "d",
      "{\"put\":[{\"upto_bytes\":1000,\"waits\":\"complete\"},{\"waits\":\"call\"}],"
      "\"get\":\"complete\",\"accumulate\":\"never\",\"start\":\"returns\"}",
      "{\"put\":[{\"waits\":\"call\",\"posts\":\"group\"}],"
      "\"accumulate\":[{\"upto_bytes\":1000,\"waits\":\"call\"},{\"waits\":\"never\"}]}",
      "{\"put\":[{\"upto_bytes\":1000,\"waits\":\"complete\",\"posts\":\"group\"},"
      "{\"waits\":\"call\"}],\"get\":[{\"waits\":\"complete\",\"posts\":\"group\"}],"
      "\"accumulate\":[{\"upto_bytes\":5000,\"waits\":\"complete\"},{\"waits\":\"never\"}]}"}},
    {"network.overhead_s", {"0", "0", "0", "1e-6", "3e-7"}},
    {"network.gap_s", {"0", "0", "5e-6"}},
    {"network.latency_s", {"1e-5", "1e-5", "0", "3e-7"}},
    {"network.segments", {NULL, NULL, NULL, "[{\"upto_bytes\":8192,\"bandwidth_Bps\":2e9},{\"latency_s\":2e-5}]"}},
    {"nodes.speed", {"1", "1", "2", "0.7"}},
    {"nodes.cores", {"1", "2"}},
    {"nodes.memory_bandwidth_Bps", {"2e10", "2e10", "\"infinite\""}},
    {"mpi.eager_bytes", {"65536", "65536", "0", "1000"}},
    {"mpi.rma.control_bytes", {"0", "0", "64", "5000"}},
    {"mpi.rma.eager_bytes", {"8192", "8192", "0"}},
    {"mpi.rma.window_info_bytes", {"0", "16"}},
    {"mpi.rma.progress", {"hardware", "hardware", "thread", "call", "ranks:1"}},
    {"mpi.rma.thread_delay_s", {"0", "2e-6"}},
    {"mpi.rma.protocol.calls.lock", {"ask,grant", "[]"}},
    {"mpi.rma.protocol.calls.fence",
     {"asserted,issue,acknowledged,barrier", "asserted,issue,barrier,acknowledged,incoming", "issue,acknowledged,barrier"}},
    {"mpi.rma.issue", {"immediate", "immediate", "deferred"}},
    {"mpi.rma.aggregate", {"false", "false", "true"}},
    {"mpi.rma.buffer_bytes", {"\"unlimited\"", "\"unlimited\"", "1000", "100000"}},
    {"mpi.rma.epochs_ahead", {"1", "1", "2", "\"unlimited\""}},
    {"mpi.rma.atomic_s_per_byte",
     {"0", "0", "1e-10", "[{\"upto_bytes\":500,\"fixed_s\":1e-6,\"s_per_byte\":0},{\"s_per_byte\":2e-10}]"}},
    {"engine.contention", {"true", "true", "true", "false"}},
    {"mapping.ranks_per_node", {"1", "1", "1", "2", "3"}},
    {"mapping.round_robin", {"false", "true"}},
    {"network.control_bypass", {"false", "false", "true"}},
    {"network.topology",
     {NULL, NULL, NULL, "{\"type\":\"torus\",\"dimensions\":[4,3],\"hop_latency_s\":1e-6}",
      "{\"type\":\"fat_tree\",\"down\":[3,4],\"up\":[1,2]}"}},
    {"engine.links", {"queue", "free"}},
    {"mpi.rma.protocol.calls.complete",
     {"issue,notify,left", "issue,notify,left", "issue,acknowledged,notify", "issue,query,answer,notify"}},
    {"mpi.rma.protocol.calls.unlock",
     {"issue,acknowledged,release", "issue,acknowledged,release", "issue,acknowledged,release,answer",
      "issue,query,answer,release,answer", "issue,query,answer,release"}},
    {"mpi.rma.protocol.calls.flush", {"issue,acknowledged", "issue,acknowledged", "issue,query,answer"}},
    {"mpi.rma.protocol.local",
     {"left", "left", "left", "copied", "acknowledged", "{\"put\":\"copied\",\"accumulate\":\"acknowledged\"}"}},
    {"mpi.rma.protocol.put_s_per_byte", {"0", "0", "1e-9"}},
    {"mpi.rma.protocol.serves",
     {"{}", "{}", "{}", "{\"put\":\"call\",\"release\":\"call\",\"lock\":\"call\",\"get\":\"call\"}",
      "{\"put\":[{\"upto_bytes\":1000,\"by\":\"thread\"},{\"by\":\"call\"}],\"notification\":\"call\","
      "\"acknowledgement\":\"call\"}",
      "{\"accumulate\":\"call\",\"fetch\":\"hardware\",\"rendezvous\":\"call\",\"clear\":\"call\"}",
      "{\"acknowledgement\":[{\"upto_bytes\":3000,\"by\":\"thread\"},{\"by\":\"hardware\"}],"
      "\"notification\":\"thread\","
      "\"release\":\"thread\","
      "\"clear\":\"thread\"}",
      "{\"get\":[{\"upto_bytes\":1000,\"by\":\"thread\"},{\"by\":\"call\"}],"
      "\"accumulate\":[{\"upto_bytes\":1000,\"by\":\"thread\"},{\"by\":\"call\"}],"
      "\"fetch\":[{\"upto_bytes\":1000,\"by\":\"hardware\"},{\"by\":\"thread\"}]}",
      "{\"put\":[{\"upto_bytes\":7,\"by\":\"call\"},{\"by\":\"thread\"}],"
      "\"rendezvous\":[{\"upto_bytes\":20000,\"by\":\"call\"},{\"by\":\"thread\"}],"
      "\"clear\":[{\"upto_bytes\":20000,\"by\":\"thread\"},{\"by\":\"hardware\"}],"
      "\"lock\":\"thread\"}"}},
    {"mpi.rendezvous", {"direct", "direct", "notified"}},
    {"mpi.rma.window_creation", {"exchange", "exchange", "exchange", "mpich"}},
    {"mpi.init_s", {"0", "0", "3e-6"}},
    {"mpi.rma.protocol.visit", {"enter", "enter", "wait"}},
    {"mpi.rma.protocol.lock_order", {"arrival", "service"}},
    {"mpi.rma.protocol.calls.fence", {NULL, NULL, "asserted,issue,query,answer,barrier", "issue,query,answer,barrier"}},
    {"engine.nic", {"queue", "queue", "pairs"}},
    {"mpi.rma.protocol.linger_s", {"0", "0", "2e-6"}},
    {"mpi.rma.protocol.calls.flush", {NULL, NULL, "issue,query_connected,answer"}}, /* else as above */
    {"mpi.call_s",
     {"{}", "{}", "{\"MPI_Win_start\":1e-6,\"MPI_Win_fence\":2e-6,\"MPI_Win_complete\":3e-7,\"MPI_Win_lock\":1e-6}",
      "{\"MPI_Put\":1e-6,\"MPI_Get\":7e-7,\"MPI_Win_wait\":2e-6,\"MPI_Win_unlock\":1e-6,\"MPI_Win_flush\":3e-6,"
      "\"MPI_Barrier\":1e-6,\"MPI_Send\":2e-6,\"MPI_Recv\":1e-6,\"MPI_Wait\":2e-6,\"MPI_Win_test\":1e-6}"}},
    {"network.two_sided",
     {NULL, NULL, NULL, "{\"latency_s\":5e-7,\"bandwidth_Bps\":3e10}",
      "{\"segments\":[{\"upto_bytes\":100,\"latency_s\":3e-5,\"bandwidth_Bps\":1e9},"
      "{\"latency_s\":2e-6,\"bandwidth_Bps\":8e9}]}"}},
    {"network.loopback",
     {NULL, NULL,
      "{\"latency_s\":4e-7,\"bandwidth_Bps\":1e10,\"two_sided\":{\"latency_s\":1e-7,\"bandwidth_Bps\":2e10},"
      "\"pause\":{\"after_s\":1e-6,\"call_s\":3e-6}}",
      "{\"latency_s\":3e-7,\"bandwidth_Bps\":2e10,\"overhead_s\":2e-7,"
      "\"call_s\":{\"MPI_Win_start\":3e-7,\"MPI_Barrier\":2e-6,\"MPI_Put\":4e-7}}"}},
    {"mpi.pause", {"{}", "{}", "{\"after_s\":3e-6,\"full_s\":2e-5,\"call_s\":2e-6}", "{\"call_s\":1e-6}"}},
    {"mpi.rma.protocol.wait", {"notified", "notified", "confirmed"}},
    {"mpi.rma.protocol.dynamic_put", {"put", "put", "accumulate"}},
    {"mpi.rma.protocol.polls", {"1", "1", "1", "2", "3"}},
    {"mpi.rma.protocol.poll_s", {"0", "1e-6"}},
    {"mpi.rma.protocol.visit", {NULL, NULL, "needed"}}, /* else as above */
    {"mpi.rma.protocol.calls.unlock",
     {NULL, NULL, "issue,release,answer,acknowledged", "issue,query_connected,answer,release,answer"}},
    {"mpi.rma.protocol.get_data", {"direct", "direct", "rendezvous"}},
    {"mpi.rma.protocol.reverse_share",
     {"{}", "{}", "{}", "{}", "{\"put\":0.3,\"get\":0.07,\"accumulate\":0.013}", "{\"put\":0.016}",
      "{\"get\":0.5,\"accumulate\":1}"}},
    {"network.loopback.reverse_share",
     {"{}", "{}", "{}", "{}", "{\"put\":0.3,\"get\":0.07,\"accumulate\":0.013}", "{\"put\":0.4,\"accumulate\":1}",
      "{\"put\":[{\"upto_bytes\":64,\"share\":0.6},{\"share\":-0.2}],\"get\":-0.5}"}},
    {"mpi.rma.protocol.noncontiguous_put", {"put", "put", "accumulate"}},
    {"mpi.rendezvous", {NULL, NULL, "read"}}, /* else as above */
    {"mpi.rma.protocol.calls.flush", {NULL, NULL, NULL, "issue,query_all,answer"}},
    {"mpi.rma.protocol.calls.lock", {NULL, NULL, NULL, "ask"}},
    {"mpi.rma.protocol.calls.fence",
     {NULL, NULL, NULL, "issue,counts,incoming,barrier", "asserted,issue,counts,incoming,barrier",
      "issue,query_connected,answer,barrier"}},
    {"mpi.rma.protocol.calls.complete", {NULL, NULL, NULL, "issue,query_connected,answer,notify"}},
    {"mpi.rma.protocol.calls.unlock",
     {NULL, NULL, NULL, "issue,query_all,answer,release", "issue,query_all,answer,release,answer"}},
};
enum { OWN_COUNT = sizeof own / sizeof *own };

static bool is_own(const char *key)
{
    for (size_t i = 0; i < OWN_COUNT; i++)
        if (strcmp(own[i].key, key) == 0) return true;
    return false;
}

/* A choice of the protocol that has no knob of its own has its default twice, and each other name. */
static bool make_knob(const struct platform_key *key, struct knob *knob)
{
    static const char protocol[] = "mpi.rma.protocol.";
    if (key->kind != KEY_CHOICE || strncmp(key->path, protocol, sizeof protocol - 1) != 0) return false;
    if (strchr(key->path + sizeof protocol - 1, '.') || is_own(key->path)) return false;
    *knob = (struct knob){key->path, {key->names[0]}};
    for (size_t i = 0; key->names[i] && i + 1 < KNOB_VALUES_MAX; i++) knob->values[i + 1] = key->names[i];
    return true;
}

const struct knob *knobs_all(size_t *count)
{
    static struct knob all[KNOBS_MAX];
    static size_t made;
    if (made == 0) {
        memcpy(all, own, sizeof own);
        made = OWN_COUNT;
        for (const struct platform_key *key = platform_keys; key->path && made < KNOBS_MAX; key++)
            if (make_knob(key, &all[made])) made++;
    }
    *count = made;
    return all;
}
_Static_assert(sizeof own / sizeof *own < KNOBS_MAX, "a program holds the value of every knob");

/* Knobs from here on are drawn apart: a seed names the program that it named before there were these knobs. */
enum { FIRST_LATER = OWN_COUNT - 23 };

static uint32_t value_count(const struct knob *knob)
{
    uint32_t count = KNOB_VALUES_MAX;
    while (count > 1 && !knob->values[count - 1]) count--;
    return count;
}

void knobs_turn(struct random *random, uint32_t values[KNOBS_MAX])
{
    bool plain = random_chance(random, 30); /* of the others so much does not hold: monotony, for one */
    struct random apart, *from = random;
    size_t count;
    const struct knob *knobs = knobs_all(&count);
    for (size_t i = 0; i < count; i++) {
        if (i == FIRST_LATER) {
            apart = *random;
            from = &apart;
        }
        values[i] = random_below(from, value_count(&knobs[i]));
        if (plain && i > 0) values[i] = 0;
    }
}

/* What a library's profile says, and a node of its own for each rank. */
static bool is_of_library(const char *key)
{
    static const char protocol[] = "mpi.rma.protocol.";
    bool stays = strcmp(key, "mpi.rma.protocol.linger_s") == 0;
    return (strncmp(key, protocol, sizeof protocol - 1) == 0 && !stays) || strcmp(key, "mpi.rma.progress") == 0 ||
           strcmp(key, "mapping.ranks_per_node") == 0;
}

/* The platform refuses a limited buffer under deferred issue, and a progress rank on a node's only core. */
static bool dropped(const struct program *program, const struct knob *knob)
{
    size_t count;
    const struct knob *knobs = knobs_all(&count);
    if (program->subject == SUBJECT_LIBRARY && is_of_library(knob->key)) return true;
    const bool ranks = strcmp(knob->key, "mpi.rma.progress") == 0;
    if (!ranks && strcmp(knob->key, "mpi.rma.buffer_bytes") != 0) return false;
    for (size_t i = 0; i < count; i++) {
        if (!ranks && strcmp(knobs[i].key, "mpi.rma.issue") == 0) return program->knobs[i] == 2;
        if (ranks && strcmp(knobs[i].key, "nodes.cores") == 0) return program->knobs[i] == 0 && program->knobs[knob - knobs] == 4;
    }
    return false;
}

static size_t make_texts(const struct program *program, char texts[KNOBS_MAX][KNOB_BYTES])
{
    size_t count = 0, all;
    const struct knob *knobs = knobs_all(&all);
    if (program->subject == SUBJECT_LIBRARY) snprintf(texts[count++], KNOB_BYTES, "mpi.profile=mpich-4.0-ucx-tcp");
    for (size_t i = 0; i < all; i++) {
        const char *value = knobs[i].values[program->knobs[i]];
        if (value && program->knobs[i] > 0 && !dropped(program, &knobs[i]))
            snprintf(texts[count++], KNOB_BYTES, "%s=%s", knobs[i].key, value);
    }
    return count;
}

enum status knobs_platform(const struct program *program, const char *extra, struct platform **platform,
                           struct err *err)
{
    char texts[KNOBS_MAX][KNOB_BYTES], nodes[KNOB_BYTES];
    const char *overrides[KNOBS_MAX + 2];
    size_t count = make_texts(program, texts);
    for (size_t i = 0; i < count; i++) overrides[i] = texts[i];
    snprintf(nodes, sizeof nodes, "nodes.count=%d", RANKS_MAX);
    overrides[count++] = nodes;
    if (extra) overrides[count++] = extra;
    return platform_open(KNOBS_BASE, overrides, count, platform, err);
}

void knobs_print(const struct program *program, FILE *out)
{
    char texts[KNOBS_MAX][KNOB_BYTES];
    size_t count = make_texts(program, texts);
    fprintf(out, "--platform %s --set nodes.count=%d", KNOBS_BASE, RANKS_MAX);
    for (size_t i = 0; i < count; i++) fprintf(out, " --set '%s'", texts[i]);
    fputc('\n', out);
}
