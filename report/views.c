#include "report/views.h"

#include <inttypes.h>

#include "common/text/json_text.h"
#include "common/map.h"
#include "export/merge.h"

/* Limits of each list; the first items are written. */
enum { EPOCHS_MAX = 20000, GRANTS_MAX = 20000, ARROWS_MAX = 5000 };

enum { BASE = 1, EXTENDED = 2, CLOSED = 4, LOGICAL = 8, DEPENDENCIES = 16 }; /* bits in the order of merge_models */
enum { LATER = EXTENDED | CLOSED | LOGICAL | DEPENDENCIES };
enum { TRUE_ENDS = 32, ALL = BASE | LATER | TRUE_ENDS }; /* what a replay knows is no model */
enum { ARROW_MESSAGE = OTF2_ARROW_COUNT };                 /* after the models' kinds */

/* Each arrow is written once, with the views that have it. An arrow of several models is taken from the one that is
 * visited first for it. */
static const struct pass {
    int model; /* index into merge_models */
    unsigned views[OTF2_ARROW_COUNT]; /* 0: not taken from this model */
    bool grants;
} passes[] = {
    {0, {[OTF2_ARROW_DATA] = BASE}, false},
    {1, {[OTF2_ARROW_DATA] = EXTENDED | CLOSED | DEPENDENCIES, [OTF2_ARROW_LOCK] = LATER}, true},
    {3, {[OTF2_ARROW_DATA] = LOGICAL}, false},
    {4,
     {[OTF2_ARROW_REQUEST] = CLOSED | DEPENDENCIES,
      [OTF2_ARROW_POST] = DEPENDENCIES,
      [OTF2_ARROW_COMPLETE] = DEPENDENCIES,
      [OTF2_ARROW_UNLOCK] = DEPENDENCIES},
     false},
};

enum band { BAND_START, BAND_LOCK, BAND_LOCK_ALL, BAND_FENCE, BAND_POST }; /* as in report/web/timeline.js */

struct writer {
    const struct relations *relations;
    const struct views_window *window;
    const struct pass *pass;
    bool grants; /* are written now, else arrows */
    size_t written, count;
    FILE *out;
};

static bool in_window(const struct writer *writer, int64_t from_ps, int64_t until_ps)
{
    return until_ps >= writer->window->from_ps && from_ps <= writer->window->until_ps;
}

/* Counts an item of the window; false: there are enough. */
static bool takes_another(struct writer *writer, size_t most)
{
    writer->count++;
    if (writer->written == most) return false;
    if (writer->written++) fputc(',', writer->out);
    return true;
}

static void begin_list(struct writer *writer, const char *name)
{
    writer->written = writer->count = 0;
    fprintf(writer->out, ",\"%s\":[", name);
}

static void end_list(const struct writer *writer, const char *name)
{
    fprintf(writer->out, "],\"%s_count\":%zu", name, writer->count);
}

static int64_t since_begin(const struct writer *writer, int64_t time_ps)
{
    return time_ps - writer->window->begin_ps;
}

/* --- epochs --- */

/* [rank, from, duration, band, window, target of a lock or -1, partners, operations]; an epoch that does not end lasts to the
 * end of its rank. */
static void write_epoch(struct writer *writer, uint32_t rank, int64_t from_ps, size_t close_call, enum band band,
                        int32_t window, int32_t target, uint32_t partners, size_t operations)
{
    const struct trace *trace = writer->relations->trace;
    int64_t until_ps = close_call == EPOCH_NONE ? trace_rank_end_ps(trace, rank) : trace->ranks[rank].calls[close_call].exit_ps;
    if (!in_window(writer, from_ps, until_ps) || !takes_another(writer, EPOCHS_MAX)) return;
    fprintf(writer->out, "[%" PRIu32 ",%" PRId64 ",%" PRId64 ",%d,%" PRId32 ",%" PRId32 ",%" PRIu32 ",%zu]", rank,
            since_begin(writer, from_ps), until_ps - from_ps, band, window, target, partners, operations);
}

static void write_epochs(struct writer *writer)
{
    static const enum band bands[] = {[EPOCH_START] = BAND_START,
                                      [EPOCH_LOCK] = BAND_LOCK,
                                      [EPOCH_LOCK_ALL] = BAND_LOCK_ALL,
                                      [EPOCH_FENCE] = BAND_FENCE};
    const struct epochs *epochs = &writer->relations->epochs;
    begin_list(writer, "epochs");
    for (size_t i = 0; i < epochs->access_count; i++) {
        const struct access_epoch *epoch = &epochs->accesses[i];
        const struct trace_call *open = relations_call(writer->relations, epoch->rank, epoch->open_call);
        write_epoch(writer, epoch->rank, epoch->kind == EPOCH_FENCE ? open->exit_ps : open->enter_ps, epoch->close_call,
                    bands[epoch->kind], epoch->window, epoch->target, epoch->pair_count, epoch->operation_count);
    }
    for (size_t i = 0; i < epochs->exposure_count; i++) {
        const struct exposure_epoch *epoch = &epochs->exposures[i];
        const struct trace_call *post = relations_call(writer->relations, epoch->rank, epoch->post_call);
        write_epoch(writer, epoch->rank, post->enter_ps, epoch->close_call, BAND_POST, epoch->window, TRACE_NONE,
                    epoch->link_count, 0);
    }
    end_list(writer, "epochs");
}

/* --- grants, arrows --- */

