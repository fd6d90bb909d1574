/* draw_timeline [--text] TRACE: the wait state that the file is named after (late_post.txt), as an SVG time line on
 * standard output, or as lines of text. Fails if the detector does not find it. docs/timelines holds the pictures,
 * docs/patterns.md the texts; check_timelines.sh tells whether they are up to date. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/waits/detect.h"
#include "trace/open.h"

enum {
    LEFT = 60,
    PLOT = 640,
    TOP = 34,
    ROW = 58,
    BOX = 22,
    LETTER = 6, /* width of one, about */
    TICK_US = 10,
    FINDINGS = 16,
    TEXT_LEFT = 10, /* columns before the time line; one column is 1 us */
    TEXT_COLUMNS = 130,
};

struct picture {
    const struct trace *trace;
    int64_t begin_ps, end_ps;
    struct finding findings[FINDINGS];
    size_t count;
};

static void collect(void *context, const struct finding *finding)
{
    struct picture *picture = context;
    if (picture->count < FINDINGS) picture->findings[picture->count++] = *finding;
}

static int x_of(const struct picture *picture, int64_t time_ps)
{
    return LEFT + (int)((time_ps - picture->begin_ps) * PLOT / (picture->end_ps - picture->begin_ps));
}

/* Each thread has a row. */
static int y_of(const struct picture *picture, uint32_t rank, uint32_t thread)
{
    uint32_t row = thread;
    for (uint32_t r = 0; r < rank; r++) row += trace_thread_count(picture->trace, r);
    return TOP + (int)row * ROW;
}

static int y_of_call(const struct picture *picture, uint32_t rank, size_t call)
{
    return y_of(picture, rank, trace_call_thread(picture->trace, rank, call));
}

static void draw_axis(const struct picture *picture)
{
    int bottom = y_of(picture, picture->trace->rank_count, 0);
    const int64_t tick_ps = TICK_US * INT64_C(1000000);
    for (int64_t t = 0; t <= picture->end_ps; t += tick_ps)
        printf("<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"grid\"/>\n"
               "<text x=\"%d\" y=\"%d\" class=\"time\">%" PRId64 "</text>\n",
               x_of(picture, t), TOP - 14, x_of(picture, t), bottom, x_of(picture, t), bottom + 14, t / 1000000);
    printf("<text x=\"%d\" y=\"%d\" class=\"time\">us</text>\n", LEFT + PLOT + 20, bottom + 14);
}

/* The name without MPI_, pthread_. */
static const char *short_name(const struct trace_call *call)
{
    const char *name = call_name(call->call), *underscore = strchr(name, '_');
    return underscore ? underscore + 1 : name;
}

static void draw_call(const struct picture *picture, uint32_t rank, size_t index)
{
    const struct trace_call *call = &picture->trace->ranks[rank].calls[index];
    int x = x_of(picture, call->enter_ps), width = x_of(picture, call->exit_ps) - x,
        y = y_of_call(picture, rank, index);
    const char *name = short_name(call);
    bool inside = width >= (int)strlen(name) * LETTER + 4;
    printf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"call\"/>\n", x, y, width > 0 ? width : 1, BOX);
    printf("<text x=\"%d\" y=\"%d\" class=\"name\">%s</text>\n", inside ? x + 3 : x, inside ? y + 15 : y - 4, name);
}

static void draw_line(const struct picture *picture, uint32_t rank, uint32_t thread)
{
    int y = y_of(picture, rank, thread);
    printf("<text x=\"4\" y=\"%d\" class=\"rank\">%s %" PRIu32 "</text>\n", y + 15, thread > 0 ? "thread" : "rank",
           thread > 0 ? thread : rank);
    printf("<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"rank\"/>\n", LEFT, y + BOX / 2, LEFT + PLOT,
           y + BOX / 2);
}

static void draw_rank(const struct picture *picture, uint32_t rank)
{
    for (uint32_t t = 0; t < trace_thread_count(picture->trace, rank); t++) draw_line(picture, rank, t);
    for (size_t i = 0; i < picture->trace->ranks[rank].count; i++) draw_call(picture, rank, i);
}

/* The end of the part of the call that the finding counts: its cause, or the end of the call. */
static int64_t end_of_wait(const struct finding *finding, const struct trace_call *call)
{
    bool caused = finding->cause_call != FINDING_NO_CALL && finding->until_ps <= call->exit_ps &&
                  finding->until_ps - finding->severity_ps >= call->enter_ps;
    return caused ? finding->until_ps : call->exit_ps;
}

