#include <float.h>
#include <math.h>
#include <stddef.h>
#include <time.h>

#include "platforms/probe/program/probe.h"

enum { CLOCK_ROUNDS = 20, CLOCK_ATTEMPTS = 4, NOISE_MS = 60 };

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

/* A probe that finds nothing polls. */
void poll_until(double time_s)
{
    for (int flag; now_s() < time_s;) MPI_Iprobe(1 - my_rank, TAG_NOTHING, pair, &flag, MPI_STATUS_IGNORE);
}

void spin(double seconds)
{
    for (double end_s = now_s() + seconds; now_s() < end_s;) continue;
}

void ask(const struct step *step)
{
    MPI_Send(step, sizeof *step, MPI_BYTE, PARTNER, TAG_STEP, pair);
}

void report(const struct marks *marks)
{
    MPI_Send(marks, sizeof *marks, MPI_BYTE, ORIGIN, TAG_REPORT, pair);
}

void await_report(struct marks *marks)
{
    MPI_Recv(marks, sizeof *marks, MPI_BYTE, PARTNER, TAG_REPORT, pair, MPI_STATUS_IGNORE);
}

/* Of the fastest round trip the middle: its error is at most half that round trip. */
static void compare_clocks(double *least_s, double *offset_s)
{
    ask(&(struct step){.kind = STEP_CLOCK});
    for (int i = 0; i < CLOCK_ROUNDS; i++) {
        double theirs_s, begin_s = now_s();
        MPI_Send(NULL, 0, MPI_BYTE, PARTNER, TAG_DATA, pair);
        MPI_Recv(&theirs_s, 1, MPI_DOUBLE, PARTNER, TAG_ANSWER, pair, MPI_STATUS_IGNORE);
        double end_s = now_s();
        if (end_s - begin_s >= *least_s) continue;
        *least_s = end_s - begin_s;
        *offset_s = theirs_s - (begin_s + end_s) / 2;
    }
}

double clock_offset_s(double error_s)
{
    double least_s = DBL_MAX, offset_s = 0;
    for (int i = 0; i < CLOCK_ATTEMPTS && least_s > 2 * error_s; i++) compare_clocks(&least_s, &offset_s);
    return offset_s;
}

void clock_answer(void)
{
    for (int i = 0; i < CLOCK_ROUNDS; i++) {
        MPI_Recv(NULL, 0, MPI_BYTE, ORIGIN, TAG_DATA, pair, MPI_STATUS_IGNORE);
        double mine_s = now_s();
        MPI_Send(&mine_s, 1, MPI_DOUBLE, ORIGIN, TAG_ANSWER, pair);
    }
}

double longest_gap_s(void)
{
    double longest_s = 0, last_s = now_s(), end_s = last_s + NOISE_MS * 1e-3;
    while (last_s < end_s) {
        double time_s = now_s();
        longest_s = fmax(longest_s, time_s - last_s);
        last_s = time_s;
    }
    return longest_s;
}

/* Both look at the same time. */
double noise_s(void)
{
    struct marks theirs;
    ask(&(struct step){.kind = STEP_NOISE});
    double mine_s = longest_gap_s();
    await_report(&theirs);
    return fmax(mine_s, theirs.helper);
}

void noise_answer(void)
{
    report(&(struct marks){.helper = longest_gap_s()});
}
