#include "platforms/fit/plot.h"

#include <math.h>
#include <stdbool.h>

#include "common/svg.h"
#include "common/units.h"

enum { CURVES = 4, WIDTH = 560, LEFT = 70, TOP = 40, TALL = 330, GAP = 36, LOW = 150, MARGIN = 24, BOTTOM = 46 };
#define RESIDUAL_MOST 0.5 /* the lower axis; larger residuals are drawn at its edge */

static const struct {
    const char *key, *title, *color;
} curves[CURVES] = {{"put", "put and flush", "#1b6ca8"},
                    {"get", "get and flush", "#c0392b"},
                    {"accumulate", "accumulate and flush", "#2e8b57"},
                    {"ping_pong", "half a ping-pong", "#8e6c00"}};

/* A column of the picture and its axes. */
struct axes {
    double left, x_low, x_high, y_low, y_high; /* bytes and seconds, logarithms to base 10 */
};

static double number_at(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItem(object, key);
    if (cJSON_IsObject(item)) item = cJSON_GetObjectItem(item, "value");
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

/* A size of 0 bytes is drawn beside 1. */
static double place_x(const struct axes *axes, double bytes)
{
    return axes->left + LEFT + (WIDTH - LEFT - MARGIN) * (log10(fmax(bytes, 1)) - axes->x_low) / (axes->x_high - axes->x_low);
}

static double place_y(const struct axes *axes, double seconds)
{
    return TOP + TALL * (axes->y_high - log10(seconds)) / (axes->y_high - axes->y_low);
}

static double place_residual(double share)
{
    double middle = TOP + TALL + GAP + LOW / 2.0;
    return middle - LOW / 2.0 * fmin(fmax(share / RESIDUAL_MOST, -1), 1);
}

/* The fitted time of this size; NAN: no line covers it. */
static double fitted_time(const cJSON *curve, double bytes)
{
    const cJSON *segment;
    cJSON_ArrayForEach (segment, cJSON_GetObjectItem(curve, "segments"))
        if (bytes >= number_at(segment, "from_bytes") && bytes <= number_at(segment, "upto_bytes"))
            return number_at(segment, "intercept_s") + number_at(segment, "s_per_byte") * bytes;
    return NAN;
}

/* --- axes --- */

static bool find_range(const cJSON *place, struct axes *axes)
{
    *axes = (struct axes){.x_low = INFINITY, .x_high = -INFINITY, .y_low = INFINITY, .y_high = -INFINITY};
    for (int i = 0; i < CURVES; i++) {
        const cJSON *point;
        cJSON_ArrayForEach (point, cJSON_GetObjectItem(cJSON_GetObjectItem(place, curves[i].key), "points")) {
            double bytes = number_at(point, "bytes"), x = log10(fmax(bytes, 1)), y = number_at(point, "used_s");
            if (!(y > 0) || !isfinite(bytes)) continue;
            axes->x_low = fmin(axes->x_low, x);
            axes->x_high = fmax(axes->x_high, x);
            axes->y_low = fmin(axes->y_low, log10(y));
            axes->y_high = fmax(axes->y_high, log10(y));
        }
    }
    axes->y_low = floor(axes->y_low);
    axes->y_high = ceil(axes->y_high + 1e-9);
    if (axes->x_high <= axes->x_low) axes->x_high = axes->x_low + 1;
    return isfinite(axes->y_low);
}

static void draw_axes(const struct axes *axes, const char *title, FILE *out)
{
    char text[UNITS_TEXT_BYTES];
    double left = axes->left + LEFT, right = axes->left + WIDTH - MARGIN, bottom = TOP + TALL + GAP + LOW;
    svg_text(out, left, TOP - 14, "start", title);
    for (double y = axes->y_low; y <= axes->y_high + 1e-9; y++) {
        svg_line(out, left, place_y(axes, pow(10, y)), right, place_y(axes, pow(10, y)), "#ddd", 1);
        svg_text(out, left - 6, place_y(axes, pow(10, y)) + 4, "end", units_format_duration(pow(10, y), text));
    }
    for (double share = -RESIDUAL_MOST; share <= RESIDUAL_MOST + 1e-9; share += RESIDUAL_MOST / 2) {
        svg_line(out, left, place_residual(share), right, place_residual(share), fabs(share) < 1e-9 ? "#888" : "#ddd", 1);
        snprintf(text, sizeof text, "%+.0f %%", 100 * share);
        svg_text(out, left - 6, place_residual(share) + 4, "end", text);
    }
    for (double bits = 0; bits <= 40; bits += 3) {
        double x = place_x(axes, exp2(bits));
        if (x < left - 0.5 || x > right + 0.5) continue;
        svg_line(out, x, TOP, x, TOP + TALL, "#eee", 1);
        svg_line(out, x, TOP + TALL + GAP, x, bottom, "#eee", 1);
        snprintf(text, sizeof text,
                 bits < 10   ? "%.0f"
                 : bits < 20 ? "%.0f K"
                             : "%.0f M",
                 exp2(bits < 10   ? bits
                      : bits < 20 ? bits - 10
                                  : bits - 20));
        svg_text(out, x, bottom + 16, "middle", text);
    }
    svg_text(out, (left + right) / 2, bottom + 34, "middle", "bytes");
}

/* --- curves --- */

static void draw_point(const struct axes *axes, const cJSON *point, const cJSON *curve, const char *color, FILE *out)
{
    double bytes = number_at(point, "bytes"), used = number_at(point, "used_s"), p90 = number_at(point, "p90_s");
    const char *fill = cJSON_IsTrue(cJSON_GetObjectItem(point, "unsteady")) ? "white" : color;
    if (!(used > 0) || !isfinite(bytes)) return;
    double x = place_x(axes, bytes), fitted = fitted_time(curve, bytes);
    if (p90 > 0) svg_line(out, x, place_y(axes, used), x, fmax(place_y(axes, p90), TOP), color, 0.7);
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\" stroke=\"%s\"/>\n", x, place_y(axes, used), fill, color);
    if (!isfinite(fitted) || fitted <= 0) return;
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\" stroke=\"%s\"/>\n", x,
            place_residual(used / fitted - 1), fill, color);
}