static void draw_wait(const struct picture *picture, const struct finding *finding)
{
    const struct trace_call *call = &picture->trace->ranks[finding->rank].calls[finding->call];
    int64_t end_ps = end_of_wait(finding, call);
    int x = x_of(picture, end_ps - finding->severity_ps), y = y_of_call(picture, finding->rank, finding->call);
    printf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"wait\"/>\n", x, y, x_of(picture, end_ps) - x,
           BOX);
    if (finding->severity_ps == 0)
        printf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"mark\"/>\n", x_of(picture, call->enter_ps),
               y, x_of(picture, call->exit_ps) - x_of(picture, call->enter_ps), BOX);
    if (finding->cause_call == FINDING_NO_CALL || finding->severity_ps == 0) return;
    int cause = y_of_call(picture, finding->cause_rank, finding->cause_call);
    if (cause == y) return;
    bool down = y > cause;
    int from = cause + (down ? BOX : 0), to = y + (down ? 0 : BOX);
    int at = x_of(picture, finding->until_ps);
    printf("<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"cause\"/>\n", at, from, at, to);
    printf("<path d=\"M%d,%d l-4,%d l8,0 z\" class=\"tip\"/>\n", at, to, down ? -8 : 8);
}

static void draw(const struct picture *picture, enum pattern pattern)
{
    static const char style[] = ".grid{stroke:#ddd}.time{font:10px sans-serif;text-anchor:middle;fill:#666}"
                                ".rank{font:12px sans-serif;stroke:none;fill:#222}line.rank{stroke:#888}"
                                ".call{fill:#c6d8ee;stroke:#456}.name{font:10px sans-serif;fill:#123}"
                                ".wait{fill:#d33;fill-opacity:.45}.mark{fill:none;stroke:#d33;stroke-width:2}"
                                ".cause{stroke:#d33}.tip{fill:#d33}.title{font:bold 12px sans-serif}";
    int width = LEFT + PLOT + 40, height = y_of(picture, picture->trace->rank_count, 0) + 22;
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n", width,
           height, width, height);
    printf("<style>%s</style>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", style, width, height);
    printf("<text x=\"4\" y=\"14\" class=\"title\">%s</text>\n", pattern_row(pattern)->title);
    draw_axis(picture);
    for (uint32_t r = 0; r < picture->trace->rank_count; r++) draw_rank(picture, r);
    for (size_t i = 0; i < picture->count; i++) draw_wait(picture, &picture->findings[i]);
    printf("</svg>\n");
}

static size_t column_of(int64_t time_ps)
{
    return TEXT_LEFT + (size_t)(time_ps / 1000000);
}

/* A line of text with blanks up to its last mark. */
struct line {
    char text[TEXT_COLUMNS + 1];
    size_t length;
};

static void put_text(struct line *line, size_t column, const char *text)
{
    for (; *text && column < TEXT_COLUMNS; text++, column++) {
        while (line->length <= column) line->text[line->length++] = ' ';
        line->text[column] = *text;
    }
}

static void put_mark(struct line *line, int64_t from_ps, int64_t to_ps, char mark)
{
    for (size_t column = column_of(from_ps); column < column_of(to_ps); column++)
        put_text(line, column, (char[]){mark, '\0'});
}

static void print_line(const struct line *line)
{
    printf("%.*s\n", (int)line->length, line->text);
}

/* "[==##==]" with the name above it; a call without duration is "|". */
static void write_call(const struct picture *picture, uint32_t rank, size_t index, struct line *names,
                       struct line *calls)
{
    const struct trace_call *call = &picture->trace->ranks[rank].calls[index];
    size_t column = column_of(call->enter_ps);
    const char *name = short_name(call);
    put_text(names, names->length > column ? names->length + 1 : column, name);
    put_mark(calls, call->enter_ps, call->exit_ps, '=');
    for (size_t i = 0; i < picture->count; i++) {
        const struct finding *finding = &picture->findings[i];
        if (finding->rank != rank || finding->call != index) continue;
        int64_t end_ps = end_of_wait(finding, call);
        put_mark(calls, end_ps - finding->severity_ps, end_ps, '#');
        if (finding->severity_ps == 0) put_mark(calls, call->enter_ps, call->exit_ps, '+');
    }
    put_text(calls, column, call->exit_ps > call->enter_ps ? "[" : "|");
    if (call->exit_ps > call->enter_ps) put_text(calls, column_of(call->exit_ps) - 1, "]");
}

