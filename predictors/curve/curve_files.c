/* curve_write_csv() and curve_write_svg() of predictors/curve/curve.h. */
#include <math.h>

#include "common/csv.h"
#include "common/svg.h"
#include "common/text/text.h"
#include "common/units.h"
#include "predictors/curve/curve.h"

/* --- the CSV --- */

static bool pattern_occurs(const struct curve *curve, enum pattern pattern)
{
    for (size_t i = 0; i < curve->count; i++)
        if (curve_wait_share(curve, i, pattern) > 0) return true;
    return false;
}

static void write_factor(double value, FILE *out)
{
    if (value >= 0)
        fprintf(out, ",%.12g", value);
    else
        fputc(',', out);
}

static void write_row(const struct curve *curve, size_t i, FILE *out)
{
    const struct curve_point *point = &curve->points[i];
    struct efficiency_pop pop;
    fprintf(out, "%u,", point->ranks);
    csv_write_text(out, "", curve->semantics[i % curve->rows]);
    fprintf(out, ",%.12g,%.12g,%.12g,%.12g,%.12g", point->result->run_time_s, point->low_s, point->high_s,
            curve_speedup(curve, i), curve_efficiency(curve, i));
    write_factor(uncertainty_total_s(&point->result->uncertainty), out);
    if (curve->noisy_runs > 0)
        fprintf(out, ",%.12g,%.12g,%.12g", point->noise.median_s, point->noise.p5_s, point->noise.p95_s);
    if (curve_pop(curve, i, &pop)) {
        write_factor(pop.parallel, out);
        write_factor(pop.load_balance, out);
        write_factor(pop.serialization, out);
        write_factor(pop.transfer, out);
    }
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (pattern_occurs(curve, (enum pattern)p)) fprintf(out, ",%.12g", curve_wait_share(curve, i, (enum pattern)p));
    fputc('\n', out);
}

void curve_write_csv(const struct curve *curve, FILE *out)
{
    struct efficiency_pop pop;
    fputs("ranks,semantics,run_time_s,run_time_low_s,run_time_high_s,speedup,efficiency,error_s", out);
    if (curve->noisy_runs > 0) fputs(",noise_median_s,noise_p5_s,noise_p95_s", out);
    if (curve_pop(curve, 0, &pop)) fputs(",parallel_efficiency,load_balance,serialization,transfer", out);
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (pattern_occurs(curve, (enum pattern)p)) fprintf(out, ",%s_share", pattern_row((enum pattern)p)->name);
    fputc('\n', out);
    for (size_t i = 0; i < curve->count; i++) write_row(curve, i, out);
}

/* --- the picture --- */

enum { LEFT = 80, TOP = 40, WIDE = 520, TALL = 360, RIGHT = 130, BOTTOM = 50 };
static const char *const colors[] = {"#1b6ca8", "#c0392b", "#2e8b57", "#8e6c00",
                                     "#7d3c98", "#555555", "#b9770e", "#117a65"};
enum { COLORS = sizeof colors / sizeof *colors };

struct axes {
    double x_low, x_high, y_low, y_high; /* ranks to base 2, seconds to base 10: logarithms */
};

static double place_x(const struct axes *axes, double ranks)
{
    return LEFT + WIDE * (log2(ranks) - axes->x_low) / (axes->x_high - axes->x_low);
}

static double place_y(const struct axes *axes, double seconds)
{
    double high = TOP + TALL * (axes->y_high - log10(seconds)) / (axes->y_high - axes->y_low);
    return fmin(fmax(high, TOP), TOP + TALL);
}

/* The run time without loss: for strong scaling it falls with the ranks, for weak scaling it is constant. */
static double ideal_s(const struct curve *curve, size_t i)
{
    double first_s = curve->points[0].result->run_time_s;
    return curve->strong ? first_s * curve->points[0].ranks / curve->points[i].ranks : first_s;
}

static struct axes find_axes(const struct curve *curve)
{
    struct axes axes = {log2(curve->points[0].ranks), log2(curve->points[curve->count - 1].ranks), INFINITY, -INFINITY};
    for (size_t i = 0; i < curve->count; i++) {
        const double of[] = {curve->points[i].result->run_time_s, curve->points[i].low_s, curve->points[i].high_s,
                             ideal_s(curve, i)};
        for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
            if (!(of[k] > 0)) continue;
            axes.y_low = fmin(axes.y_low, floor(log10(of[k])));
            axes.y_high = fmax(axes.y_high, ceil(log10(of[k])));
        }
    }
    if (!isfinite(axes.y_low)) axes.y_low = axes.y_high = 0;
    if (axes.y_high <= axes.y_low) axes.y_high = axes.y_low + 1;
    if (axes.x_high <= axes.x_low) axes.x_high = axes.x_low + 1;
    return axes;
}

