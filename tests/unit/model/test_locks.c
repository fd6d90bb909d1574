/* Which of several later holders shows that a lock was free, though its unlock returns late: locks of rank 4 in
 * recorded traces. */
#include <stdio.h>
#include <string.h>

#include "model/match/locks.h"
#include "model/match/relations.h"
#include "model_test.h"

/* Rank 0's release in us and the ranks whose epochs show it. */
static enum status note_shown(void *context, const struct holding *holding, const struct holding *holder)
{
    char *text = context;
    (void)holder;
    if (holding->origin != 0) return STATUS_OK;
    int length = sprintf(text, "%g", (double)holding->release_ps / US);
    for (int i = 0; i < 2 && holding->shown_by[i]; i++)
        length += sprintf(text + length, " %u", holding->shown_by[i]->rank);
    return STATUS_OK;
}

#define HELD(rank, kind, lock, locked, unlock, unlocked)                                                               \
#rank " 0.0000" #lock " 0.0000" #locked " MPI_Win_lock win=0 target=4 lock=" kind "\n" #rank " 0.0000" #unlock     \
          " 0.0000" #unlocked " MPI_Win_unlock win=0 target=4\n"
#define X(kind, unlocked) HELD(0, kind, 00, 01, 10, unlocked)

static const struct {
    const char *text, *shown;
} rows[] = {
    /* nobody after it; a reader after a reader shows nothing, a reader after a writer and a writer after a reader do */
    {X("exclusive", 30), "30"},
    {X("shared", 30) HELD(1, "shared", 05, 12, 13, 16), "30"},
    {X("exclusive", 30) HELD(1, "shared", 05, 12, 13, 16), "16 1"},
    {X("shared", 30) HELD(1, "exclusive", 05, 12, 13, 16), "16 1"},
    /* a lock that returns as rank 0's unlock begins was granted before; a release at the same time shows nothing new */
    {X("exclusive", 30) HELD(1, "exclusive", 05, 10, 13, 16), "30"},
    {X("exclusive", 16) HELD(1, "exclusive", 05, 12, 13, 16), "16"},
    {X("exclusive", 17) HELD(1, "exclusive", 05, 12, 13, 16), "16 1"},
    /* the earliest release of two; one that is shown itself by the next one */
    {X("exclusive", 30) HELD(1, "shared", 05, 12, 13, 20) HELD(2, "shared", 05, 11, 14, 18), "18 2"},
    {X("exclusive", 30) HELD(1, "shared", 05, 11, 13, 18) HELD(2, "shared", 05, 12, 14, 20), "18 1"},
    {X("exclusive", 30) HELD(1, "exclusive", 05, 12, 13, 25) HELD(2, "exclusive", 05, 14, 15, 16), "16 2"},
    /* rank 2's release is shown by rank 3, a reader, which shows nothing of rank 0, a reader, by itself */
    {X("shared", 30) HELD(2, "exclusive", 05, 12, 13, 25) HELD(3, "shared", 05, 14, 15, 16), "16 2 3"},
    /* rank 1 has the same release by its own unlock: it shows it alone */
    {X("shared", 30) HELD(1, "exclusive", 05, 11, 16, 17) HELD(2, "exclusive", 05, 12, 13, 25)
         HELD(3, "shared", 05, 14, 15, 17),
     "17 1"},
};

static void releases_are_shown_by_later_holders(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000], found[100] = "";
        struct relations relations;
        struct err err;
        snprintf(text, sizeof text, "ranks 5\nwindow 0 comm=0\n%s", rows[i].text);
        struct trace *trace = trace_of(text);
        if (relations_build(trace, &relations, &err) != STATUS_OK) fail_msg("%s", err.text);
        if (locks_visit(&relations, note_shown, found, &err) != STATUS_OK) fail_msg("%s", err.text);
        if (strcmp(found, rows[i].shown) != 0) fail_msg("row %zu: %s, expected %s", i, found, rows[i].shown);
        relations_clear(&relations);
        trace_free(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(releases_are_shown_by_later_holders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