/* [rank, time, window, target or -1, exclusive]. */
static enum status write_grant(void *context, const struct merge_grant *grant, struct err *err)
{
    struct writer *writer = context;
    (void)err;
    if (!writer->grants || !in_window(writer, grant->time_ps, grant->time_ps) || !takes_another(writer, GRANTS_MAX))
        return STATUS_OK;
    fprintf(writer->out, "[%" PRIu32 ",%" PRId64 ",%" PRId32 ",%" PRId32 ",%d]", grant->rank,
            since_begin(writer, grant->time_ps), grant->window, grant->target, grant->exclusive);
    return STATUS_OK;
}

/* [kind, from rank, from, to rank, duration, bytes, views]. */
static void write_shown(struct writer *writer, int kind, const struct merge_arrow *arrow, unsigned views)
{
    if (!in_window(writer, arrow->from_ps, arrow->to_ps) || !takes_another(writer, ARROWS_MAX)) return;
    fprintf(writer->out, "[%d,%" PRIu32 ",%" PRId64 ",%" PRIu32 ",%" PRId64 ",%" PRId64 ",%u]", kind, arrow->from_rank,
            since_begin(writer, arrow->from_ps), arrow->to_rank, arrow->to_ps - arrow->from_ps, arrow->bytes, views);
}

static enum status write_arrow(void *context, const struct merge_arrow *arrow, struct err *err)
{
    struct writer *writer = context;
    (void)err;
    if (!writer->grants && writer->pass->views[arrow->kind] && arrow->to_ps != TRACE_UNKNOWN_PS)
        write_shown(writer, arrow->kind, arrow, writer->pass->views[arrow->kind]);
    return STATUS_OK;
}

/* ------------------------------------------------------------------------------------------------ messages */

/* Requests to the exits of the calls that completed them. */
static enum status index_completions(const struct trace *trace, struct map *completions, struct err *err)
{
    uint64_t *slot;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        for (size_t i = 0; i < trace->ranks[r].count; i++) {
            const struct trace_call *call = &trace->ranks[r].calls[i];
            uint32_t count;
            const uint32_t *requests = trace_call_completed(trace, call, &count);
            for (uint32_t k = 0; k < count; k++)
                TRY(map_put(completions, map_pair(r, requests[k]), (uint64_t)call->exit_ps, &slot, err));
        }
    return STATUS_OK;
}

/* A message's arrow goes from the send's enter to the exit of the receive, or of the call that completed its request. One that
 * no call completed has none. */
static void write_messages(struct writer *writer, const struct map *completions)
{
    const struct relations *relations = writer->relations;
    for (size_t i = 0; i < relations->messages.count; i++) {
        const struct message *message = &relations->messages.items[i];
        const struct trace_call *send = relations_call(relations, message->sender, message->send_call);
        const struct trace_call *receive = relations_call(relations, message->receiver, message->receive_call);
        bool later = call_kind(receive->call) == CALL_IRECV;
        const uint64_t *completion = later ? map_find(completions, map_pair(message->receiver, receive->ref)) : NULL;
        if (later && !completion) continue;
        const struct merge_arrow arrow = {.from_rank = message->sender,
                                          .to_rank = message->receiver,
                                          .from_ps = send->enter_ps,
                                          .to_ps = later ? (int64_t)*completion : receive->exit_ps,
                                          .bytes = send->bytes};
        write_shown(writer, ARROW_MESSAGE, &arrow, ALL);
    }
}

/* ------------------------------------------------------------------------------------------------ lists of arrows */

static enum status visit_pass(struct writer *writer, struct err *err)
{
    const struct merge_visitor visitor = {writer, write_arrow, write_grant};
    return merge_visit(writer->relations, &merge_models[writer->pass->model], &visitor, err);
}

static enum status write_grants(struct writer *writer, struct err *err)
{
    writer->grants = true;
    begin_list(writer, "grants");
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        writer->pass = &passes[i];
        if (passes[i].grants) TRY(visit_pass(writer, err));
    }
    end_list(writer, "grants");
    writer->grants = false;
    return STATUS_OK;
}

/* A list per pass, so that none crowds out another. */
static enum status write_arrows(struct writer *writer, struct err *err)
{
    size_t count = 0;
    fputs(",\"arrows\":[", writer->out);
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        writer->pass = &passes[i];
        writer->written = writer->count = 0;
        fputs(i ? ",[" : "[", writer->out);
        TRY(visit_pass(writer, err));
        fputc(']', writer->out);
        count += writer->count;
    }
    struct map completions = {0};
    writer->written = writer->count = 0;
    enum status status = index_completions(writer->relations->trace, &completions, err);
    fputs(",[", writer->out);
    if (status == STATUS_OK) write_messages(writer, &completions);
    fputc(']', writer->out);
    map_clear(&completions);
    TRY(status);
    count += writer->count;
    fprintf(writer->out, "],\"arrows_count\":%zu,\"arrow_kinds\":[", count);
    static const char *const names[] = {
#define OTF2_ARROW(ID, NAME) NAME,
#include "trace/otf2/arrows.def"
#undef OTF2_ARROW
    };
    for (size_t i = 0; i < OTF2_ARROW_COUNT; i++) {
        json_text_write(writer->out, names[i]);
        fputc(',', writer->out);
    }
    fputs("\"message\"]", writer->out);
    return STATUS_OK;
}

static void write_models(FILE *out)
{
    fputs(",\"views\":[", out);
    for (int i = 0; i < MERGE_MODELS; i++) {
        fputs(i ? ",[" : "[", out);
        json_text_write(out, merge_models[i].name);
        fputc(',', out);
        json_text_write(out, merge_models[i].summary);
        fputc(']', out);
    }
    fputc(']', out);
}

enum status views_write(const struct relations *relations, const struct views_window *window, FILE *out, struct err *err)
{
    struct writer writer = {.relations = relations, .window = window, .out = out};
    write_models(out);
    write_epochs(&writer);
    TRY(write_grants(&writer, err));
    return write_arrows(&writer, err);
}
