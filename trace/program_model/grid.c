#include "trace/program_model/grid.h"

#include <stdio.h>
#include <string.h>

/* The largest divisor of count whose power does not exceed count. */
static int32_t largest_root_divisor(int32_t count, int power)
{
    int32_t found = 1;
    for (int64_t i = 1; (power == 2 ? i * i : i * i * i) <= count; i++)
        if (count % i == 0) found = (int32_t)i;
    return found;
}

static void swap_numbers(int32_t *a, int32_t *b)
{
    int32_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Ascending. */
static void divide_in_three(int32_t ranks, int32_t extents[GRID_DIMENSIONS])
{
    extents[0] = largest_root_divisor(ranks, 3);
    extents[1] = largest_root_divisor(ranks / extents[0], 2);
    extents[2] = ranks / extents[0] / extents[1];
    if (extents[0] > extents[1]) swap_numbers(&extents[0], &extents[1]);
}

bool grid_make(const struct grid_shape *shape, int32_t ranks, struct grid *grid)
{
    *grid = (struct grid){.ranks = ranks, .extents = {1, 1, 1}};
    memcpy(grid->periodic, shape->periodic, sizeof grid->periodic);
    int32_t *extents = grid->extents, least;
    switch (shape->rule) {
    case GRID_LINE: extents[0] = ranks; return true;
    case GRID_SQUARE:
    case GRID_SQUARE_HIGH:
        least = largest_root_divisor(ranks, 2);
        extents[0] = shape->rule == GRID_SQUARE ? least : ranks / least;
        extents[1] = ranks / extents[0];
        return true;
    case GRID_CUBE:
    case GRID_CUBE_HIGH:
        divide_in_three(ranks, extents);
        if (shape->rule == GRID_CUBE_HIGH) swap_numbers(&extents[0], &extents[2]);
        return true;
    case GRID_FIXED:
    case GRID_FIXED_HIGH:
        if (ranks % shape->fixed != 0) return false;
        extents[0] = shape->rule == GRID_FIXED ? shape->fixed : ranks / shape->fixed;
        extents[1] = ranks / extents[0];
        return true;
    default: return false;
    }
}

const char *grid_rule_name(enum grid_rule rule)
{
    static const char *const names[GRID_RULES] = {
        [GRID_LINE] = "line",   [GRID_SQUARE] = "square",       [GRID_SQUARE_HIGH] = "square_high", [GRID_CUBE] = "cube",
        [GRID_CUBE_HIGH] = "cube_high", [GRID_FIXED] = "fixed", [GRID_FIXED_HIGH] = "fixed_high",
    };
    return names[rule];
}

void grid_coordinates(const struct grid *grid, int32_t rank, int32_t coordinates[GRID_DIMENSIONS])
{
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        coordinates[d] = rank % grid->extents[d];
        rank /= grid->extents[d];
    }
}

struct grid_offset grid_offset_between(const struct grid *grid, int32_t from, int32_t to)
{
    int32_t a[GRID_DIMENSIONS], b[GRID_DIMENSIONS];
    grid_coordinates(grid, from, a);
    grid_coordinates(grid, to, b);
    struct grid_offset offset;
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        int32_t extent = grid->extents[d], way = b[d] - a[d];
        if (grid->periodic[d] && 2 * way > extent) way -= extent;
        if (grid->periodic[d] && 2 * way <= -extent) way += extent;
        offset.of[d] = way;
    }
    return offset;
}

int32_t grid_neighbor(const struct grid *grid, int32_t rank, const struct grid_offset *offset)
{
    int32_t at[GRID_DIMENSIONS];
    grid_coordinates(grid, rank, at);
    return grid_neighbor_of_place(grid, at, offset);
}

int32_t grid_neighbor_of_place(const struct grid *grid, const int32_t at[GRID_DIMENSIONS], const struct grid_offset *offset)
{
    int32_t step = 1, found = 0;
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        int32_t extent = grid->extents[d];
        int64_t place = (int64_t)at[d] + offset->of[d];
        if (grid->periodic[d]) place = (place % extent + extent) % extent;
        if (place < 0 || place >= extent) return -1;
        found += (int32_t)place * step;
        step *= extent;
    }
    return found;
}

bool grid_offset_equal(const struct grid_offset *a, const struct grid_offset *b)
{
    return memcmp(a->of, b->of, sizeof a->of) == 0;
}

int32_t grid_part_count(const struct grid *grid, unsigned shared)
{
    int32_t count = 1;
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        if (!(shared & 1U << d)) count *= grid->extents[d];
    return count;
}

int32_t grid_part_place(const struct grid *grid, int32_t rank, unsigned shared)
{
    int32_t at[GRID_DIMENSIONS], step = 1, place = 0;
    grid_coordinates(grid, rank, at);
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        if (shared & 1U << d) continue;
        place += at[d] * step;
        step *= grid->extents[d];
    }
    return place;
}

bool grid_part_has(const struct grid *grid, int32_t rank, unsigned shared, int32_t other)
{
    return grid_part_rank(grid, rank, shared, grid_part_place(grid, other, shared)) == other;
}

int32_t grid_part_rank(const struct grid *grid, int32_t rank, unsigned shared, int32_t place)
{
    int32_t at[GRID_DIMENSIONS], step = 1, found = 0;
    if (place < 0 || place >= grid_part_count(grid, shared)) return -1;
    grid_coordinates(grid, rank, at);
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        int32_t extent = grid->extents[d], coordinate = at[d];
        if (!(shared & 1U << d)) {
            coordinate = place % extent;
            place /= extent;
        }
        found += coordinate * step;
        step *= extent;
    }
    return found;
}

static int32_t similar_place(int32_t place, int32_t large, int32_t small)
{
    if (small <= 2 || place == 0) return place == 0 ? 0 : place == large - 1 ? small - 1 : place % small;
    return place == large - 1 ? small - 1 : 1 + (place - 1) % (small - 2);
}

int32_t grid_similar(const struct grid *large, int32_t rank, const struct grid *small)
{
    int32_t at[GRID_DIMENSIONS], found = 0, step = 1;
    grid_coordinates(large, rank, at);
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        found += similar_place(at[d], large->extents[d], small->extents[d]) * step;
        step *= small->extents[d];
    }
    return found;
}

char *grid_text(const struct grid *grid, char buffer[GRID_TEXT_BYTES])
{
    const int32_t *extents = grid->extents;
    char periodic[40] = "";
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        if (grid->periodic[d] && extents[d] > 1)
            snprintf(periodic + strlen(periodic), sizeof periodic - strlen(periodic), "%s%c",
                     *periodic ? " and " : ", periodic in ", "xyz"[d]);
    if (extents[1] == 1 && extents[2] == 1)
        snprintf(buffer, GRID_TEXT_BYTES, "a line of %d%s", extents[0], *periodic ? ", periodic" : "");
    else if (extents[2] == 1)
        snprintf(buffer, GRID_TEXT_BYTES, "a grid of %d x %d%s", extents[0], extents[1], periodic);
    else
        snprintf(buffer, GRID_TEXT_BYTES, "a grid of %d x %d x %d%s", extents[0], extents[1], extents[2], periodic);
    return buffer;
}
