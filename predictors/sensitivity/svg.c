/* sensitivity_write_svg() of predictors/sensitivity/sensitivity.h. */
#include <math.h>
#include <string.h>

#include "common/svg.h"
#include "common/text/text.h"
#include "common/units.h"
#include "predictors/sensitivity/sensitivity.h"

enum { WIDTH = 640, HEIGHT = 300, LEFT = 90, RIGHT = 520, TOP = 40, BOTTOM = 260 }; /* of a value */

struct panel {
    double low, high, least_s, most_s; /* of all rows */
    double top;                        /* where it is in the picture */
};

static double place_x(const struct panel *panel, double value)
{
    return LEFT + (RIGHT - LEFT) * (panel->high > panel->low ? (value - panel->low) / (panel->high - panel->low) : 0);
}

static double place_y(const struct panel *panel, double run_time_s)
{
    const double range_s = panel->most_s - panel->least_s;
    return panel->top + BOTTOM - (BOTTOM - TOP) * (range_s > 0 ? (run_time_s - panel->least_s) / range_s : 0);
}

static const struct sensitivity_value *value_of(const struct sensitivity_row *row, const char *key)
{
    for (size_t i = 0; i < row->value_count; i++)
        if (strcmp(row->values[i].key, key) == 0) return &row->values[i];
    return NULL;
}

/* False: no curve of this value rises. A rate's lines are none by its value: it is not drawn. */
static bool measure_panel(const struct sensitivity *made, const struct sensitivity_value *of, double top, struct panel *panel)
{
    *panel = (struct panel){INFINITY, 0, INFINITY, 0, top};
    bool rises = false;
    if (of->kind == KEY_RATE || of->kind == KEY_SPEED) return false;
    for (size_t r = 0; r < made->row_count; r++) {
        const struct sensitivity_value *value = value_of(&made->rows[r], of->key);
        for (size_t i = 0; value && i < value->corner_count; i++) {
            panel->low = fmin(panel->low, value->corners[i].value);
            panel->high = fmax(panel->high, value->corners[i].value);
            panel->least_s = fmin(panel->least_s, value->corners[i].run_time_s);
            rises = rises || value->corners[i].run_time_s != value->corners[0].run_time_s;
            panel->most_s = fmax(panel->most_s, value->corners[i].run_time_s);
        }
    }
    return rises;
}

static void draw_axes(const struct panel *panel, const struct sensitivity_value *value, FILE *out)
{
    char text[UNITS_TEXT_BYTES], title[VALUE_KEY_BYTES + 16];
    const double top = panel->top + TOP, bottom = panel->top + BOTTOM, at = place_x(panel, value->value);
    snprintf(title, sizeof title, "run time by %s", value->key);
    svg_text(out, LEFT, top - 16, "start", title);
    svg_line(out, LEFT, top, LEFT, bottom, "#888", 1);
    svg_line(out, LEFT, bottom, RIGHT, bottom, "#888", 1);
    svg_line(out, at, top, at, bottom, "#ccc", 1);
    svg_text(out, LEFT, bottom + 16, "start", sensitivity_value_text(value->kind, panel->low, text));
    svg_text(out, at, top - 2, "middle", sensitivity_value_text(value->kind, value->value, text));
    svg_text(out, RIGHT, bottom + 16, "end", sensitivity_value_text(value->kind, panel->high, text));
    svg_text(out, LEFT - 6, top + 4, "end", units_format_duration(panel->most_s, text));
    svg_text(out, LEFT - 6, bottom, "end", units_format_duration(panel->least_s, text));
}

static void draw_curve(const struct panel *panel, const struct sensitivity_value *value, const char *name, size_t row, FILE *out)
{
    static const char *const colors[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf"};
    const char *color = colors[row % (sizeof colors / sizeof *colors)];
    const struct sensitivity_corner *at = value->corners;
    for (size_t i = 0; i + 1 < value->corner_count; i++, at++) {
        const double x = place_x(panel, at->value), y = place_y(panel, at->run_time_s);
        svg_line(out, x, y, place_x(panel, at[1].value), place_y(panel, at[1].run_time_s), color, 1.5);
        if (i > 0) text_print(out, "<circle r=\"2.5\" cx=\"%.1f\" cy=\"%.1f\" fill=\"%s\"/>\n", x, y, color);
    }
    /* names of rows whose curves end together are below each other */
    svg_text(out, place_x(panel, at->value) + 6, place_y(panel, at->run_time_s) + 13 * (double)row, "start", name);
}

void sensitivity_write_svg(const struct sensitivity *made, FILE *out)
{
    const struct sensitivity_row *first = made->rows;
    struct panel panel;
    double top = 0;
    for (size_t i = 0; i < first->value_count; i++)
        if (measure_panel(made, &first->values[i], 0, &panel)) top += HEIGHT;
    text_print(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%g\" font-family=\"sans-serif\" "
                 "font-size=\"12\">\n", WIDTH, top);
    top = 0;
    for (size_t i = 0; i < first->value_count; i++) {
        if (!measure_panel(made, &first->values[i], top, &panel)) continue;
        top += HEIGHT;
        draw_axes(&panel, &first->values[i], out);
        for (size_t r = 0; r < made->row_count; r++) {
            const struct sensitivity_value *value = value_of(&made->rows[r], first->values[i].key);
            if (value) draw_curve(&panel, value, made->rows[r].name, r, out);
        }
    }
    fputs("</svg>\n", out);
}
