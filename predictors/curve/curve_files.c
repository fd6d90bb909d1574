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

enum { LEFT = 80, TOP = 40, WIDE = 400, TALL = 360, BETWEEN = 90, RIGHT = 130, BOTTOM = 50 };
static const char *const colors[] = {"#1b6ca8", "#c0392b", "#2e8b57", "#8e6c00",
                                     "#7d3c98", "#555555", "#b9770e", "#117a65"};
enum { COLORS = sizeof colors / sizeof *colors };

/* One of the two diagrams. Axes are logarithms: ranks to base 2, values to base 10. */
struct panel {
    const struct curve *curve;
    bool speedup; /* of run times; else the run times */
    double left;
    double x_low, x_high, y_low, y_high;
    FILE *out;
};

static double first_time_s(const struct panel *panel)
{
    return panel->curve->points[0].result->run_time_s;
}

/* What the panel shows of a run time at a number of ranks; 0: nothing. */
static double value_of(const struct panel *panel, double run_time_s, double ranks)
{
    double growth = panel->curve->strong ? 1 : ranks / panel->curve->points[0].ranks;
    if (!panel->speedup || !(run_time_s > 0)) return fmax(run_time_s, 0);
    return first_time_s(panel) / run_time_s * growth;
}

/* Without loss the time falls with the ranks under strong scaling, and is constant under weak scaling. */
static double ideal_of(const struct panel *panel, double ranks)
{
    double first_s = first_time_s(panel);
    return value_of(panel, panel->curve->strong ? first_s * panel->curve->points[0].ranks / ranks : first_s, ranks);
}

static double place_x(const struct panel *panel, double ranks)
{
    return panel->left + WIDE * (log2(ranks) - panel->x_low) / (panel->x_high - panel->x_low);
}

static double place_y(const struct panel *panel, double value)
{
    double high = TOP + TALL * (panel->y_high - log10(value)) / (panel->y_high - panel->y_low);
    return fmin(fmax(high, TOP), TOP + TALL);
}

static void widen_axes(struct panel *panel, double ranks, double value)
{
    panel->x_low = fmin(panel->x_low, log2(ranks));
    panel->x_high = fmax(panel->x_high, log2(ranks));
    if (!(value > 0)) return;
    panel->y_low = fmin(panel->y_low, floor(log10(value)));
    panel->y_high = fmax(panel->y_high, ceil(log10(value)));
}

static void find_axes(struct panel *panel)
{
    const struct curve *curve = panel->curve;
    panel->x_low = panel->y_low = INFINITY;
    panel->x_high = panel->y_high = -INFINITY;
    for (size_t i = 0; i < curve->count; i++) {
        const struct curve_point *point = &curve->points[i];
        const double of[] = {point->result->run_time_s, point->low_s, point->high_s};
        for (size_t k = 0; k < sizeof of / sizeof *of; k++) widen_axes(panel, point->ranks, value_of(panel, of[k], point->ranks));
        widen_axes(panel, point->ranks, ideal_of(panel, point->ranks));
    }
    for (size_t i = 0; i < curve->run_count; i++)
        widen_axes(panel, curve->runs[i].ranks, value_of(panel, curve->runs[i].measured_s, curve->runs[i].ranks));
    if (!isfinite(panel->y_low)) panel->y_low = panel->y_high = 0;
    if (panel->y_high <= panel->y_low) panel->y_high = panel->y_low + 1;
    if (panel->x_high <= panel->x_low) panel->x_high = panel->x_low + 1;
}

static void draw_axes(const struct panel *panel)
{
    const struct curve *curve = panel->curve;
    char text[UNITS_TEXT_BYTES];
    for (double power = panel->y_low; power <= panel->y_high; power++) {
        double y = place_y(panel, pow(10, power));
        svg_line(panel->out, panel->left, y, panel->left + WIDE, y, "#ddd", 1);
        if (panel->speedup) snprintf(text, sizeof text, "%.6g", pow(10, power));
        else units_format_duration(pow(10, power), text);
        svg_text(panel->out, panel->left - 6, y + 4, "end", text);
    }
    for (size_t i = 0; i < curve->count; i += curve->rows) {
        double x = place_x(panel, curve->points[i].ranks);
        svg_line(panel->out, x, TOP, x, TOP + TALL, "#eee", 1);
        snprintf(text, sizeof text, "%u", curve->points[i].ranks);
        svg_text(panel->out, x, TOP + TALL + 18, "middle", text);
    }
    svg_text(panel->out, panel->left + WIDE / 2.0, TOP + TALL + 38, "middle", "ranks");
    svg_text(panel->out, panel->left, TOP - 16, "start",
             panel->speedup  ? "speed-up"
             : curve->strong ? "run time, strong scaling"
                             : "run time, weak scaling");
}

