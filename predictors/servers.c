#include "predictors/servers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/units.h"

#define SERVERS_SLOWER 1.01 /* computing, to see how much of it the run time has */
#define CORES_MOST 1e6

static bool is_left_with_hardware(const struct rma_protocol *protocol, enum service service)
{
    return protocol->serves_replaced[service] && protocol_serves(protocol, service, 0) == PROGRESS_HARDWARE;
}

enum status servers_note(const struct platform *platform, struct result *result, struct err *err)
{
    static const struct {
        enum service service;
        const char *messages;
    } rows[] = {{SERVICE_PUT, "puts"}, {SERVICE_RELEASE, "releases of locks"}, {SERVICE_ACKNOWLEDGEMENT, "acknowledgements"}};
    enum { ROWS = sizeof rows / sizeof *rows };
    char text[64] = "";
    int left = 0, said = 0, length = 0;
    if (platform->progress == PROGRESS_HARDWARE) return STATUS_OK;
    for (int i = 0; i < ROWS; i++) left += is_left_with_hardware(&platform->protocol, rows[i].service);
    for (int i = 0; i < ROWS; i++) {
        if (!is_left_with_hardware(&platform->protocol, rows[i].service)) continue;
        const char *join = said == 0 ? "" : said + 1 < left ? ", " : " and ";
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%s", join, rows[i].messages);
        said++;
    }
    if (left == 0) return STATUS_OK;
    return result_add_note(result, err,
                           "mpi.rma.progress is %s in place of mpi.rma.protocol.serves: the hardware still serves %s",
                           platform->progress == PROGRESS_CALL ? "call" : "thread", text);
}

/* A copy of the platform whose ranks' calls serve. */
static struct platform without_ranks(const struct platform *platform)
{
    struct platform made = *platform;
    made.progress_ranks = 0;
    for (int service = 0; service < SERVICE_COUNT; service++)
        for (struct serve_rule *rule = made.protocol.serves[service];; rule++) {
            if (rule->by == PROGRESS_THREAD) rule->by = PROGRESS_CALL;
            if (rule->upto_bytes == INT64_MAX) break;
        }
    return made;
}

static enum status find_times(const struct prediction *prediction, struct node_group *groups, double times_s[3], struct err *err)
{
    static const double slowdowns[] = {1, SERVERS_SLOWER};
    const struct platform calls = without_ranks(prediction->platform);
    struct platform beside = *prediction->platform;
    beside.groups = groups;
    TRY(prediction_run_time_on(prediction, &calls, &times_s[0], err));
    for (int i = 0; i < 2; i++) {
        for (size_t g = 0; g < beside.group_count; g++) {
            groups[g] = prediction->platform->groups[g];
            groups[g].cores += beside.progress_ranks;
            groups[g].speed /= slowdowns[i];
        }
        TRY(prediction_run_time_on(prediction, &beside, &times_s[1 + i], err));
    }
    return STATUS_OK;
}

enum status servers_ranks_note(const struct prediction *prediction, struct err *err)
{
    const struct platform *platform = prediction->platform;
    const int32_t ranks = platform->progress_ranks;
    double times_s[3];
    if (ranks == 0) return STATUS_OK;
    struct node_group *groups = calloc(platform->group_count, sizeof *groups);
    if (!groups) return err_memory(err);
    enum status status = find_times(prediction, groups, times_s, err);
    free(groups);
    TRY(status);
    if (isnan(times_s[0]) || isnan(times_s[1]) || isnan(times_s[2])) return STATUS_OK;
    const double gain_s = times_s[0] - times_s[1], computing_s = (times_s[2] - times_s[1]) / (SERVERS_SLOWER - 1);
    const double cores = ranks + ranks * computing_s / gain_s; /* gain = computing * ranks / (cores - ranks) */
    char text[UNITS_TEXT_BYTES];
    if (!(gain_s > 0) || cores > CORES_MOST)
        return result_add_note(prediction->result, err,
                               "progress ranks make the run no shorter, even on cores that no rank needs (mpi.rma.progress)");
    return result_add_note(prediction->result, err,
                           "progress ranks: on cores that no rank needs they make the run %s shorter; where each core has a rank "
                           "without them, they pay from about %.0f cores per node on (mpi.rma.progress)",
                           units_format_duration(gain_s, text), ceil(cores));
}
