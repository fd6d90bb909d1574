#include "model/causes/call_log.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* A location's calls are written in blocks of one size; each block has the offset of the block before it. A call consists
 * of the time since the exit of the call before, its duration, its kind, least significant bytes first, and a byte with
 * their lengths. So a call can be read from its end. */
enum {
    BLOCKS_BYTES = 8 << 20, /* of all locations together, unless BLOCK_LEAST needs more */
    BLOCK_LEAST = 1 << 10,
    BLOCK_MOST = 1 << 16,
    CALL_BYTES = 8 + 8 + 4 + 1,
    WORD_BYTES = 8 /* words are copied whole: a buffer has room for one more */
};

struct block_end {   /* the head of a block, before its calls */
    int64_t before;  /* offset of the location's block before it, NO_BLOCK */
    int64_t exit_ps; /* of its last call */
    uint64_t used;   /* bytes of its calls */
};
static const int64_t NO_BLOCK = -1;

struct location_calls_log {
    unsigned char *bytes; /* the current block; NULL before the first call */
    size_t used;
    int64_t exit_ps; /* of the call that ends at used */
    int64_t before;
};

struct call_log {
    struct temp_file *temp;
    struct location_calls_log *locations;
    uint32_t location_count;
    size_t block_bytes; /* of a block's calls */
};

void call_log_free(struct call_log *call_log)
{
    if (!call_log) return;
    for (uint32_t r = 0; r < call_log->location_count; r++) free(call_log->locations[r].bytes);
    FREE_ALL(call_log->locations, call_log);
}

enum status call_log_new(uint32_t location_count, struct temp_file *temp, struct call_log **call_log, struct err *err)
{
    struct call_log *made = calloc(1, sizeof *made);
    if (made) made->locations = calloc((size_t)location_count + 1, sizeof *made->locations);
    if (!made || !made->locations) {
        free(made);
        return err_memory(err);
    }
    made->temp = temp;
    made->location_count = location_count;
    made->block_bytes = BLOCKS_BYTES / ((size_t)location_count + 1);
    if (made->block_bytes < BLOCK_LEAST) made->block_bytes = BLOCK_LEAST;
    if (made->block_bytes > BLOCK_MOST) made->block_bytes = BLOCK_MOST;
    *call_log = made;
    return STATUS_OK;
}

static enum status begin_location(const struct call_log *call_log, struct location_calls_log *location, int64_t begin_ps,
                              struct err *err)
{
    location->bytes = malloc(sizeof(struct block_end) + call_log->block_bytes + WORD_BYTES);
    if (!location->bytes) return err_memory(err);
    location->exit_ps = begin_ps;
    location->before = NO_BLOCK;
    return STATUS_OK;
}

static size_t bytes_of(uint64_t number)
{
    return number == 0 ? 1 : (size_t)(71 - __builtin_clzll(number)) / 8;
}

static unsigned char *put_number(unsigned char *at, uint64_t number, size_t bytes)
{
    memcpy(at, &number, WORD_BYTES);
    return at + bytes;
}

static uint64_t get_number(const unsigned char *at, size_t bytes)
{
    uint64_t number;
    memcpy(&number, at, WORD_BYTES);
    return number & (UINT64_MAX >> (64 - 8 * bytes));
}

enum status call_log_add(struct call_log *call_log, uint32_t location, const struct call_log_row *call, struct err *err)
{
    struct location_calls_log *to = &call_log->locations[location];
    if (!to->bytes) TRY(begin_location(call_log, to, call->enter_ps, err));
    if (to->used + CALL_BYTES > call_log->block_bytes) {
        struct block_end end = {.before = to->before, .exit_ps = to->exit_ps, .used = to->used};
        memcpy(to->bytes, &end, sizeof end);
        TRY(temp_file_append(call_log->temp, to->bytes, sizeof end + to->used, &to->before, err));
        to->used = 0;
    }
    uint64_t gap = (uint64_t)call->enter_ps - (uint64_t)to->exit_ps;
    uint64_t duration = (uint64_t)call->exit_ps - (uint64_t)call->enter_ps;
    size_t gap_bytes = bytes_of(gap), duration_bytes = bytes_of(duration), kind_bytes = bytes_of(call->kind);
    unsigned char *first = to->bytes + sizeof(struct block_end) + to->used, *at = first;
    at = put_number(at, gap, gap_bytes);
    at = put_number(at, duration, duration_bytes);
    at = put_number(at, call->kind, kind_bytes);
    *at++ = (unsigned char)((gap_bytes - 1) << 5 | (duration_bytes - 1) << 2 | (kind_bytes - 1));
    to->used += (size_t)(at - first);
    to->exit_ps = call->exit_ps;
    return STATUS_OK;
}

static enum status read_block(const struct call_log *call_log, struct location_calls_log *location, struct err *err)
{
    struct block_end end;
    int64_t offset = location->before;
    TRY(temp_file_read(call_log->temp, offset, &end, sizeof end, err));
    TRY(temp_file_read(call_log->temp, offset + (int64_t)sizeof end, location->bytes + sizeof end, end.used, err));
    location->before = end.before;
    location->exit_ps = end.exit_ps;
    location->used = end.used;
    return STATUS_OK;
}

enum status call_log_back(struct call_log *call_log, uint32_t location, struct call_log_row *call, bool *any,
                          struct err *err)
{
    struct location_calls_log *from = &call_log->locations[location];
    *any = from->bytes && (from->used > 0 || from->before != NO_BLOCK);
    if (!*any) return STATUS_OK;
    if (from->used == 0) TRY(read_block(call_log, from, err));
    const unsigned char *end = from->bytes + sizeof(struct block_end) + from->used - 1;
    size_t gap_bytes = (size_t)(*end >> 5) + 1, duration_bytes = (size_t)(*end >> 2 & 7) + 1,
           kind_bytes = (size_t)(*end & 3) + 1;
    const unsigned char *at = end - kind_bytes - duration_bytes - gap_bytes;
    call->exit_ps = from->exit_ps;
    call->enter_ps = (int64_t)((uint64_t)from->exit_ps - get_number(at + gap_bytes, duration_bytes));
    call->kind = (uint32_t)get_number(at + gap_bytes + duration_bytes, kind_bytes);
    from->exit_ps = (int64_t)((uint64_t)call->enter_ps - get_number(at, gap_bytes));
    from->used = (size_t)(at - from->bytes) - sizeof(struct block_end);
    return STATUS_OK;
}
