/* Which texts name the same MPI library: of a recording, a profile, a calibration. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/calls/libraries.h"

static void libraries_and_their_series(void **state)
{
    static const struct {
        const char *one, *two;
        bool other, series;
    } rows[] = {
        {"MPICH 4.0.2 (ch4:ucx), 2 hosts", "MPICH Version:\t4.0.2", false, true},
        {"Open MPI v4.1.4, package: Debian", "Open MPI 4.1.4, osc/rdma", false, true},
        {"MPICH Version: 4.0.3", "MPICH 4.0.2, ch4:ucx", true, true},
        {"MPICH Version: 4.1.2", "MPICH 4.0.2", true, false},
        {"MPICH 4.10.0", "MPICH 4.1.0", true, false},
        {"MPICH 4.1", "Open MPI 4.1", true, false},
        {"MPICH", "MPICH 4.0.2", false, false}, /* no version: of any library, of no series */
        {NULL, "MPICH 4.0.2", false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (library_is_other(rows[i].one, rows[i].two) != rows[i].other ||
            library_is_of_series(rows[i].one, rows[i].two) != rows[i].series)
            fail_msg("row %zu", i);
        assert_int_equal(library_is_of_series(rows[i].two, rows[i].one), rows[i].series);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(libraries_and_their_series)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
