#include "model/waits/section.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "model/result/result.h"

bool section_is_set(const struct section_marks *marks)
{
    return marks->from || marks->to || marks->callpath || marks->without_init;
}

void section_clear(struct section *section)
{
    FREE_ALL(section->from_ps, section->to_ps);
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

struct rank_search {
    int64_t end_ps;              /* of its last call */
    int64_t init_ps, finalize_ps; /* the end of the last initialisation, the begin of the first finalisation */
    int64_t seen[2], time_ps[2]; /* of the marks */
    bool any, found[2];
};

struct section_search {
    const struct trace *trace;
    const struct section_marks *asked;
    struct mark marks[2];
    struct rank_search *ranks;
    int64_t begin_ps; /* of the trace */
};

enum status section_search_new(const struct trace *trace, const struct section_marks *marks, struct section_search **search,
                               struct err *err)
{
    struct section_search *made = calloc(1, sizeof *made);
    if (made) made->ranks = calloc((size_t)trace->rank_count + 1, sizeof *made->ranks);
    if (!made || !made->ranks) {
        section_search_free(made);
        return err_memory(err);
    }
    made->trace = trace;
    made->asked = marks;
    made->begin_ps = INT64_MAX;
    if (marks->from) made->marks[BEGINS] = read_mark(marks->from, BEGINS);
    if (marks->to) made->marks[ENDS] = read_mark(marks->to, ENDS);
    *search = made;
    return STATUS_OK;
}

void section_search_free(struct section_search *search)
{
    if (search) free(search->ranks);
    free(search);
}

void section_search_add(struct section_search *search, uint32_t rank, const struct trace_call *call)
{
    struct rank_search *of = &search->ranks[rank];
    if (!of->any) *of = (struct rank_search){.any = true, .end_ps = INT64_MIN, .init_ps = INT64_MIN, .finalize_ps = INT64_MAX};
    if (call->enter_ps < search->begin_ps) search->begin_ps = call->enter_ps;
    if (call->exit_ps > of->end_ps) of->end_ps = call->exit_ps;
    if (call_kind(call->call) == CALL_INIT && call->exit_ps > of->init_ps) of->init_ps = call->exit_ps;
    if (call_kind(call->call) == CALL_FINALIZE && call->enter_ps < of->finalize_ps) of->finalize_ps = call->enter_ps;
    for (int side = BEGINS; side <= ENDS; side++) {
        const struct mark *mark = &search->marks[side];
        if (!mark->text || mark->is_time || !is_marked(search->trace, mark, call)) continue;
        bool counts = mark->number > 0 ? ++of->seen[side] == mark->number : side == ENDS || !of->found[side];
        if (!counts) continue;
        of->time_ps[side] = call->exit_ps;
        of->found[side] = true;
    }
}

/* Takes a mark of all ranks; known says which ranks have all marks. */
static enum status take_side(const struct section_search *search, enum side side, int64_t begin_ps, int64_t *times_ps,
                             bool *known, struct err *err)
{
    const struct mark *mark = &search->marks[side];
    bool any = false;
    if (!mark->text) return STATUS_OK;
    for (uint32_t r = 0; r < search->trace->rank_count; r++) {
        const struct rank_search *of = &search->ranks[r];
        bool found = mark->is_time || of->found[side];
        if (found) times_ps[r] = mark->is_time ? begin_ps + mark->time_ps : of->time_ps[side];
        known[r] = known[r] && found;
        any = any || found;
    }
    if (any) return STATUS_OK;
    return err_set(err, STATUS_DATA, search->trace->name, NULL,
                   "%s %s: no rank has it, expected a time, a user region or an MPI function of the trace, the K-th as "
                   "NAME#K",
                   mark->option, mark->text);
}

static enum status check_side(const struct trace *trace, uint32_t rank, const struct section *section, int64_t begin_ps,
                              struct err *err)
{
    char from[UNITS_TEXT_BYTES], to[UNITS_TEXT_BYTES];
    if (section->from_ps[rank] <= section->to_ps[rank]) return STATUS_OK;
    return err_set(err, STATUS_DATA, trace->name, NULL,
                   "the section of rank %u begins at %s s and ends at %s s, expected its end behind its begin", rank,
                   units_format_ps(section->from_ps[rank] - begin_ps, from),
                   units_format_ps(section->to_ps[rank] - begin_ps, to));
}

static enum status fill_section(const struct section_search *search, struct section *section, bool *known, struct err *err)
{
    const struct trace *trace = search->trace;
    int64_t first_ps = search->begin_ps == INT64_MAX ? 0 : search->begin_ps;
    int64_t begin_ps = trace->begin_known ? trace->begin_ps : first_ps;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct rank_search *of = &search->ranks[r];
        section->from_ps[r] = begin_ps;
        section->to_ps[r] = of->any ? of->end_ps : begin_ps;
        known[r] = of->any;
        if (!of->any || !search->asked->without_init) continue;
        section->from_ps[r] = units_max_ps(section->from_ps[r], of->init_ps);
        section->to_ps[r] = units_min_ps(section->to_ps[r], of->finalize_ps);
    }
    TRY(take_side(search, BEGINS, begin_ps, section->from_ps, known, err));
    TRY(take_side(search, ENDS, begin_ps, section->to_ps, known, err));
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        int64_t end_ps = search->ranks[r].any ? search->ranks[r].end_ps : begin_ps;
        section->to_ps[r] = units_min_ps(section->to_ps[r], end_ps);
        section->from_ps[r] = units_min_ps(section->from_ps[r], end_ps);
        if (!known[r]) section->to_ps[r] = section->from_ps[r];
        TRY(check_side(trace, r, section, begin_ps, err));
    }
    return STATUS_OK;
}

