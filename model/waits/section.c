#include "model/waits/section.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "model/result/result.h"

bool section_is_set(const struct section_marks *marks)
{
    return marks->from || marks->to || marks->callpath || marks->without_init;
}

void section_clear(struct section *section)
{
    free(section->from_ps);
    free(section->to_ps);
    *section = (struct section){NULL, NULL};
}

enum side { BEGINS, ENDS };

struct mark {
    const char *text, *option;
    enum side side;
    bool is_time;
    int64_t time_ps;
    size_t name_length;
    int64_t number; /* of the occurrence, from 1; 0: the first or the last one */
};

/* "MPI_Barrier#2"; "#7(begin)" and "MPI_Barrier#0" are names. */
static struct mark read_mark(const char *text, enum side side)
{
    struct mark mark = {.text = text, .option = side == BEGINS ? "--from" : "--to", .side = side};
    const char *hash = strrchr(text, '#'), *end = text + strlen(text);
    double time_s;
    mark.is_time = units_parse_duration(text, &time_s) && time_s >= 0 && time_s < 1e6;
    if (mark.is_time) mark.time_ps = units_ps(time_s);
    mark.name_length = (size_t)(end - text);
    if (!hash || hash == text || !hash[1] || hash[1] == '0') return mark;
    if (hash + 1 + strspn(hash + 1, "0123456789") != end || end - hash > 15) return mark;
    mark.name_length = (size_t)(hash - text);
    mark.number = strtoll(hash + 1, NULL, 10);
    return mark;
}

static bool is_named(const struct mark *mark, const char *name)
{
    return strncmp(mark->text, name, mark->name_length) == 0 && name[mark->name_length] == '\0';
}

static bool is_marked(const struct trace *trace, const struct mark *mark, const struct trace_call *call)
{
    if (call->call == (mark->side == BEGINS ? ID_region_enter : ID_region_leave))
        return is_named(mark, trace->definitions.regions[call->region.region]);
    return !call_is_region(call->call) && is_named(mark, call_name(call->call));
}

/* The time of the mark on the rank; false: it does not occur. */
static bool find_mark(const struct trace *trace, uint32_t rank, const struct mark *mark, int64_t *time_ps)
{
    const struct trace_rank *process = &trace->ranks[rank];
    int64_t seen = 0;
    bool found = mark->is_time;
    if (found) *time_ps = trace_begin_ps(trace) + mark->time_ps;
    for (size_t i = 0; !mark->is_time && i < process->count; i++) {
        if (!is_marked(trace, mark, &process->calls[i])) continue;
        seen++;
        if (mark->number > 0 && seen != mark->number) continue;
        *time_ps = process->calls[i].exit_ps;
        found = true;
        if (mark->number > 0 || mark->side == BEGINS) break;
    }
    return found;
}

/* Moves the section's begin to the end of the last initialisation, and its end to the begin of the first
 * finalisation. */
static void leave_out_init(const struct trace_rank *rank, int64_t *from_ps, int64_t *to_ps)
{
    for (size_t i = 0; i < rank->count; i++) {
        const struct trace_call *call = &rank->calls[i];
        if (call_kind(call->call) == CALL_INIT && call->exit_ps > *from_ps) *from_ps = call->exit_ps;
        if (call_kind(call->call) == CALL_FINALIZE && call->enter_ps < *to_ps) *to_ps = call->enter_ps;
    }
}

static enum status find_side(const struct trace *trace, const char *text, enum side side, int64_t *times_ps, bool *known,
                             struct err *err)
{
    if (!text) return STATUS_OK;
    struct mark mark = read_mark(text, side);
    bool any = false;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        bool found = find_mark(trace, r, &mark, &times_ps[r]);
        known[r] = known[r] && found;
        any = any || found;
    }
    if (any) return STATUS_OK;
    return err_set(err, STATUS_DATA, trace->name, NULL,
                   "%s %s: no rank has it, expected a time, a user region or an MPI function of the trace, the K-th as "
                   "NAME#K",
                   mark.option, text);
}

static enum status check_side(const struct trace *trace, uint32_t rank, const struct section *section, struct err *err)
{
    char from[UNITS_TEXT_BYTES], to[UNITS_TEXT_BYTES];
    int64_t begin_ps = trace_begin_ps(trace);
    if (section->from_ps[rank] <= section->to_ps[rank]) return STATUS_OK;
    return err_set(err, STATUS_DATA, trace->name, NULL,
                   "the section of rank %u begins at %s s and ends at %s s, expected its end behind its begin", rank,
                   units_format_ps(section->from_ps[rank] - begin_ps, from),
                   units_format_ps(section->to_ps[rank] - begin_ps, to));
}

static enum status find_section(const struct trace *trace, const struct section_marks *marks, struct section *section,
                        bool *known, struct err *err)
{
    int64_t begin_ps = trace_begin_ps(trace);
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        section->from_ps[r] = begin_ps;
        section->to_ps[r] = trace->ranks[r].count > 0 ? trace_rank_end_ps(trace, r) : begin_ps;
        if (marks->without_init) leave_out_init(&trace->ranks[r], &section->from_ps[r], &section->to_ps[r]);
        known[r] = trace->ranks[r].count > 0;
    }
    TRY(find_side(trace, marks->from, BEGINS, section->from_ps, known, err));
    TRY(find_side(trace, marks->to, ENDS, section->to_ps, known, err));
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        int64_t end_ps = trace->ranks[r].count > 0 ? trace_rank_end_ps(trace, r) : begin_ps;
        if (section->to_ps[r] > end_ps) section->to_ps[r] = end_ps;
        if (section->from_ps[r] > end_ps) section->from_ps[r] = end_ps;
        if (!known[r]) section->to_ps[r] = section->from_ps[r];
        TRY(check_side(trace, r, section, err));
    }
    return STATUS_OK;
}

