/* What calls vote for, and who decides where a class has no votes: majorities counted by hand. */
#include "model_test.h"

#include <string.h>

#include "model/behaviour/group_votes.h"

/* The number of a class: 65 classes of sizes for each function, in the order of model/behaviour/behaviour.def. A size's class is
 * the number of its binary digits. */
static void classes_are_of_function_and_size(void **state)
{
    static const struct {
        enum mpi_call call;
        int64_t bytes;
        int votes_class;
    } rows[] = {
        {ID_Put, 0, 0},  {ID_Put, 1, 1},  {ID_Put, 8, 4}, {ID_Put, 15, 4}, {ID_Put, 16, 5}, {ID_Put, INT64_MAX, 63},
        {ID_Get, 0, 65}, {ID_Get, 7, 68},  {ID_Accumulate, 8, 134}, {ID_Get_accumulate, 8, 199},
        {ID_Fetch_and_op, 8, 264}, {ID_Compare_and_swap, 8, 329}, {ID_Rput, 8, -1}, {ID_Win_start, 0, -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct trace_call call = {.call = (uint16_t)rows[i].call, .bytes = rows[i].bytes};
        assert_int_equal(group_votes_class(&call), rows[i].votes_class);
        if (rows[i].votes_class >= 0) assert_int_equal(group_votes_function(rows[i].votes_class), rows[i].call);
    }
    assert_int_equal(group_votes_function(64), ID_Put); /* the last of its classes */
    assert_int_equal(GROUP_VOTE_CLASSES, 6 * 65);
}

static void votes_are_counted(void **state)
{
    static struct behaviour behaviour;
    static struct group_votes one;
    (void)state;
    behaviour.operations[BEHAVIOUR_GET][4] =
        (struct behaviour_count){.calls = 90, .of = 80, .group_of = 70, .group_only = 3, .group_not = 5};
    behaviour.operations[BEHAVIOUR_PUT][64] = (struct behaviour_count){.group_only = 7};
    group_votes_count(&behaviour, &one);
    assert_int_equal(one.with[69], 3);
    assert_int_equal(one.against[69], 5);
    assert_int_equal(one.with[64], 7);
    assert_int_equal(one.against[64], 0);
}

/* Votes of puts of classes 4 and 5, of gets of class 4: with, against. Asked are those three, a put and a get of another size,
 * which have their function's votes, and a compare_and_swap, which has those of all. */
static void the_majority_decides(void **state)
{
    static const struct {
        uint64_t votes[3][2];
        const char *for_group; /* y or n each */
    } rows[] = {
        {{{0, 0}, {0, 0}, {0, 0}}, "nnnnnn"}, /* without any vote: its own target */
        {{{3, 2}, {2, 2}, {0, 1}}, "ynnynn"}, /* a tie: its own; puts 5 to 4, all 5 to 5 */
        {{{3, 2}, {2, 2}, {0, 0}}, "ynyyyy"}, /* gets have no votes: those of all, 5 to 4 */
        {{{1, 0}, {0, 2}, {5, 0}}, "ynynyy"}, /* puts 1 to 2, all 6 to 2 */
        {{{0, 9}, {0, 0}, {1, 0}}, "nnynyn"}, /* the put of class 5 has its function's votes */
        {{{0, 1}, {0, 0}, {0, 0}}, "nnnnnn"},
    };
    static const int asked[] = {4, 5, 65 + 4, 20, 65 + 20, 5 * 65 + 4};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct group_votes votes = {.with = {0}};
        bool for_group[GROUP_VOTE_CLASSES];
        char found[7] = "";
        for (int v = 0; v < 3; v++) {
            votes.with[asked[v]] = rows[i].votes[v][0];
            votes.against[asked[v]] = rows[i].votes[v][1];
        }
        group_votes_decide(&votes, for_group);
        for (int a = 0; a < 6; a++) found[a] = for_group[asked[a]] ? 'y' : 'n';
        if (strcmp(found, rows[i].for_group) != 0) fail_msg("row %zu: %s, expected %s", i, found, rows[i].for_group);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_of_function_and_size),
        cmocka_unit_test(votes_are_counted),
        cmocka_unit_test(the_majority_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
