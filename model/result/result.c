#include "model/result/result.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "model/result/result_fields.h"
#include "model/waits/properties.h"
#include "trace/trace.h"

enum { NOTE_BYTES = 512 };

enum status result_new(uint32_t rank_count, struct result **result, struct err *err)
{
    struct result *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    size_t ranks = rank_count > 0 ? rank_count : 1;
    made->rank_count = rank_count;
    made->rank_time_s = calloc(ranks, sizeof *made->rank_time_s);
    made->rank_user_s = calloc(ranks, sizeof *made->rank_user_s);
    made->rank_path_s = calloc(ranks, sizeof *made->rank_path_s);
    int p = 0;
    while (p < PATTERN_COUNT && (made->patterns[p].rank_severity_s = calloc(ranks, sizeof(double))) != NULL) p++;
    if (!made->rank_time_s || !made->rank_user_s || !made->rank_path_s || p < PATTERN_COUNT) {
        result_free(made);
        return err_memory(err);
    }
    *result = made;
    return STATUS_OK;
}

void result_place_clear(struct result_place *place)
{
    fields_clear(place_fields, place);
    *place = (struct result_place){0};
}

enum status result_who_set(const struct trace *trace, uint32_t rank, uint32_t thread, struct result_who *who,
                           struct err *err)
{
    const char *node = trace_node_name(trace, rank);
    *who = (struct result_who){.rank = rank, .thread = -1};
    if (trace_thread_count(trace, rank) > 1) who->thread = (int32_t)thread;
    if (node && !(who->node = strdup(node))) return err_memory(err);
    return STATUS_OK;
}

void result_group_clear(struct result_group *group)
{
    fields_clear(callpath_fields, group); /* name and file, whatever the grouping */
    *group = (struct result_group){0};
}

void result_violations_clear(struct result_violations *violations)
{
    fields_clear(violations_fields, violations);
    *violations = (struct result_violations){.known = false};
}

void result_free(struct result *result)
{
    if (!result) return;
    fields_clear(result_fields, result);
    for (size_t i = 0; i < result->property_count; i++) free(result->properties[i].name);
    efficiency_free(result->efficiency);
    FREE_ALL(result->properties, result->behaviour, result->rank_user_s, result->rank_path_s, result);
}

enum status result_add_left_out(struct result *result, const struct result_left_out *made, struct err *err)
{
    TRY(array_reserve((void **)&result->left_out, &result->left_out_capacity, result->left_out_count + 1,
                      sizeof *result->left_out, err));
    struct result_left_out *own = &result->left_out[result->left_out_count];
    *own = *made;
    own->reason = strdup(made->reason);
    if (!own->reason) return err_memory(err);
    result->left_out_count++;
    return STATUS_OK;
}

enum status result_add_behaviour(struct result *result, const struct result_behaviour *made, struct err *err)
{
    ARRAY_PUSH(result->behaviour, result->behaviour_count, result->behaviour_capacity, *made, err);
    return STATUS_OK;
}

double result_in_mpi_s(const struct result *result)
{
    if (result->property_count == 0 || result->rank_count == 0) return 0;
    return fmin(result->properties[PROPERTY_MPI].inclusive_s / result->rank_count, result->run_time_s);
}

enum status result_add_note(struct result *result, struct err *err, const char *format, ...)
{
    char text[NOTE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    TRY(array_reserve((void **)&result->notes, &result->note_capacity, result->note_count + 1, sizeof *result->notes,
                      err));
    char *note = strdup(text);
    if (!note) return err_memory(err);
    result->notes[result->note_count++] = note;
    return STATUS_OK;
}

void result_give_notes(struct result *result, char ***notes, size_t *count)
{
    *notes = result->notes;
    *count = result->note_count;
    result->notes = NULL;
    result->note_count = result->note_capacity = 0;
}

bool result_has_note(char *const *notes, size_t count, const char *note)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(notes[i], note) == 0) return true;
    return false;
}

char *result_disturbance_text(const struct result_disturbance *disturbance, char text[RESULT_DISTURBANCE_BYTES])
{
    char waited[UNITS_TEXT_BYTES], inside[UNITS_TEXT_BYTES];
    double share = disturbance->computing_s > 0 ? disturbance->waited_s / disturbance->computing_s : 0;
    int used = snprintf(text, RESULT_DISTURBANCE_BYTES, "computing waited %s for a core, %.1f %% of it",
                        units_format_duration(disturbance->waited_s, waited), 100 * share);
    if (disturbance->waited_s > 0)
        used += snprintf(text + used, RESULT_DISTURBANCE_BYTES - (size_t)used, "; rank %" PRIu32 " %.1f %%",
                         disturbance->worst_rank, 100 * disturbance->worst_share);
    if (disturbance->mpi_waited_s > 0)
        used += snprintf(text + used, RESULT_DISTURBANCE_BYTES - (size_t)used, "; of %s in MPI %s without a core",
                         units_format_duration(disturbance->mpi_s, inside),
                         units_format_duration(disturbance->mpi_waited_s, waited));
    if (disturbance->crowded)
        snprintf(text + used, RESULT_DISTURBANCE_BYTES - (size_t)used, "; more ranks than cores on a node");
    return text;
}

char *result_library_text(const char *library, const char *transport, char text[RESULT_LIBRARY_BYTES])
{
    snprintf(text, RESULT_LIBRARY_BYTES, "%s%s%s", library ? library : RESULT_IDEAL_LIBRARY, transport ? " over " : "",
             transport ? transport : "");
    for (char *at = text; *at; at++)
        if (isspace((unsigned char)*at)) *at = ' '; /* MPICH has a tab in its name */
    return text;
}

char *result_section_text(const struct result_section *section, char text[RESULT_SECTION_BYTES])
{
    const char *words[][2] = {{"from ", section->from}, {"to ", section->to}, {"at ", section->callpath}};
    size_t used = 0;
    snprintf(text, RESULT_SECTION_BYTES, "the whole run");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (section->known && words[i][1])
            used += (size_t)snprintf(text + used, RESULT_SECTION_BYTES - used, "%s%s%.100s", used ? " " : "", words[i][0],
                                     words[i][1]);
    if (section->known && section->without_init)
        snprintf(text + used, RESULT_SECTION_BYTES - used, "%swithout MPI_Init and MPI_Finalize", used ? " " : "");
    return text;
}
