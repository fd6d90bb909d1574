/* What is said of ranks that share cores, or a node: counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "predictors/crowding.h"

#define SHARE(nodes, ranks, cores, node, times)                                                                        \
    "more ranks than cores on " nodes ": " ranks " ranks share the " cores " of node " node ", so that computing takes "   \
    times " times as long there (nodes.cores, mapping)"
#define TOGETHER(ranks)                                                                                                \
    "all " ranks " ranks are on one of 3 nodes, so no message crosses the network (mapping.ranks_per_node)"

static void crowded_nodes_are_told(void **state)
{
    static const struct {
        int32_t nodes[7];
        uint32_t ranks;
        int32_t node_count, cores;
        const char *notes[2];
    } rows[] = {
        {{0, 0, 1}, 3, 3, 2, {NULL}}, /* as many ranks as cores */
        {{0, 0, 0, 1}, 4, 3, 2, {SHARE("1 node", "3", "2 cores", "0", "1.5")}},
        {{0, 1, 0, 1, 0, 1}, 6, 3, 2, {SHARE("2 nodes", "3", "2 cores", "0", "1.5")}}, /* of equal ones the first */
        {{1, 1, 1, 2, 2, 2, 2}, 7, 3, 2, {SHARE("2 nodes", "4", "2 cores", "2", "2")}},
        {{0, 1, 1}, 3, 3, 1, {SHARE("1 node", "2", "1 core", "1", "2")}},
        {{2, 2}, 2, 3, 2, {TOGETHER("2")}},
        {{2, 2, 2}, 3, 3, 2, {TOGETHER("3"), SHARE("1 node", "3", "2 cores", "2", "1.5")}},
        {{1}, 1, 3, 2, {NULL}},       /* a rank alone */
        {{0, 0}, 2, 1, 2, {NULL}},    /* there is no other node */
        {{0, 0, 0, 0, 1}, 5, 2, 4, {NULL}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct node_group group = {.count = rows[i].node_count, .cores = rows[i].cores, .speed = 1};
        struct platform platform = {.node_count = rows[i].node_count, .groups = &group, .group_count = 1};
        int32_t nodes[7];
        struct result *result;
        struct err err;
        size_t expected = 0;
        memcpy(nodes, rows[i].nodes, sizeof nodes);
        platform.rank_nodes = nodes;
        assert_int_equal(result_new(rows[i].ranks, &result, &err), STATUS_OK);
        assert_int_equal(crowding_note(&platform, rows[i].ranks, result, &err), STATUS_OK);
        while (expected < 2 && rows[i].notes[expected]) expected++;
        if (result->note_count != expected) fail_msg("row %zu: %zu notes", i, result->note_count);
        for (size_t n = 0; n < expected; n++) assert_string_equal(result->notes[n], rows[i].notes[n]);
        result_free(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crowded_nodes_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
