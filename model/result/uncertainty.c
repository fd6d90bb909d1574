#include "model/result/uncertainty.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/json/field_rows.h"
#include "common/text/text.h"
#include "model/result/result_fields.h"

/* Draws that differ by more are of a racing program. */
#define RACING_RANGE 0.02

/* The error of the model, as a share of the time inside MPI, that 90 % of the rows of the campaigns keep (docs/trust.md, where a
 * test computes how many do); of a run time beyond the range of its draws, and of a difference of two
 * rows. Of decided and steered programs there are no differences, and of steered ones few rows: theirs are the largest. */
static const struct {
    const char *name;
    double of_run, of_difference;
} classes[UNCERTAINTY_CLASSES] = {
    [CLASS_UNDRAWN] = {"undrawn", 0.10, 0.05},
    [CLASS_STEADY] = {"steady", 0.05, 0.05},
    [CLASS_RACING] = {"racing", 0.10, 0.10},
    [CLASS_DECIDED] = {"decided", 0.25, 0.25},
    [CLASS_STEERED] = {"steered", 0.30, 0.30},
};
static const char *const parts[UNCERTAINTY_PARTS] = {"recording", "races", "platform", "model"};

static const char *const sources[ERROR_SOURCES] = ERROR_SOURCE_NAMES;

/* Sources err independently. */
static double sum_sources(const double source_s[ERROR_SOURCES])
{
    double squares = NAN;
    for (int i = 0; i < ERROR_SOURCES; i++)
        if (!isnan(source_s[i])) squares = (isnan(squares) ? 0 : squares) + source_s[i] * source_s[i];
    return sqrt(squares);
}

struct uncertainty uncertainty_of_run(double recording_s, const double *source_s, enum uncertainty_class class, double in_mpi_s)
{
    struct uncertainty made = {.known = true, .class = class, .in_mpi_s = in_mpi_s};
    for (int i = 0; i < ERROR_SOURCES; i++) made.source_s[i] = source_s ? source_s[i] : NAN;
    made.part_s[PART_RECORDING] = recording_s;
    made.part_s[PART_RACES] = NAN;
    made.part_s[PART_PLATFORM] = sum_sources(made.source_s);
    made.part_s[PART_MODEL] = classes[made.class].of_run * in_mpi_s;
    return made;
}

void uncertainty_draw(struct uncertainty *of, double least_s, double most_s, double median_s)
{
    if (!of->known) return;
    if (of->class < CLASS_DECIDED)
        of->class = most_s - least_s > RACING_RANGE * median_s ? CLASS_RACING : CLASS_STEADY;
    of->part_s[PART_RACES] = (most_s - least_s) / 2;
    of->part_s[PART_MODEL] = classes[of->class].of_run * of->in_mpi_s;
}

void uncertainty_record(struct uncertainty *of, double band_s)
{
    const double platform_s = of->part_s[PART_PLATFORM], rest_s = isnan(platform_s) ? band_s : band_s - platform_s;
    of->part_s[PART_RECORDING] = rest_s < 0 ? 0 : rest_s;
}

struct uncertainty uncertainty_of_difference(const struct uncertainty *a, const struct uncertainty *b)
{
    struct uncertainty made = {.known = a->known && b->known, .class = a->class > b->class ? a->class : b->class};
    if (!made.known) return made;
    made.in_mpi_s = fmax(a->in_mpi_s, b->in_mpi_s);
    made.part_s[PART_RECORDING] = hypot(a->part_s[PART_RECORDING], b->part_s[PART_RECORDING]);
    made.part_s[PART_RACES] = hypot(a->part_s[PART_RACES], b->part_s[PART_RACES]);
    for (int i = 0; i < ERROR_SOURCES; i++) made.source_s[i] = a->source_s[i] - b->source_s[i];
    made.part_s[PART_PLATFORM] = sum_sources(made.source_s);
    made.part_s[PART_MODEL] = classes[made.class].of_difference * made.in_mpi_s;
    return made;
}

double uncertainty_total_s(const struct uncertainty *of)
{
    double total_s = 0;
    bool known = false;
    for (int i = 0; of->known && i < UNCERTAINTY_PARTS; i++) {
        if (isnan(of->part_s[i])) continue;
        known = true;
        total_s += of->part_s[i];
    }
    return known ? total_s : NAN;
}

char *uncertainty_total_text(const struct uncertainty *of, char text[UNITS_TEXT_BYTES])
{
    double total_s = uncertainty_total_s(of);
    return isnan(total_s) ? strcpy(text, "unknown") : units_format_duration(total_s, text);
}

bool uncertainty_tells(const struct uncertainty *of, double difference_s)
{
    double total_s = uncertainty_total_s(of);
    return isnan(total_s) ? difference_s != 0 : fabs(difference_s) > total_s;
}

const char *uncertainty_warning(const struct uncertainty *of)
{
    if (!of->known || of->class < CLASS_DECIDED) return NULL;
    if (of->class == CLASS_DECIDED)
        return "which rank makes which task of a queue is decided anew: a run on the platform may deal them out otherwise";
    return "results of fetching operations may decide which calls the program makes: a run on the platform may make others "
           "than are replayed";
}

enum { UNKNOWN_BYTES = 64 };

/* "races, platform". */
static char *name_unknown(const struct uncertainty *of, char text[UNKNOWN_BYTES])
{
    *text = '\0';
    for (int i = 0; i < UNCERTAINTY_PARTS; i++)
        if (isnan(of->part_s[i])) strcat(strcat(text, *text ? ", " : ""), parts[i]);
    return text;
}

void uncertainty_print_unknown(const struct uncertainty *of, FILE *out)
{
    char text[UNKNOWN_BYTES];
    if (of->known && *name_unknown(of, text)) text_print(out, "+-: without the parts that are unknown: %s.\n", text);
}

char *uncertainty_text(const struct uncertainty *of, char text[UNCERTAINTY_TEXT_BYTES])
{
    char time[UNITS_TEXT_BYTES], known[UNCERTAINTY_TEXT_BYTES / 2 - UNITS_TEXT_BYTES] = "", unknown[UNKNOWN_BYTES];
    for (int i = 0; i < UNCERTAINTY_PARTS; i++) {
        size_t length = strlen(known);
        if (isnan(of->part_s[i]) || of->part_s[i] == 0) continue;
        snprintf(known + length, sizeof known - length, "%s%s %s", length > 0 ? ", " : "", parts[i],
                 units_format_duration(of->part_s[i], time));
    }
    name_unknown(of, unknown);
    snprintf(text, UNCERTAINTY_TEXT_BYTES, "%s (%s%s%s%s)", uncertainty_total_text(of, time), known,
             *known && *unknown ? "; " : "", *unknown ? "unknown: " : "", unknown);
    return text;
}

static const char *name_part(int part)
{
    return parts[part];
}

static const char *name_source(int source)
{
    return sources[source];
}

static const char *name_class(int class)
{
    return classes[class].name;
}

static void make_total(const void *of, void *made)
{
    *(double *)made = uncertainty_total_s(of);
}

#define S struct uncertainty
static const struct field member_fields[] = {COMPUTED("error_s", FIELD_DOUBLE, make_total, IF_FINITE),
                                             NAMED("error_parts", part_s, name_part),
                                             NAMED("error_sources", source_s, name_source, SIGNED, LEFT_OUT),
                                             NAME_OF("error_class", class, name_class, UNCERTAINTY_CLASSES), {0}};
const struct field uncertainty_fields[] = {
    {.key = "error_parts", .kind = FIELD_INLINE, .rows = member_fields, .left_out = true, IF_FLAG(known)}, {0}};
#undef S