/* A corner of a line, if there is a value. */
static void draw_corner(const struct panel *panel, double ranks, double value)
{
    if (value > 0) fprintf(panel->out, "%.1f,%.1f ", place_x(panel, ranks), place_y(panel, value));
}

/* Band, line and points of a semantics. */
static void draw_row(const struct panel *panel, size_t row)
{
    const struct curve *curve = panel->curve;
    const char *color = colors[row % COLORS];
    char text[UNITS_TEXT_BYTES];
    FILE *out = panel->out;
    fprintf(out, "<polygon fill=\"%s\" fill-opacity=\"0.15\" points=\"", color);
    for (size_t i = row; i < curve->count; i += curve->rows)
        draw_corner(panel, curve->points[i].ranks, value_of(panel, curve->points[i].low_s, curve->points[i].ranks));
    for (size_t i = curve->count + row; i > row; i -= curve->rows) {
        const struct curve_point *point = &curve->points[i - curve->rows];
        draw_corner(panel, point->ranks, value_of(panel, point->high_s, point->ranks));
    }
    fprintf(out, "\"/>\n<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" points=\"", color);
    for (size_t i = row; i < curve->count; i += curve->rows)
        draw_corner(panel, curve->points[i].ranks, value_of(panel, curve->points[i].result->run_time_s, curve->points[i].ranks));
    fputs("\"/>\n", out);
    for (size_t i = row; i < curve->count; i += curve->rows) {
        double ranks = curve->points[i].ranks, value = value_of(panel, curve->points[i].result->run_time_s, ranks);
        if (!(value > 0)) continue;
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>", place_x(panel, ranks), place_y(panel, value),
                color);
        text_write_xml(out, curve->semantics[row]);
        if (panel->speedup) snprintf(text, sizeof text, "%.4g", value);
        else units_format_duration(value, text);
        fprintf(out, " at %.0f ranks: %s</title></circle>\n", ranks, text);
    }
}

static void draw_measured(const struct panel *panel, double x, double y)
{
    fprintf(panel->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\" fill=\"none\" stroke=\"#000\"/>\n", x - 4, y - 4);
}

static void draw_panel(struct panel *panel)
{
    const struct curve *curve = panel->curve;
    find_axes(panel);
    draw_axes(panel);
    if (first_time_s(panel) > 0) {
        fputs("<polyline fill=\"none\" stroke=\"#888\" stroke-dasharray=\"5 4\" points=\"", panel->out);
        for (size_t i = 0; i < curve->count; i += curve->rows)
            draw_corner(panel, curve->points[i].ranks, ideal_of(panel, curve->points[i].ranks));
        fputs("\"/>\n", panel->out);
    }
    for (size_t row = 0; row < curve->rows; row++) draw_row(panel, row);
    for (size_t i = 0; i < curve->run_count; i++) {
        double ranks = curve->runs[i].ranks, value = value_of(panel, curve->runs[i].measured_s, ranks);
        if (value > 0) draw_measured(panel, place_x(panel, ranks), place_y(panel, value));
    }
}

static void draw_legend(const struct panel *panel)
{
    const struct curve *curve = panel->curve;
    double x = panel->left + WIDE + 18, y = TOP + 12;
    for (size_t row = 0; row < curve->rows; row++, y += 18) {
        fprintf(panel->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x, y, colors[row % COLORS]);
        svg_text(panel->out, x + 10, y + 4, "start", curve->semantics[row]);
    }
    svg_text(panel->out, x, y + 4, "start", "- - without loss");
    if (curve->run_count == 0) return;
    draw_measured(panel, x, y + 18);
    svg_text(panel->out, x + 10, y + 22, "start", "measured");
}

void curve_write_svg(const struct curve *curve, FILE *out)
{
    struct panel times = {.curve = curve, .left = LEFT, .out = out}, speedups = times;
    speedups.speedup = true;
    speedups.left = LEFT + WIDE + BETWEEN;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + 2 * WIDE + BETWEEN + RIGHT, TOP + TALL + BOTTOM, LEFT + 2 * WIDE + BETWEEN + RIGHT, TOP + TALL + BOTTOM);
    draw_panel(&times);
    draw_panel(&speedups);
    draw_legend(&speedups);
    fputs("</svg>\n", out);
}
