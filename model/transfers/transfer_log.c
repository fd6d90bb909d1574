#include "model/transfers/transfer_log.h"

#include <stdlib.h>

#include "common/external_sort.h"
#include "common/search.h"

struct transfer_log {
    struct temp_file temp;
    struct external_sort *runs;
    bool turned;
};

void transfer_log_free(struct transfer_log *log)
{
    if (!log) return;
    external_sort_free(log->runs);
    temp_file_close(&log->temp);
    free(log);
}

ORDER(compare_transfers, struct transfer_row, UP(origin) UP(event))

enum status transfer_log_new(struct transfer_log **log, struct err *err)
{
    struct transfer_log *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->temp.descriptor = -1;
    enum status status = temp_file_open(&made->temp, err);
    if (status == STATUS_OK)
        status = external_sort_new(&made->temp, sizeof(struct transfer_row), compare_transfers, &made->runs, err);
    GIVE(status, *log = made, transfer_log_free(made));
}

enum status transfer_log_add(struct transfer_log *log, const struct trace *trace, const struct transfer *transfer,
                             struct err *err)
{
    struct transfer_row row = {.origin = transfer->origin,
                               .target = transfer->target,
                               .window = trace->ranks[transfer->origin].calls[transfer->call].handle,
                               .event = trace_event(trace, transfer->origin, transfer->call),
                               .kind = transfer_kind_name(trace, transfer),
                               .bytes = transfer->bytes,
                               .start_ps = transfer->start_ps,
                               .lower_end_ps = transfer->lower_end_ps,
                               .upper_end_ps = transfer->upper_end_ps,
                               .true_end_ps = transfer_true_end_ps(trace, transfer)};
    return external_sort_add(log->runs, &row, err);
}

enum status transfer_log_next(struct transfer_log *log, struct transfer_row *row, bool *any, struct err *err)
{
    if (!log->turned) TRY(external_sort_turn(log->runs, err));
    log->turned = true;
    return external_sort_next(log->runs, row, any, err);
}
