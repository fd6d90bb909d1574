#include "model/waits/advice.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory_text.h"
#include "common/units.h"

static const char *const sentences[PATTERN_COUNT] = {
#define ADVICE(ID, SENTENCE, TRANSFORMS) [PATTERN_##ID] = SENTENCE,
#include "model/waits/advice.def"
#undef ADVICE
};

static const char *const transforms[PATTERN_COUNT] = {
#define ADVICE(ID, SENTENCE, TRANSFORMS) [PATTERN_##ID] = TRANSFORMS,
#include "model/waits/advice.def"
#undef ADVICE
};

struct advice {
    const struct trace *trace;
    const struct callpaths *paths;
    const struct advice_facts *facts;
    FILE *out;
    struct err *err;
};

static enum status write_own(const struct advice *advice)
{
    fputs(call_name(advice->facts->own), advice->out);
    return STATUS_OK;
}

/* MPI_Issend for MPI_Ssend, whose end says that the receive has begun (MPI-3.1 3.7); MPI_Isend for what has no mode. */
static enum status write_nonblocking(const struct advice *advice)
{
    const char *mode = call_name(advice->facts->own) + strlen("MPI_");
    bool has_mode = strlen(mode) == strlen("Ssend") && strcmp(mode + 1, "send") == 0;
    if (has_mode) fprintf(advice->out, "MPI_I%c%s", tolower((unsigned char)*mode), mode + 1);
    else fputs("MPI_Isend", advice->out);
    return STATUS_OK;
}

/* "MPI_Win_post of rank 1 (main/exchange, halo.c:40)" */
static enum status write_other(const struct advice *advice)
{
    const struct advice_facts *facts = advice->facts;
    const struct trace_site *site = &advice->trace->definitions.sites[facts->other_site];
    const char *name = call_name(facts->other);
    char *path;
    TRY(callpath_text(advice->trace, advice->paths, facts->other_node, facts->other_site, facts->other, &path,
                      advice->err));
    fprintf(advice->out, "%s", name);
    if (facts->other_rank != facts->rank) fprintf(advice->out, " of rank %" PRIu32, facts->other_rank);
    if (site->file)
        fprintf(advice->out, " (%s, %s:%" PRId32 ")", path, site->file, site->line);
    else if (strcmp(path, name) != 0)
        fprintf(advice->out, " (%s)", path);
    free(path);
    return STATUS_OK;
}

static enum status write_duration(const struct advice *advice, int64_t ps)
{
    char text[UNITS_TEXT_BYTES];
    fputs(units_format_duration(units_s(ps), text), advice->out);
    return STATUS_OK;
}

static enum status write_balance(const struct advice *advice)
{
    if (advice->facts->unbalanced) fputs(": balance the work before it", advice->out);
    return STATUS_OK;
}

static enum status write_distance(const struct advice *advice)
{
    return write_duration(advice, advice->facts->distance_ps);
}

static enum status write_advised(const struct advice *advice)
{
    return write_duration(advice, advice->facts->advised_ps);
}

static enum status write_earlier(const struct advice *advice)
{
    return write_duration(advice, advice->facts->earlier_ps);
}

/* How far moving the waiting call to a later time reduces the wait. */
static int64_t later_ps(const struct advice_facts *facts)
{
    int64_t later_ps = facts->severity_ps - facts->cost_ps;
    if (facts->advised_ps > 0) later_ps = facts->advised_ps - facts->distance_ps;
    return later_ps > 0 ? later_ps : 0;
}

static enum status write_later(const struct advice *advice)
{
    return write_duration(advice, later_ps(advice->facts));
}

static const struct {
    const char *tag;
    enum status (*write)(const struct advice *advice);
} tags[] = {{"{own}", write_own},         {"{nonblocking}", write_nonblocking}, {"{other}", write_other},
            {"{earlier}", write_earlier}, {"{later}", write_later},             {"{distance}", write_distance},
            {"{advised}", write_advised},     {"{balance}", write_balance}};

/* Writes the text up to the end of a clause. */
static enum status write_clause(const struct advice *advice, const char *sentence)
{
    while (*sentence && *sentence != '|') {
        size_t t = 0;
        while (t < sizeof tags / sizeof *tags && strncmp(sentence, tags[t].tag, strlen(tags[t].tag)) != 0) t++;
        if (t < sizeof tags / sizeof *tags) {
            TRY(tags[t].write(advice));
            sentence += strlen(tags[t].tag);
        } else {
            fputc(*sentence++, advice->out);
        }
    }
    return STATUS_OK;
}

static bool has_tag(const char *clause, const char *tag)
{
    const char *found = strstr(clause, tag);
    return found && found < clause + strcspn(clause, "|");
}

/* Whether moving the call to a later time is sensible: rows of tests belong to the program's logic, and the messages of
 * some calls would leave later, too. */
