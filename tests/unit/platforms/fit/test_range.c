/* The largest size for which a platform file was measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "platforms/fit/range.h"

#define CURVE(upto)     "{\"segments\": [{\"upto_bytes\": 10}, {\"upto_bytes\": " upto "}]}"
#define CALIBRATED(own) "{\"$calibration\": " own "}"

/* The largest size is that of the first curve that has lines: puts before round trips, between nodes before within one.
 */
static void the_largest_size(void **state)
{
    static const struct {
        const char *json;
        int64_t bytes; /* -1: none */
    } files[] = {
        {"{}", -1},
        {CALIBRATED("{}"), -1},
        {CALIBRATED("{\"between\": {\"put\": {\"segments\": []}}}"), -1},
        {CALIBRATED("{\"between\": {\"put\": " CURVE("4096") "}}"), 4096},
        {CALIBRATED("{\"between\": {\"put\": " CURVE("0") "}}"), 0},
        {CALIBRATED("{\"between\": {\"put\": " CURVE("-1") "}}"), -1},
        {CALIBRATED("{\"between\": {\"put\": " CURVE("null") "}}"), -1},
        {CALIBRATED("{\"between\": {\"put\": " CURVE("1125899906842624") "}}"), INT64_C(1) << 50},
        {CALIBRATED("{\"between\": {\"put\": " CURVE("1125899906842625") "}}"), -1},
        {CALIBRATED("{\"between\": {\"ping_pong\": " CURVE("64") ", \"put\": " CURVE("32") "}}"), 32},
        {CALIBRATED("{\"within\": {\"put\": " CURVE("64") "}, \"between\": {\"ping_pong\": " CURVE("32") "}}"), 32},
        {CALIBRATED("{\"within\": {\"ping_pong\": " CURVE("64") "}}"), 64},
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        cJSON *json = cJSON_Parse(files[i].json);
        int64_t bytes = -1;
        assert_non_null(json);
        bool is = calibration_largest(json, &bytes);
        if (is != (files[i].bytes >= 0) || bytes != files[i].bytes) fail_msg("%s: %d", files[i].json, is);
        cJSON_Delete(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_largest_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