enum status section_search_end(const struct section_search *search, struct section *section, struct err *err)
{
    size_t ranks = (size_t)search->trace->rank_count + 1;
    bool *known = calloc(ranks, sizeof *known);
    *section = (struct section){calloc(ranks, sizeof *section->from_ps), calloc(ranks, sizeof *section->to_ps)};
    bool ready = known && section->from_ps && section->to_ps;
    enum status status = ready ? fill_section(search, section, known, err) : err_memory(err);
    free(known);
    if (status != STATUS_OK) section_clear(section);
    return status;
}

enum status section_find(const struct trace *trace, const struct section_marks *marks, struct section *section,
                         struct err *err)
{
    struct section_search *search;
    TRY(section_search_new(trace, marks, &search, err));
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) section_search_add(search, r, &trace->ranks[r].calls[i]);
    enum status status = section_search_end(search, section, err);
    section_search_free(search);
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

struct time_place { /* function: ID_none for computing, whose place has regions only */
    uint32_t node, site;
    enum mpi_call function;
};

struct section_time { /* of one rank */
    int64_t left_ps, sum_ps; /* when its last call ended; its time in the section */
    uint32_t inside;         /* the region in which the thread computes; 0: CALLPATH_ROOT */
};

void section_times_clear(struct section_times *times)
{
    map_clear(&times->matches);
    free(times->ranks);
    *times = (struct section_times){.any = false};
}

static enum status match_place(struct section_times *times, const struct callpaths *paths, const char *pattern,
                               const struct time_place *place, bool *match, struct err *err)
{
    uint64_t key = ((uint64_t)place->node << 40) ^ ((uint64_t)place->site << 12) ^ (uint64_t)place->function, *slot;
    const uint64_t *known = map_find(&times->matches, key);
    char *text;
    if (known) {
        *match = *known;
        return STATUS_OK;
    }
    TRY(place->function == ID_none
            ? callpath_regions(paths->trace, paths, place->node, &text, err)
            : callpath_text(paths->trace, paths, place->node, place->site, place->function, &text, err));
    *match = fnmatch(pattern, text, 0) == 0;
    times->any = times->any || *match;
    free(text);
    return map_put(&times->matches, key, *match, &slot, err);
}

static int64_t overlap_ps(const struct section *section, uint32_t rank, int64_t from_ps, int64_t to_ps)
{
    if (from_ps < section->from_ps[rank]) from_ps = section->from_ps[rank];
    if (to_ps > section->to_ps[rank]) to_ps = section->to_ps[rank];
    return to_ps > from_ps ? to_ps - from_ps : 0;
}

static enum status add_rank(struct section_times *times, const struct callpaths *paths, const char *pattern,
                            const struct section *section, uint32_t rank, struct err *err)
{
    const struct trace_rank *process = &paths->trace->ranks[rank];
    struct section_time *of = &times->ranks[rank];
    for (size_t i = process->kept_count; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        bool match;
        if (trace_call_thread(paths->trace, rank, i) != 0) continue;
        TRY(match_place(times, paths, pattern, &(struct time_place){of->inside, TRACE_NO_SITE, ID_none}, &match, err));
        if (match) of->sum_ps += overlap_ps(section, rank, of->left_ps, call->enter_ps);
        of->left_ps = call->exit_ps;
        of->inside = callpath_at(paths, rank, i);
        if (call_is_region(call->call)) continue;
        const struct time_place place = {of->inside, call->site, (enum mpi_call)call->call};
        TRY(match_place(times, paths, pattern, &place, &match, err));
        if (match) of->sum_ps += overlap_ps(section, rank, call->enter_ps, call->exit_ps);
    }
    return STATUS_OK;
}

enum status section_times_add(struct section_times *times, const struct callpaths *paths, const char *pattern,
                              const struct section *section, struct err *err)
{
    uint32_t ranks = paths->trace->rank_count;
    if (!times->ranks) {
        times->ranks = calloc((size_t)ranks + 1, sizeof *times->ranks);
        if (!times->ranks) return err_memory(err);
        int64_t begin_ps = trace_begin_ps(paths->trace);
        for (uint32_t r = 0; r < ranks; r++) times->ranks[r].left_ps = begin_ps;
    }
    for (uint32_t r = 0; r < ranks; r++) TRY(add_rank(times, paths, pattern, section, r, err));
    return STATUS_OK;
}

static enum status copy_text(const char *text, char **copy, struct err *err)
{
    *copy = text ? strdup(text) : NULL;
    return text && !*copy ? err_memory(err) : STATUS_OK;
}

enum status section_report(const struct section_times *times, const struct section_marks *marks,
                           const struct section *section, struct result *result, struct err *err)
{
    bool any = times->any;
    result->run_time_s = 0;
    for (uint32_t r = 0; r < result->rank_count; r++) {
        int64_t time_ps = marks->callpath ? times->ranks[r].sum_ps : section->to_ps[r] - section->from_ps[r];
        any = any || time_ps > 0;
        result->rank_time_s[r] = units_s(time_ps);
        if (result->rank_time_s[r] > result->run_time_s) result->run_time_s = result->rank_time_s[r];
    }
    result->section.known = true;
    result_share_calls(result);
    result->section.empty = !any;
    result->section.without_init = marks->without_init;
    TRY(copy_text(marks->from, &result->section.from, err));
    TRY(copy_text(marks->to, &result->section.to, err));
    TRY(copy_text(marks->callpath, &result->section.callpath, err));
    char text[RESULT_SECTION_BYTES];
    if (!result->section.empty) return STATUS_OK;
    return result_add_note(result, err, "no call and no computing of the run is %s",
                           result_section_text(&result->section, text));
}
