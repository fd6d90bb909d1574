/* The picture of measured points and their lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "platforms/fit/plot.h"

/* NULL: the file has no points. */
static char *plot(const char *calibration)
{
    char *text;
    size_t size;
    struct err err = {.text = ""};
    cJSON *platform = cJSON_Parse(calibration);
    assert_non_null(platform);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    enum status status = platform_plot(platform, "platform.json", out, &err);
    fclose(out);
    cJSON_Delete(platform);
    if (status == STATUS_OK) return text;
    assert_non_null(strstr(err.text, "no measured points"));
    free(text);
    return NULL;
}

static int count(const char *text, const char *what)
{
    int found = 0;
    for (text = strstr(text, what); text; text = strstr(text + 1, what)) found++;
    return found;
}

/* Times of 1 to 100 us are on an axis from 1 us (y 370) to 1 ms (y 40), 110 for each power of ten; 1 to 1000 bytes from
 * x 70 to 536. The line is 10 us up to 100 bytes: residuals are around y 481, 37.5 for a quarter, and at the edge, 406,
 * from a half on. No line covers 1000 bytes. A size of 0 bytes is beside 1. */
static void points_and_residuals(void **state)
{
    (void)state;
    static const char calibration[] =
        "{\"$calibration\":{\"between\":{\"put\":{\"segments\":[{\"from_bytes\":0,\"upto_bytes\":100,"
        "\"intercept_s\":{\"value\":1e-5},\"s_per_byte\":0}],\"points\":["
        "{\"bytes\":0,\"used_s\":1e-6},{\"bytes\":10,\"used_s\":1.25e-5,\"p90_s\":1e-4,\"unsteady\":true},"
        "{\"bytes\":100,\"used_s\":1e-4},{\"bytes\":1000,\"used_s\":1e-5,\"p90_s\":1},"
        "{\"bytes\":1,\"used_s\":0},{\"bytes\":1,\"used_s\":-1},{\"bytes\":1},{\"used_s\":1}]}},"
        "\"within\":{\"put\":{\"points\":[{\"bytes\":8,\"used_s\":0},{\"bytes\":8,\"used_s\":-1e-6}]}}}}";
    static const char *const drawn[] = {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 560 602\"", /* one column */
        "<circle cx=\"70.0\" cy=\"370.0\" r=\"3\" fill=\"#1b6ca8\"",
        "<circle cx=\"70.0\" cy=\"556.0\" r=\"2.5\"",               /* a tenth of the line's time: at the edge */
        "<circle cx=\"225.3\" cy=\"249.3\" r=\"3\" fill=\"white\"", /* log10(12.5) = 1.0969 */
        "<circle cx=\"225.3\" cy=\"443.5\" r=\"2.5\" fill=\"white\"",
        "<line x1=\"225.3\" y1=\"249.3\" x2=\"225.3\" y2=\"150.0\"",
        "<circle cx=\"380.7\" cy=\"150.0\" r=\"3\"",
        "<circle cx=\"380.7\" cy=\"406.0\" r=\"2.5\"",
        "<circle cx=\"536.0\" cy=\"260.0\" r=\"3\"",
        "<line x1=\"536.0\" y1=\"260.0\" x2=\"536.0\" y2=\"40.0\"", /* a 90th percentile of a second ends at the top */
    };
    char *text = plot(calibration);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        if (!strstr(text, drawn[i])) fail_msg("not drawn: %s", drawn[i]);
    assert_int_equal(count(text, "<circle"), 4 + 3 + 1); /* points, residuals, legend */
    assert_int_equal(count(text, "<polyline"), 1);
    free(text);
}

/* Points without a time make no column. A single one has a power of ten above and below it, and place to its right. */
static void columns_have_points(void **state)
{
    (void)state;
    static const char form[] = "{\"$calibration\":{\"%s\":{\"get\":{\"points\":[{\"bytes\":8,\"used_s\":%s}]}}}}";
    char calibration[256];
    for (int i = 0; i < 3; i++) {
        snprintf(calibration, sizeof calibration, form, i == 1 ? "between" : "within",
                 i == 2 ? "1e-6"
                 : i    ? "0"
                        : "-1");
        char *text = plot(calibration);
        assert_int_equal(text != NULL, i == 2);
        if (text) assert_non_null(strstr(text, "<circle cx=\"70.0\" cy=\"370.0\" r=\"3\""));
        if (text) assert_non_null(strstr(text, "Within a node"));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_and_residuals),
        cmocka_unit_test(columns_have_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
