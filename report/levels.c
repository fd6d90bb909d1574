#include "report/levels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "report/activities.h"

enum {
    ROWS_MAX = 256, /* more ranks share rows */
    PIECES_MAX = 1 << 14,
    PIECES_FEW = 1 << 12, /* of the finest level, however many rows there are */
    PIECES_MIN = 1 << 10, /* of the coarsest level */
    CELLS = 1 << 19,      /* rows times pieces, of more than PIECES_FEW */
    COARSER = 4,          /* pieces of a level that are one piece of the next one */
    WAITING = ACTIVITIES, /* after the activities */
    VALUES,
};
#define PIECE_FIRST_PS INT64_C(1000)

struct cell {
    float ps[VALUES];
};

struct rank_state {
    int64_t last_ps; /* exit of the call before; INT64_MIN: there was none */
    uint32_t depth;  /* user regions around */
};

struct levels {
    uint32_t rank_count, rows, pieces;
    int64_t clip_from_ps, clip_until_ps;
    bool begun;
    int64_t begin_ps, end_ps;     /* of the calls; no call: INT64_MAX, INT64_MIN */
    int64_t origin_ps, piece_ps;  /* of the pieces */
    uint32_t used;                /* later pieces are empty; all pieces are a power of two */
    struct cell *cells;           /* row by row */
    struct rank_state *ranks;
};

enum status levels_new(uint32_t rank_count, int64_t from_ps, int64_t until_ps, struct levels **levels, struct err *err)
{
    struct levels *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->rank_count = rank_count;
    made->rows = rank_count < ROWS_MAX ? rank_count : ROWS_MAX;
    made->pieces = PIECES_MAX;
    while (made->pieces > PIECES_FEW && made->rows * made->pieces > CELLS) made->pieces /= COARSER;
    made->clip_from_ps = from_ps;
    made->clip_until_ps = until_ps;
    made->piece_ps = PIECE_FIRST_PS;
    made->begin_ps = INT64_MAX;
    made->end_ps = INT64_MIN;
    made->cells = calloc((size_t)made->rows * made->pieces + 1, sizeof *made->cells);
    made->ranks = calloc((size_t)rank_count + 1, sizeof *made->ranks);
    if (!made->cells || !made->ranks) {
        levels_free(made);
        return err_memory(err);
    }
    for (uint32_t r = 0; r < rank_count; r++) made->ranks[r].last_ps = INT64_MIN;
    *levels = made;
    return STATUS_OK;
}

void levels_free(struct levels *levels)
{
    if (!levels) return;
    FREE_ALL(levels->cells, levels->ranks, levels);
}

static struct cell *row_cells(const struct levels *levels, uint32_t row)
{
    return &levels->cells[(size_t)row * levels->pieces];
}

static void double_pieces(struct levels *levels)
{
    uint32_t left = (levels->used + 1) / 2;
    for (uint32_t row = 0; row < levels->rows; row++) {
        struct cell *cells = row_cells(levels, row);
        for (uint32_t i = 0; i < left; i++) {
            struct cell merged = cells[2 * i];
            for (int v = 0; v < VALUES; v++) merged.ps[v] += cells[2 * i + 1].ps[v];
            cells[i] = merged;
        }
        memset(&cells[left], 0, (levels->used - left) * sizeof *cells);
    }
    levels->used = left;
    levels->piece_ps *= 2;
}

/* Afterwards both times are inside the pieces. */
static void make_room(struct levels *levels, int64_t from_ps, int64_t until_ps)
{
    if (!levels->begun) levels->origin_ps = from_ps;
    levels->begun = true;
    if (from_ps < levels->origin_ps) {
        /* A rank began earlier than those before. */
        int64_t missing = (levels->origin_ps - from_ps - 1) / levels->piece_ps + 1;
        while (missing + levels->used > levels->pieces) {
            double_pieces(levels);
            missing = (levels->origin_ps - from_ps - 1) / levels->piece_ps + 1;
        }
        for (uint32_t row = 0; row < levels->rows; row++) {
            struct cell *cells = row_cells(levels, row);
            memmove(&cells[missing], cells, levels->used * sizeof *cells);
            memset(cells, 0, (size_t)missing * sizeof *cells);
        }
        levels->used += (uint32_t)missing;
        levels->origin_ps -= missing * levels->piece_ps;
    }
    while ((until_ps - 1 - levels->origin_ps) / levels->piece_ps >= levels->pieces) double_pieces(levels);
    uint32_t used = (uint32_t)((until_ps - 1 - levels->origin_ps) / levels->piece_ps) + 1;
    if (used > levels->used) levels->used = used;
}