enum status section_find(const struct trace *trace, const struct section_marks *marks, struct section *section,
                         struct err *err)
{
    size_t ranks = (size_t)trace->rank_count + 1;
    bool *known = calloc(ranks, sizeof *known);
    *section = (struct section){calloc(ranks, sizeof *section->from_ps), calloc(ranks, sizeof *section->to_ps)};
    enum status status = known && section->from_ps && section->to_ps ? find_section(trace, marks, section, known, err)
                                                                     : err_memory(err);
    free(known);
    if (status != STATUS_OK) section_clear(section);
    return status;
}

enum status section_find_asked(const struct trace *trace, const struct section_marks *marks, struct section *room,
                               const struct section **section, struct err *err)
{
    *room = (struct section){NULL, NULL};
    *section = NULL;
    if (!marks || !section_is_set(marks)) return STATUS_OK;
    TRY(section_find(trace, marks, room, err));
    *section = room;
    return STATUS_OK;
}

/* Time of thread 0 at places that a pattern names. */
struct places {
    const struct trace *trace;
    const struct callpaths *paths;
    const char *pattern;
    struct map matches; /* place to whether it matches */
    bool any;           /* some place matches */
    struct err *err;
};

/* function is ID_none for computing, whose place has regions only. */
static enum status match_place(struct places *places, uint32_t node, uint32_t site, enum mpi_call function, bool *match)
{
    uint64_t key = ((uint64_t)node << 40) ^ ((uint64_t)site << 12) ^ (uint64_t)function, *slot;
    const uint64_t *known = map_find(&places->matches, key);
    char *text;
    if (known) {
        *match = *known;
        return STATUS_OK;
    }
    TRY(function == ID_none ? callpath_regions(places->trace, places->paths, node, &text, places->err)
                            : callpath_text(places->trace, places->paths, node, site, function, &text, places->err));
    *match = fnmatch(places->pattern, text, 0) == 0;
    places->any = places->any || *match;
    free(text);
    return map_put(&places->matches, key, *match, &slot, places->err);
}

static int64_t overlap_ps(const struct section *section, uint32_t rank, int64_t from_ps, int64_t to_ps)
{
    if (from_ps < section->from_ps[rank]) from_ps = section->from_ps[rank];
    if (to_ps > section->to_ps[rank]) to_ps = section->to_ps[rank];
    return to_ps > from_ps ? to_ps - from_ps : 0;
}

static enum status add_places(struct places *places, const struct section *section, uint32_t rank, int64_t *sum_ps)
{
    const struct trace_rank *process = &places->trace->ranks[rank];
    int64_t left_ps = trace_begin_ps(places->trace);
    uint32_t inside = CALLPATH_ROOT; /* the region in which the thread computes */
    for (size_t i = 0; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        bool match;
        if (trace_call_thread(places->trace, rank, i) != 0) continue;
        TRY(match_place(places, inside, TRACE_NO_SITE, ID_none, &match));
        if (match) *sum_ps += overlap_ps(section, rank, left_ps, call->enter_ps);
        left_ps = call->exit_ps;
        inside = callpath_at(places->paths, rank, i);
        if (call_is_region(call->call)) continue;
        TRY(match_place(places, inside, call->site, call->call, &match));
        if (match) *sum_ps += overlap_ps(section, rank, call->enter_ps, call->exit_ps);
    }
    return STATUS_OK;
}

static enum status copy_text(const char *text, char **copy, struct err *err)
{
    *copy = text ? strdup(text) : NULL;
    return text && !*copy ? err_memory(err) : STATUS_OK;
}

enum status section_report(const struct trace *trace, const struct callpaths *paths, const struct section_marks *marks,
                           const struct section *section, struct result *result, struct err *err)
{
    struct places places = {.trace = trace, .paths = paths, .pattern = marks->callpath, .err = err};
    enum status status = STATUS_OK;
    result->run_time_s = 0;
    for (uint32_t r = 0; status == STATUS_OK && r < trace->rank_count; r++) {
        int64_t time_ps = 0;
        if (marks->callpath)
            status = add_places(&places, section, r, &time_ps);
        else
            time_ps = section->to_ps[r] - section->from_ps[r];
        places.any = places.any || time_ps > 0;
        result->rank_time_s[r] = units_s(time_ps);
        if (result->rank_time_s[r] > result->run_time_s) result->run_time_s = result->rank_time_s[r];
    }
    map_clear(&places.matches);
    TRY(status);
    result->section.known = true;
    result_share_calls(result);
    result->section.empty = !places.any;
    result->section.without_init = marks->without_init;
    TRY(copy_text(marks->from, &result->section.from, err));
    TRY(copy_text(marks->to, &result->section.to, err));
    TRY(copy_text(marks->callpath, &result->section.callpath, err));
    char text[RESULT_SECTION_BYTES];
    if (!result->section.empty) return STATUS_OK;
    return result_add_note(result, err, "no call and no computing of the run is %s",
                           result_section_text(&result->section, text));
}