static void write_line(const struct picture *picture, uint32_t rank, uint32_t thread)
{
    struct line names = {.length = 0}, calls = {.length = 0};
    char text[TEXT_LEFT + 16];
    snprintf(text, sizeof text, "%s %" PRIu32, thread > 0 ? "thread" : "rank", thread > 0 ? thread : rank);
    put_text(&calls, 0, text);
    for (size_t i = 0; i < picture->trace->ranks[rank].count; i++)
        if (trace_call_thread(picture->trace, rank, i) == thread) write_call(picture, rank, i, &names, &calls);
    print_line(&names);
    print_line(&calls);
}

static void write_text(const struct picture *picture)
{
    struct line axis = {.length = 0};
    put_text(&axis, 0, "us");
    for (int64_t t = 0; t <= picture->end_ps; t += TICK_US * INT64_C(1000000)) {
        char text[24];
        snprintf(text, sizeof text, "%" PRId64, t / 1000000);
        put_text(&axis, column_of(t), text);
    }
    print_line(&axis);
    for (uint32_t r = 0; r < picture->trace->rank_count; r++)
        for (uint32_t t = 0; t < trace_thread_count(picture->trace, r); t++) write_line(picture, r, t);
}

static detector_function *detector_of(enum pattern pattern)
{
#define DETECTOR(ID, FUNCTION)                                                                                         \
    if (pattern == PATTERN_##ID) return FUNCTION;
#include "model/waits/detectors.def"
#undef DETECTOR
    return NULL;
}

static enum status find(const struct relations *relations, enum pattern pattern, struct picture *picture,
                        struct err *err)
{
    static const struct analyze_options options = ANALYZE_DEFAULTS;
    struct totals totals;
    TRY(totals_init(&totals, relations->trace->rank_count, err));
    struct detection detection = {.relations = relations,
                                  .options = &options,
                                  .totals = &totals,
                                  .observer = collect,
                                  .observer_context = picture,
                                  .err = err};
    enum status status = detector_of(pattern)(&detection);
    totals_clear(&totals);
    if (status == STATUS_OK && picture->count == 0)
        status = err_set(err, STATUS_DATA, relations->trace->name, NULL, "no %s found, expected one",
                         pattern_row(pattern)->name);
    return status;
}

static bool pattern_of_file(const char *file, enum pattern *pattern)
{
    const char *name = strrchr(file, '/');
    name = name ? name + 1 : file;
    for (int p = 0; p < PATTERN_COUNT; p++) {
        size_t bytes = strlen(pattern_row((enum pattern)p)->name);
        *pattern = (enum pattern)p;
        if (strncmp(name, pattern_row(*pattern)->name, bytes) == 0 && name[bytes] == '.') return true;
    }
    return false;
}

static enum status draw_file(const char *file, bool text, struct err *err)
{
    enum pattern pattern;
    struct trace *trace;
    struct relations relations;
    if (!pattern_of_file(file, &pattern)) return err_set(err, STATUS_USAGE, file, NULL, "no pattern has this name");
    TRY(trace_open(file, &trace, err));
    struct picture picture = {.trace = trace};
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (trace->ranks[r].count > 0 && trace_rank_end_ps(trace, r) > picture.end_ps)
            picture.end_ps = trace_rank_end_ps(trace, r);
    enum status status = relations_build(trace, &relations, err);
    if (status == STATUS_OK) {
        status = find(&relations, pattern, &picture, err);
        if (status == STATUS_OK && text) write_text(&picture);
        if (status == STATUS_OK && !text) draw(&picture, pattern);
        relations_clear(&relations);
    }
    trace_free(trace);
    return status;
}

static int list(void)
{
    for (int p = 0; p < PATTERN_COUNT; p++) puts(pattern_row((enum pattern)p)->name);
    return 0;
}

int main(int argc, char **argv)
{
    struct err err;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) return list();
    bool text = argc == 3 && strcmp(argv[1], "--text") == 0;
    if (argc != 2 && !text) {
        fprintf(stderr, "usage: draw_timeline [--text] PATTERN.txt | --list\n");
        return 2;
    }
    if (draw_file(argv[argc - 1], text, &err) == STATUS_OK) return 0;
    fprintf(stderr, "draw_timeline: %s\n", err.text);
    return 1;
}
