#include "model/advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

static const char *const sentences[PATTERN_COUNT] = {
#define ADVICE(ID, SENTENCE) [PATTERN_##ID] = SENTENCE,
#include "model/advice.def"
#undef ADVICE
};

struct advice {
    const struct trace *trace;
    const struct callpaths *paths;
    const struct finding *finding;
    FILE *out;
    struct err *err;
};

static const struct trace_call *call_of(const struct advice *advice, uint32_t rank, size_t call)
{
    return &advice->trace->ranks[rank].calls[call];
}

static enum status write_own(const struct advice *advice)
{
    fputs(call_name(call_of(advice, advice->finding->rank, advice->finding->call)->call), advice->out);
    return STATUS_OK;
}

/* "MPI_Win_post of rank 1 (main/exchange, halo.c:40)" */
static enum status write_other(const struct advice *advice)
{
    uint32_t rank = advice->finding->cause_rank;
    const struct trace_call *call = call_of(advice, rank, advice->finding->cause_call);
    const struct trace_site *site = &advice->trace->sites[call->site];
    uint32_t node = callpath_at(advice->paths, rank, advice->finding->cause_call);
    const char *name = call_name(call->call);
    char *path;
    TRY(callpath_text(advice->trace, advice->paths, node, call->site, call->call, &path, advice->err));
    fprintf(advice->out, "%s", name);
    if (rank != advice->finding->rank) fprintf(advice->out, " of rank %" PRIu32, rank);
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

static enum status write_time(const struct advice *advice)
{
    return write_duration(advice, advice->finding->severity_ps);
}

static enum status write_distance(const struct advice *advice)
{
    return write_duration(advice, advice->finding->distance_ps);
}

static enum status write_advised(const struct advice *advice)
{
    return write_duration(advice, advice->finding->advised_ps);
}

static const struct {
    const char *tag;
    enum status (*write)(const struct advice *advice);
} tags[] = {{"{own}", write_own},
            {"{other}", write_other},
            {"{time}", write_time},
            {"{distance}", write_distance},
            {"{advised}", write_advised}};

static enum status write_sentence(const struct advice *advice, const char *sentence)
{
    while (*sentence) {
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

enum status advice_text(const struct trace *trace, const struct callpaths *paths, const struct finding *finding,
                        char **text, struct err *err)
{
    const char *sentence = sentences[finding->pattern];
    char *made = NULL;
    size_t bytes = 0;
    *text = NULL;
    if (!sentence || (strstr(sentence, "{other}") && finding->cause_call == FINDING_NO_CALL)) return STATUS_OK;
    FILE *out = open_memstream(&made, &bytes);
    if (!out) return err_memory(err);
    struct advice advice = {trace, paths, finding, out, err};
    enum status status = write_sentence(&advice, sentence);
    if (fclose(out) != 0 && status == STATUS_OK) status = err_memory(err);
    if (status == STATUS_OK)
        *text = made;
    else
        free(made);
    return status;
}
