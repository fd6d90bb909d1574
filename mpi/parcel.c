#include "mpi/parcel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum { TEXT_BYTES = ERR_TEXT_BYTES };

struct head {
    uint32_t rank;
    int32_t failure; /* enum status */
    bool ended, incomplete, has_why, has_sim;
    uint64_t calls, requests;
    char text[TEXT_BYTES]; /* of the failure, or why the rank is incomplete */
};

void parcel_clear(struct parcel *parcel)
{
    free(parcel->bytes);
    *parcel = (struct parcel){0};
}

static enum status put(struct parcel *parcel, const void *data, size_t bytes, struct err *err)
{
    TRY(array_reserve((void **)&parcel->bytes, &parcel->capacity, parcel->count + bytes, 1, err));
    if (bytes > 0) memcpy(parcel->bytes + parcel->count, data, bytes);
    parcel->count += bytes;
    return STATUS_OK;
}

static bool has_list(const struct trace_call *call)
{
    enum call_kind kind = call_kind(call->call);
    return kind == CALL_REQUEST_WAITALL || kind == CALL_REQUEST_TESTALL;
}

/* Lists follow the calls: each its length, then its requests. */
static enum status put_lists(struct parcel *parcel, const struct trace *trace, const struct trace_call *calls,
                             size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        if (!has_list(&calls[i])) continue;
        const struct trace_list *list = &trace->lists[calls[i].ref];
        TRY(put(parcel, &list->count, sizeof list->count, err));
        TRY(put(parcel, trace->requests + list->first, list->count * sizeof *trace->requests, err));
    }
    return STATUS_OK;
}

enum status parcel_pack(struct parcel *parcel, const struct trace *trace, uint32_t rank, size_t calls, bool ended,
                        struct err *err)
{
    const struct trace_rank *stream = &trace->ranks[rank];
    struct head head = {.rank = rank,
                        .ended = ended,
                        .incomplete = stream->incomplete,
                        .has_why = stream->incomplete_why != NULL,
                        .has_sim = stream->sim != NULL,
                        .calls = calls};
    if (head.has_why) strncpy(head.text, stream->incomplete_why, TEXT_BYTES - 1);
    parcel->count = 0;
    TRY(put(parcel, &head, sizeof head, err));
    TRY(put(parcel, stream->calls, calls * sizeof *stream->calls, err));
    if (head.has_sim) TRY(put(parcel, stream->sim, calls * sizeof *stream->sim, err));
    return put_lists(parcel, trace, stream->calls, calls, err);
}

enum status parcel_pack_failure(struct parcel *parcel, enum status failure, const char *text, struct err *err)
{
    struct head head = {.rank = UINT32_MAX, .failure = (int32_t)failure, .ended = true};
    strncpy(head.text, text, TEXT_BYTES - 1);
    parcel->count = 0;
    return put(parcel, &head, sizeof head, err);
}

static struct head head_of(const struct parcel *parcel)
{
    struct head head;
    memcpy(&head, parcel->bytes, sizeof head);
    return head;
}

uint32_t parcel_rank(const struct parcel *parcel)
{
    return head_of(parcel).rank;
}

static enum status take_list(const unsigned char **at, struct trace *trace, uint32_t *id, struct err *err)
{
    uint32_t count, *requests;
    memcpy(&count, *at, sizeof count);
    *at += sizeof count;
    requests = malloc((count + (size_t)1) * sizeof *requests);
    if (!requests) return err_memory(err);
    memcpy(requests, *at, count * sizeof *requests);
    *at += count * sizeof *requests;
    enum status status = trace_add_list(trace, requests, count, id, err);
    free(requests);
    return status;
}

static enum status take_end(struct trace_rank *stream, const struct head *head, struct err *err)
{
    stream->incomplete = head->incomplete;
    if (!head->has_why) return STATUS_OK;
    free(stream->incomplete_why);
    stream->incomplete_why = strdup(head->text);
    return stream->incomplete_why ? STATUS_OK : err_memory(err);
}

enum status parcel_unpack(const struct parcel *parcel, struct trace *trace, bool *ended, struct err *err)
{
    struct head head = head_of(parcel);
    if (head.failure != STATUS_OK) {
        if (err) snprintf(err->text, sizeof err->text, "%s", head.text);
        return (enum status)head.failure;
    }
    const unsigned char *calls = parcel->bytes + sizeof head, *sims = calls + head.calls * sizeof(struct trace_call);
    const unsigned char *lists = head.has_sim ? sims + head.calls * sizeof(struct trace_sim) : sims;
    struct trace_rank *stream = &trace->ranks[head.rank];
    for (size_t i = 0; i < head.calls; i++) {
        struct trace_call call;
        memcpy(&call, calls + i * sizeof call, sizeof call);
        if (has_list(&call)) TRY(take_list(&lists, trace, &call.ref, err));
        TRY(trace_add_call(trace, head.rank, &call, err));
        if (head.has_sim) memcpy(&stream->sim[stream->count - 1], sims + i * sizeof *stream->sim, sizeof *stream->sim);
    }
    *ended = head.ended;
    return head.ended ? take_end(stream, &head, err) : STATUS_OK;
}
