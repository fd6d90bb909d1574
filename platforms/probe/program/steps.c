/* What origin and partner say to each other in a try, and the comparison of their clocks (platforms/probe/program/probe.h). */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <time.h>

#include "platforms/probe/program/probe.h"

enum { CLOCK_ATTEMPTS = 4, NOISE_MS = 40 };
/* Between two polls; a poll takes less time. */
#define GAP_LEAST_S 1e-4

double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void sleep_until(double time_s)
{
    double whole = floor(time_s);
    struct timespec end = {.tv_sec = (time_t)whole, .tv_nsec = (long)((time_s - whole) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) != 0) continue;
}

/* A probe that finds nothing makes the library poll. */
void poll_until(double time_s)
{
    for (int flag; now_s() < time_s;) MPI_Iprobe(1 - my_rank, TAG_NOTHING, pair, &flag, MPI_STATUS_IGNORE);
}

void spin(double seconds)
{
    for (double end_s = now_s() + seconds; now_s() < end_s;) continue;
}

void ask(int rank, const struct step *step)
{
    MPI_Send(step, sizeof *step, MPI_BYTE, rank, TAG_STEP, comm_with(rank));
}

void report(const struct marks *marks)
{
    MPI_Send(marks, sizeof *marks, MPI_BYTE, ORIGIN, TAG_REPORT, comm_with(my_rank));
}

void await_report(int rank, struct marks *marks)
{
    MPI_Recv(marks, sizeof *marks, MPI_BYTE, rank, TAG_REPORT, comm_with(rank), MPI_STATUS_IGNORE);
}

/* Uses the middle of the fastest round trip: its error is at most half of that. */
static void compare_clocks(int rank, double *least_s, double *offset_s)
{
    ask(rank, &(struct step){.kind = STEP_CLOCK});
    for (int i = 0; i < CLOCK_ROUNDS; i++) {
        double theirs_s, begin_s = now_s();
        MPI_Send(NULL, 0, MPI_BYTE, rank, TAG_DATA, comm_with(rank));
        MPI_Recv(&theirs_s, 1, MPI_DOUBLE, rank, TAG_ANSWER, comm_with(rank), MPI_STATUS_IGNORE);
        double end_s = now_s();
        if (end_s - begin_s >= *least_s) continue;
        *least_s = end_s - begin_s;
        *offset_s = theirs_s - (begin_s + end_s) / 2;
    }
}

/* Ranks of one machine have one clock: where the offset may be 0, it is. */
struct clock_offset clock_offset_of(int rank, double wanted_s)
{
    double least_s = DBL_MAX, offset_s = 0;
    for (int i = 0; i < CLOCK_ATTEMPTS && least_s > 2 * wanted_s; i++) {
        compare_clocks(rank, &least_s, &offset_s);
        if (fabs(offset_s) <= least_s / 2) return (struct clock_offset){0, 0};
    }
    return (struct clock_offset){offset_s, least_s / 2};
}

void clock_answer(void)
{
    for (int i = 0; i < CLOCK_ROUNDS; i++) {
        MPI_Recv(NULL, 0, MPI_BYTE, ORIGIN, TAG_DATA, comm_with(my_rank), MPI_STATUS_IGNORE);
        double mine_s = now_s();
        MPI_Send(&mine_s, 1, MPI_DOUBLE, ORIGIN, TAG_ANSWER, comm_with(my_rank));
    }
}

/* Listens as a rank inside MPI. If its library yields the core at a poll that finds nothing, others take it, but only
 * as long as they need it. */
static struct noise listen_noise(void)
{
    struct noise noise = {0, 0};
    double last_s = now_s(), end_s = last_s + NOISE_MS * 1e-3;
    while (last_s < end_s) {
        int found;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, pair, &found, MPI_STATUS_IGNORE);
        double time_s = now_s(), gap_s = time_s - last_s;
        noise.longest_s = fmax(noise.longest_s, gap_s);
        if (gap_s >= GAP_LEAST_S) noise.share += gap_s / (NOISE_MS * 1e-3);
        last_s = time_s;
    }
    return noise;
}

/* Both ranks listen at the same time. */
struct noise noise_of_both(void)
{
    struct marks theirs;
    ask(PARTNER, &(struct step){.kind = STEP_NOISE});
    struct noise mine = listen_noise();
    await_report(PARTNER, &theirs);
    return (struct noise){fmax(mine.longest_s, theirs.helper), fmax(mine.share, theirs.lost_share)};
}

void noise_answer(void)
{
    struct noise mine = listen_noise();
    report(&(struct marks){.helper = mine.longest_s, .lost_share = mine.share});
}