/* A straight line is a curve on these axes. */
static void draw_segment(const struct axes *axes, const cJSON *segment, const char *color, FILE *out)
{
    enum { STEPS = 24 };
    double from = fmax(number_at(segment, "from_bytes"), 1), upto = number_at(segment, "upto_bytes");
    double intercept = number_at(segment, "intercept_s"), slope = number_at(segment, "s_per_byte");
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\" points=\"", color);
    for (int i = 0; i <= STEPS; i++) {
        double bytes = from * pow(upto / from, i / (double)STEPS), time = intercept + slope * bytes;
        if (time > 0) fprintf(out, "%.1f,%.1f ", place_x(axes, bytes), place_y(axes, time));
    }
    fputs("\"/>\n", out);
}

static void draw_curve(const struct axes *axes, const cJSON *place, int index, FILE *out)
{
    const cJSON *curve = cJSON_GetObjectItem(place, curves[index].key), *item;
    if (!curve) return;
    cJSON_ArrayForEach (item, cJSON_GetObjectItem(curve, "segments")) draw_segment(axes, item, curves[index].color, out);
    cJSON_ArrayForEach (item, cJSON_GetObjectItem(curve, "points")) draw_point(axes, item, curve, curves[index].color, out);
    double y = TOP + 16 + 16 * index;
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", axes->left + LEFT + 12, y - 4, curves[index].color);
    svg_text(out, axes->left + LEFT + 22, y, "start", curves[index].title);
}

enum status platform_plot(const cJSON *platform, const char *file, FILE *out, struct err *err)
{
    static const char *const keys[] = {"between", "within"}, *const titles[] = {"Between two nodes", "Within a node"};
    const cJSON *own = cJSON_GetObjectItem(platform, "$calibration");
    struct axes axes[2];
    int columns = 0, places[2];
    for (int i = 0; i < 2; i++) {
        if (!find_range(cJSON_GetObjectItem(own, keys[i]), &axes[columns])) continue;
        axes[columns].left = WIDTH * columns;
        places[columns++] = i;
    }
    if (columns == 0)
        return err_set(err, STATUS_DATA, file, "$calibration",
                       "no measured points, expected a file that rmacast calibrate wrote");
    int height = TOP + TALL + GAP + LOW + BOTTOM;
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
        WIDTH * columns, height, WIDTH * columns, height);
    for (int i = 0; i < columns; i++) {
        draw_axes(&axes[i], titles[places[i]], out);
        for (int k = 0; k < CURVES; k++) draw_curve(&axes[i], cJSON_GetObjectItem(own, keys[places[i]]), k, out);
    }
    fputs("</svg>\n", out);
    return ferror(out) ? err_set(err, STATUS_SYSTEM, NULL, NULL, "the picture cannot be written") : STATUS_OK;
}