static bool may_come_later(enum call_kind kind)
{
    return kind != CALL_WIN_TEST && kind != CALL_SHMEM_TEST && kind != CALL_COMPLETE && kind != CALL_SENDRECV;
}

/* Whether the move of a clause can reduce the wait. */
static bool clause_helps(const struct advice_facts *facts, const char *clause)
{
    if (has_tag(clause, "{earlier}") && facts->earlier_ps <= 0) return false;
    if (has_tag(clause, "MPI_Win_start") && !facts->fences_save) return false;
    if (!has_tag(clause, "{later}")) return true;
    return later_ps(facts) > 0 && !facts->queues && may_come_later(call_kind(facts->own));
}

static const char *next_clause(const char *clause)
{
    clause += strcspn(clause, "|");
    return *clause ? clause + 1 : clause;
}

/* Whether there is anything to advise. */
static bool sentence_applies(const struct advice_facts *facts, const char *sentence)
{
    if (!sentence || (strstr(sentence, "{other}") && facts->other == ID_none)) return false;
    const char *clause = next_clause(sentence);
    if (!*clause) return true;
    for (; *clause; clause = next_clause(clause))
        if (clause_helps(facts, clause)) return true;
    return false;
}

static enum status write_sentence(const struct advice *advice, const char *sentence)
{
    bool begun = false;
    TRY(write_clause(advice, sentence));
    for (const char *clause = next_clause(sentence); *clause; clause = next_clause(clause)) {
        if (!clause_helps(advice->facts, clause)) continue;
        if (begun) fputs(", or ", advice->out);
        TRY(write_clause(advice, clause));
        begun = true;
    }
    return STATUS_OK;
}

struct advice_moves advice_moves(const struct advice_facts *facts)
{
    struct advice_moves moves = {0};
    const char *sentence = sentences[facts->pattern];
    if (!sentence_applies(facts, sentence)) return moves;
    for (const char *clause = next_clause(sentence); *clause; clause = next_clause(clause)) {
        if (!clause_helps(facts, clause)) continue;
        if (has_tag(clause, "{earlier}")) moves.earlier_ps = facts->earlier_ps;
        if (has_tag(clause, "{later}")) moves.later_ps = later_ps(facts);
        if (has_tag(clause, "{advised}")) moves.advised_ps = facts->advised_ps;
    }
    moves.distance_ps = moves.advised_ps > 0 ? facts->distance_ps : 0;
    return moves;
}

enum status advice_rows(const struct advice_facts *facts, char **text, struct err *err)
{
    const char *name = transforms[facts->pattern];
    struct memory_text made;
    bool any = false;
    *text = NULL;
    if (!name || !sentence_applies(facts, sentences[facts->pattern])) return STATUS_OK;
    const char *clause = next_clause(sentences[facts->pattern]);
    TRY(memory_text_open(&made, err));
    fputs("platform", made.out);
    for (name = next_clause(name); *clause; clause = next_clause(clause), name = next_clause(name)) {
        int length = (int)strcspn(name, "|");
        if (length == 0 || !clause_helps(facts, clause)) continue;
        fprintf(made.out, ",platform+%.*s", length, name);
        any = true;
    }
    TRY(memory_text_close(&made, STATUS_OK, err));
    if (any)
        *text = made.text;
    else
        free(made.text);
    return STATUS_OK;
}

struct advice_facts advice_facts(const struct trace *trace, const struct callpaths *paths,
                                 const struct finding *finding)
{
    const struct trace_call *own = &trace->ranks[finding->rank].calls[finding->call];
    struct advice_facts made = {.pattern = (uint16_t)finding->pattern,
                                .own = (uint16_t)trace_function(trace, finding->rank, finding->call),
                                .other = ID_none,
                                .rank = finding->rank,
                                .other_rank = finding->cause_rank,
                                .enter_ps = own->enter_ps,
                                .severity_ps = finding->severity_ps,
                                .cost_ps = finding->cost_ps,
                                .distance_ps = finding->distance_ps,
                                .advised_ps = finding->advised_ps,
                                .earlier_ps = finding->earlier_ps,
                                .queues = finding->queues};
    if (finding->cause_call == FINDING_NO_CALL) return made;
    made.other = (uint16_t)trace_function(trace, finding->cause_rank, finding->cause_call);
    made.other_site = trace->ranks[finding->cause_rank].calls[finding->cause_call].site;
    made.other_node = callpath_at(paths, finding->cause_rank, finding->cause_call);
    return made;
}

enum status advice_text(const struct trace *trace, const struct callpaths *paths, const struct advice_facts *facts,
                        char **text, struct err *err)
{
    const char *sentence = sentences[facts->pattern];
    struct memory_text made;
    *text = NULL;
    if (!sentence_applies(facts, sentence)) return STATUS_OK;
    TRY(memory_text_open(&made, err));
    struct advice advice = {trace, paths, facts, made.out, err};
    enum status status = memory_text_close(&made, write_sentence(&advice, sentence), err);
    *text = made.text;
    return status;
}