static void add_time(struct levels *levels, uint32_t rank, int64_t from_ps, int64_t until_ps, int value)
{
    uint32_t row = (uint32_t)((uint64_t)rank * levels->rows / levels->rank_count);
    if (from_ps < levels->clip_from_ps) from_ps = levels->clip_from_ps;
    if (until_ps > levels->clip_until_ps) until_ps = levels->clip_until_ps;
    if (from_ps >= until_ps) return;
    make_room(levels, from_ps, until_ps);
    struct cell *cells = row_cells(levels, row);
    int64_t piece = (from_ps - levels->origin_ps) / levels->piece_ps;
    for (; from_ps < until_ps; piece++) {
        int64_t next_ps = levels->origin_ps + (piece + 1) * levels->piece_ps, end_ps = until_ps < next_ps ? until_ps : next_ps;
        cells[piece].ps[value] += (float)(end_ps - from_ps);
        from_ps = end_ps;
    }
}

void levels_add_call(struct levels *levels, uint32_t rank, const struct trace_call *call)
{
    struct rank_state *state = &levels->ranks[rank];
    if (call->enter_ps < levels->begin_ps) levels->begin_ps = call->enter_ps;
    if (call->exit_ps > levels->end_ps) levels->end_ps = call->exit_ps;
    if (state->last_ps != INT64_MIN)
        add_time(levels, rank, state->last_ps, call->enter_ps, state->depth > 0 ? ACTIVITY_REGION : ACTIVITY_COMPUTING);
    if (call->call == ID_region_enter) state->depth++;
    else if (call->call == ID_region_leave) state->depth -= state->depth > 0;
    else add_time(levels, rank, call->enter_ps, call->exit_ps, (int)activity_of(call->call));
    state->last_ps = call->exit_ps;
}

void levels_add_wait(struct levels *levels, uint32_t rank, int64_t from_ps, int64_t until_ps)
{
    add_time(levels, rank, from_ps, until_ps, WAITING);
}

int64_t levels_begin_ps(const struct levels *levels)
{
    return levels->begin_ps <= levels->end_ps ? levels->begin_ps : 0;
}

int64_t levels_end_ps(const struct levels *levels)
{
    return levels->begin_ps <= levels->end_ps ? levels->end_ps : 0;
}

static void write_cell(const struct cell *cell, FILE *out)
{
    int most = 0;
    float all = 0;
    for (int v = 0; v < ACTIVITIES; v++) {
        all += cell->ps[v];
        if (cell->ps[v] > cell->ps[most]) most = v;
    }
    if (all <= 0) {
        fputs("   ", out);
        return;
    }
    float waiting = cell->ps[WAITING] < all ? cell->ps[WAITING] / all : 1;
    fputc('A' + most, out);
    fputc('A' + (int)(cell->ps[most] / all * 21), out); /* letters only: nothing to escape */
    fputc('A' + (int)(waiting * 21), out);
}

/* Pieces of `merged` finest ones. */
static void write_row(const struct levels *levels, uint32_t row, uint32_t merged, FILE *out)
{
    const struct cell *cells = row_cells(levels, row);
    fputs(row ? ",\"" : "\"", out);
    for (uint32_t i = 0; i < levels->used; i += merged) {
        struct cell sum = cells[i];
        for (uint32_t k = i + 1; k < i + merged; k++)
            for (int v = 0; v < VALUES; v++) sum.ps[v] += cells[k].ps[v];
        write_cell(&sum, out);
    }
    fputc('"', out);
}

void levels_write(const struct levels *levels, int64_t begin_ps, FILE *out)
{
    fputs(",\"levels\":[", out);
    for (uint32_t merged = 1; merged == 1 || levels->pieces / merged >= PIECES_MIN; merged *= COARSER) {
        fprintf(out, "%s{\"from_ps\":%" PRId64 ",\"piece_ps\":%" PRId64 ",\"rows\":[", merged > 1 ? "," : "",
                levels->origin_ps - begin_ps, levels->piece_ps * merged);
        for (uint32_t row = 0; row < levels->rows; row++) write_row(levels, row, merged, out);
        fputs("]}", out);
    }
    fputc(']', out);
}
