/* Draws a validation (validate/validate.h). */
#include <math.h>

#include "common/text/text.h"
#include "common/units.h"
#include "validate/validate.h"

enum { SIDE = 560, LEFT = 90, TOP = 30, WIDTH = LEFT + SIDE + 190, HEIGHT = TOP + SIDE + 60 };

struct plot {
    FILE *out;
    double low, high; /* powers of ten, of both axes */
};

static double place_time(const struct plot *plot, double seconds)
{
    return (log10(seconds) - plot->low) / (plot->high - plot->low) * SIDE;
}

static double x_of(const struct plot *plot, double seconds)
{
    return LEFT + place_time(plot, seconds);
}

static double y_of(const struct plot *plot, double seconds)
{
    return TOP + SIDE - place_time(plot, seconds);
}

static void draw_point(const struct plot *plot, const struct validate_value *value, const char *colour, const char *what,
                       const char *name)
{
    char predicted[UNITS_TEXT_BYTES], measured[UNITS_TEXT_BYTES];
    if (!(value->predicted_s > 0 && value->measured_s > 0)) return;
    double y = y_of(plot, value->predicted_s);
    if (value->measured_min_s > 0)
        fprintf(plot->out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n",
                x_of(plot, value->measured_min_s), x_of(plot, value->measured_max_s), y, y, colour);
    fprintf(plot->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\" fill-opacity=\"0.7\"><title>%s ",
            x_of(plot, value->measured_s), y, colour, what);
    text_write_xml(plot->out, name);
    fprintf(plot->out, ": predicted %s, measured %s</title></circle>\n",
            units_format_duration(value->predicted_s, predicted), units_format_duration(value->measured_s, measured));
}

static void draw_axes(const struct plot *plot)
{
    for (double power = plot->low; power <= plot->high; power++) {
        char text[UNITS_TEXT_BYTES];
        double at = pow(10, power), x = x_of(plot, at), y = y_of(plot, at);
        units_format_duration(at, text);
        fprintf(plot->out,
                "<path d=\"M%.1f %d V%d M%d %.1f H%d\" stroke=\"#ddd\"/>\n"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                x, TOP, TOP + SIDE, LEFT, y, LEFT + SIDE, x, TOP + SIDE + 18, text, LEFT - 6, y + 4, text);
    }
    fprintf(plot->out,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">measured (median, range)</text>\n"
            "<text x=\"20\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 20 %d)\">predicted</text>\n",
            LEFT + SIDE / 2, TOP + SIDE + 42, TOP + SIDE / 2, TOP + SIDE / 2);
}

/* The line of equality, and around it the range of run times of the real runs. */
static void draw_band(const struct plot *plot, const struct validate_value *run)
{
    double left = LEFT, right = LEFT + SIDE, top = TOP, bottom = TOP + SIDE;
    double decade = SIDE / (plot->high - plot->low);
    bool known = run->measured_min_s > 0 && run->measured_max_s > 0;
    double down = known ? log10(run->measured_s / run->measured_min_s) * decade : 0;
    double up = known ? log10(run->measured_max_s / run->measured_s) * decade : 0;
    fprintf(plot->out,
            "<clipPath id=\"in\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>\n"
            "<path class=\"band\" clip-path=\"url(#in)\" d=\"M%.1f %.1f L%.1f %.1f L%.1f %.1f L%.1f %.1f Z\" fill=\"#cfe3f7\" "
            "stroke=\"#cfe3f7\"/>\n"
            "<path class=\"equal\" d=\"M%.1f %.1f L%.1f %.1f\" stroke=\"#555\"/>\n",
            LEFT, TOP, SIDE, SIDE, left, bottom - up, right, top - up, right, top + down, left, bottom + down, left, bottom,
            right, top);
}

static struct validate_value of_group(const struct validate_call_group *group)
{
    return (struct validate_value){.predicted_s = group->predicted_s,
                                   .measured_s = group->measured_s,
                                   .measured_min_s = group->measured_s,
                                   .measured_max_s = group->measured_s};
}

enum family { RUN, RANKS, WAITS, CALLPATHS, FAMILIES };
static const struct {
    const char *what, *colour;
} families[FAMILIES] = {[RUN] = {"run time", "#c0392b"},
                        [RANKS] = {"time of rank", "#2471a3"},
                        [WAITS] = {"wait state", "#b7950b"},
                        [CALLPATHS] = {"calls of", "#1e8449"}};

typedef void visit(struct plot *plot, enum family family, const char *name, const struct validate_value *value);

static void visit_all(const struct validation *v, struct plot *plot, visit *each)
{
    char name[32];
    for (size_t i = 0; v->calls && i < v->calls->place_count; i++) {
        struct validate_value value = of_group(&v->calls->groups[i]);
        each(plot, CALLPATHS, v->calls->places[i].callpath, &value);
    }
    for (int p = 0; p < PATTERN_COUNT; p++) each(plot, WAITS, pattern_row((enum pattern)p)->name, &v->patterns[p].total);
    for (uint32_t r = 0; r < v->rank_count; r++) {
        snprintf(name, sizeof name, "%u", r);
        each(plot, RANKS, name, &v->rank_time[r]);
    }
    each(plot, RUN, "", &v->run_time);
}

static void measure_value(struct plot *plot, enum family family, const char *name, const struct validate_value *value)
{
    (void)family, (void)name;
    if (value->predicted_s > 0 && value->measured_s > 0) {
        const double of[] = {value->predicted_s, value->measured_min_s, value->measured_max_s};
        for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
            if (!(of[i] > 0)) continue;
            plot->low = fmin(plot->low, floor(log10(of[i])));
            plot->high = fmax(plot->high, ceil(log10(of[i])));
        }
    }
}

static void draw_value(struct plot *plot, enum family family, const char *name, const struct validate_value *value)
{
    draw_point(plot, value, families[family].colour, families[family].what, name);
}

void validation_write_svg(const struct validation *v, FILE *out)
{
    struct plot plot = {.out = out, .low = 300, .high = -300};
    visit_all(v, &plot, measure_value);
    if (plot.low >= plot.high) plot.low = plot.low > 299 ? -6 : plot.low - 1, plot.high = plot.low + 2;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT);
    draw_axes(&plot);
    draw_band(&plot, &v->run_time);
    visit_all(v, &plot, draw_value);
    for (int f = 0; f < FAMILIES; f++)
        fprintf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
                LEFT + SIDE + 20, TOP + 20 + 22 * f, families[f].colour, LEFT + SIDE + 32, TOP + 24 + 22 * f,
                families[f].what);
    fputs("</svg>\n", out);
}
