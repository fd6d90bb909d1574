/* Epochs and messages of a page's time lines, in microseconds by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "model_test.h"
#include "report/views.h"

/* The views of a trace that begins at 0, in a window of microseconds. */
static cJSON *views_of(const char *text, int from_us, int until_us)
{
    struct trace *trace = trace_of(text);
    struct relations relations;
    struct err err = {.text = ""};
    char *written = NULL;
    size_t bytes;
    const struct views_window window = {0, from_us * US, until_us * US};
    if (relations_build(trace, &relations, &err) != STATUS_OK) fail_msg("%s", err.text);
    FILE *out = open_memstream(&written, &bytes);
    fputs("{\"first\":0", out);
    assert_int_equal(views_write(&relations, &window, out, &err), STATUS_OK);
    fputc('}', out);
    fclose(out);
    cJSON *json = cJSON_Parse(written);
    assert_non_null(json);
    free(written);
    relations_clear(&relations);
    trace_free(trace);
    return json;
}

/* Whether a list has the rows, with times in microseconds: "0 1 5 ..." each, joined by commas. columns: bits of those that are
 * times. */
static void expect_list(const cJSON *list, unsigned columns, const char *expected)
{
    char found[2000] = "";
    size_t used = 0;
    const cJSON *row, *item;
    cJSON_ArrayForEach (row, list) {
        int column = 0;
        if (used > 0) used += (size_t)snprintf(found + used, sizeof found - used, ", ");
        cJSON_ArrayForEach (item, row) {
            const double unit = columns >> column & 1 ? (double)US : 1;
            used += (size_t)snprintf(found + used, sizeof found - used, "%s%g", column++ ? " " : "", item->valuedouble / unit);
        }
    }
    assert_string_equal(found, expected);
}

enum { EPOCH_TIMES = 2 | 4, ARROW_TIMES = 4 | 16 };

#define AT(RANK, FROM, TO, CALL) #RANK " 0.0000" #FROM " 0.0000" #TO " " CALL "\n"
static const char epochs[] =
    "ranks 2\nwindow 0 comm=0\nwindow 1 comm=0\n"
    AT(0, 01, 04, "MPI_Win_fence win=0") AT(0, 05, 06, "MPI_Put win=0 target=1 bytes=8") AT(0, 07, 10, "MPI_Win_fence win=0")
    AT(0, 12, 14, "MPI_Win_start win=1 group=1") AT(0, 15, 16, "MPI_Put win=1 target=1 bytes=8")
    AT(0, 17, 20, "MPI_Win_complete win=1") AT(0, 30, 32, "MPI_Win_lock win=1 target=1 lock=shared")
    AT(0, 33, 34, "MPI_Put win=1 target=1 bytes=8") AT(0, 35, 36, "MPI_Put win=1 target=1 bytes=8")
    AT(0, 37, 40, "MPI_Win_unlock win=1 target=1") AT(0, 50, 51, "MPI_Win_lock_all win=1") AT(0, 60, 61, "MPI_Barrier comm=0")
    AT(1, 02, 04, "MPI_Win_fence win=0") AT(1, 08, 10, "MPI_Win_fence win=0")
    AT(1, 11, 12, "MPI_Win_post win=1 group=0") AT(1, 18, 21, "MPI_Win_wait win=1") AT(1, 60, 61, "MPI_Barrier comm=0");

/* [rank, from, duration, band, window, target, partners, operations]: bands are start, lock, lock_all, fence and post. A fence
 * epoch begins when the fence returns, others with their call; the lock_all lasts to the end of its rank. The window has what
 * ends or begins in it. */
static void epochs_of_all_kinds(void **state)
{
    static const struct {
        int from_us, until_us;
        const char *rows;
    } rows[] = {
        {0, 100, "0 4 6 3 0 -1 0 1, 0 12 8 0 1 -1 1 1, 0 30 10 1 1 1 0 2, 0 50 11 2 1 -1 0 0, 1 11 10 4 1 -1 1 0"},
        {0, 4, "0 4 6 3 0 -1 0 1"},
        {0, 3, ""},
        {10, 11, "0 4 6 3 0 -1 0 1, 1 11 10 4 1 -1 1 0"},
        {21, 29, "1 11 10 4 1 -1 1 0"},
        {22, 29, ""},
        {61, 99, "0 50 11 2 1 -1 0 0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cJSON *json = views_of(epochs, rows[i].from_us, rows[i].until_us);
        expect_list(cJSON_GetObjectItem(json, "epochs"), EPOCH_TIMES, rows[i].rows);
        cJSON_Delete(json);
    }
}

/* From the enter of the send to the exit of the receive, or of the call that completes it; the last message's request is never
 * completed. 3 is behind the other lists of arrows; 63 are all views. */
static void messages_are_arrows(void **state)
{
    (void)state;
    cJSON *json = views_of("ranks 2\n"
                           AT(0, 01, 02, "MPI_Send comm=0 peer=1 tag=1 bytes=8")
                           AT(0, 03, 04, "MPI_Send comm=0 peer=1 tag=2 bytes=16")
                           AT(0, 05, 06, "MPI_Send comm=0 peer=1 tag=3 bytes=32")
                           AT(1, 01, 07, "MPI_Recv comm=0 peer=0 tag=1 bytes=8")
                           AT(1, 08, 09, "MPI_Irecv comm=0 peer=0 tag=2 bytes=16 req=1") AT(1, 10, 20, "MPI_Wait req=1")
                           AT(1, 21, 22, "MPI_Irecv comm=0 peer=0 tag=3 bytes=32 req=2"),
                           0, 100);
    const cJSON *lists = cJSON_GetObjectItem(json, "arrows");
    const int kind = cJSON_GetArraySize(cJSON_GetObjectItem(json, "arrow_kinds")) - 1;
    char expected[100];
    snprintf(expected, sizeof expected, "%d 0 1 1 6 8 63, %d 0 3 1 17 16 63", kind, kind);
    expect_list(cJSON_GetArrayItem(lists, cJSON_GetArraySize(lists) - 1), ARROW_TIMES, expected);
    assert_int_equal(cJSON_GetObjectItem(json, "arrows_count")->valueint, 2);
    cJSON_Delete(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(epochs_of_all_kinds), cmocka_unit_test(messages_are_arrows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