static void draw_axes(const struct curve *curve, const struct axes *axes, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    for (double power = axes->y_low; power <= axes->y_high; power++) {
        double y = place_y(axes, pow(10, power));
        svg_line(out, LEFT, y, LEFT + WIDE, y, "#ddd", 1);
        svg_text(out, LEFT - 6, y + 4, "end", units_format_duration(pow(10, power), text));
    }
    for (size_t i = 0; i < curve->count; i += curve->rows) {
        double x = place_x(axes, curve->points[i].ranks);
        svg_line(out, x, TOP, x, TOP + TALL, "#eee", 1);
        snprintf(text, sizeof text, "%u", curve->points[i].ranks);
        svg_text(out, x, TOP + TALL + 18, "middle", text);
    }
    svg_text(out, LEFT + WIDE / 2.0, TOP + TALL + 38, "middle", "ranks");
    svg_text(out, LEFT, TOP - 16, "start", curve->strong ? "run time, strong scaling" : "run time, weak scaling");
}

/* Band, line and points of a semantics. */
static void draw_row(const struct curve *curve, const struct axes *axes, size_t row, FILE *out)
{
    const char *color = colors[row % COLORS];
    char text[UNITS_TEXT_BYTES];
    fprintf(out, "<polygon fill=\"%s\" fill-opacity=\"0.15\" points=\"", color);
    for (size_t i = row; i < curve->count; i += curve->rows)
        if (curve->points[i].low_s > 0)
            fprintf(out, "%.1f,%.1f ", place_x(axes, curve->points[i].ranks), place_y(axes, curve->points[i].low_s));
    for (size_t i = curve->count + row; i > row; i -= curve->rows)
        if (curve->points[i - curve->rows].high_s > 0)
            fprintf(out, "%.1f,%.1f ", place_x(axes, curve->points[i - curve->rows].ranks),
                    place_y(axes, curve->points[i - curve->rows].high_s));
    fprintf(out, "\"/>\n<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" points=\"", color);
    for (size_t i = row; i < curve->count; i += curve->rows)
        if (curve->points[i].result->run_time_s > 0)
            fprintf(out, "%.1f,%.1f ", place_x(axes, curve->points[i].ranks),
                    place_y(axes, curve->points[i].result->run_time_s));
    fputs("\"/>\n", out);
    for (size_t i = row; i < curve->count; i += curve->rows) {
        double run_time_s = curve->points[i].result->run_time_s;
        if (!(run_time_s > 0)) continue;
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>",
                place_x(axes, curve->points[i].ranks), place_y(axes, run_time_s), color);
        text_write_xml(out, curve->semantics[row]);
        fprintf(out, " at %u ranks: %s</title></circle>\n", curve->points[i].ranks,
                units_format_duration(run_time_s, text));
    }
    fprintf(out, "<circle cx=\"%d\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", LEFT + WIDE + 18,
            TOP + 12 + 18.0 * (double)row, color);
    svg_text(out, LEFT + WIDE + 28, TOP + 16 + 18.0 * (double)row, "start", curve->semantics[row]);
}

void curve_write_svg(const struct curve *curve, FILE *out)
{
    struct axes axes = find_axes(curve);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + WIDE + RIGHT, TOP + TALL + BOTTOM, LEFT + WIDE + RIGHT, TOP + TALL + BOTTOM);
    draw_axes(curve, &axes, out);
    if (curve->points[0].result->run_time_s > 0) {
        fputs("<polyline fill=\"none\" stroke=\"#888\" stroke-dasharray=\"5 4\" points=\"", out);
        for (size_t i = 0; i < curve->count; i += curve->rows)
            fprintf(out, "%.1f,%.1f ", place_x(&axes, curve->points[i].ranks), place_y(&axes, ideal_s(curve, i)));
        fputs("\"/>\n", out);
        svg_text(out, LEFT + WIDE + 18, TOP + 16 + 18.0 * (double)curve->rows, "start", "- - without loss");
    }
    for (size_t row = 0; row < curve->rows; row++) draw_row(curve, &axes, row, out);
    fputs("</svg>\n", out);
}
