/* What the programs that stand for others share: messages of n bytes on SMPI, lines of the trace, rows of the
 * comparison.
 *
 * SMPI adds an envelope of 16 bytes to each message: a message of n bytes is sent as one of n - 16, so that n bytes
 * move; a message without bytes is one of 16, as control messages are on the platform. A NIC that sends first in, first
 * out, is a rank that waits, before it sends, until the bytes before have left. */
#ifndef TESTS_ORACLE_ROWS_H
#define TESTS_ORACLE_ROWS_H

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <time.h>

#include "../schedules/schedule.h"

enum { ENVELOPE_BYTES = 16, DATA = 1, ACKNOWLEDGEMENT, BUFFER_BYTES = 1 << 21 };

static const double bytes_per_s = 1e10; /* of the platform's links */

static struct {
    double free_s; /* when the bytes of the last message will have left */
    char *out, *in;
    int rank, size;
    FILE *rows;
    int lines;
} own;

static void sleep_for(double time_s)
{
    double ns = floor(time_s * 1e9 + 0.5);
    const struct timespec time = {(time_t)(ns / 1e9), (long)fmod(ns, 1e9)};
    if (ns >= 1) nanosleep(&time, NULL);
}

static void sleep_until(double time_s)
{
    sleep_for(time_s - MPI_Wtime());
}

static void send_bytes(MPI_Comm comm, int to, long bytes, int tag, MPI_Request *request)
{
    if (bytes < ENVELOPE_BYTES) bytes = ENVELOPE_BYTES;
    if (bytes > BUFFER_BYTES) abort();
    sleep_until(own.free_s);
    own.free_s = MPI_Wtime() + (double)bytes / bytes_per_s;
    PMPI_Isend(own.out, (int)bytes - ENVELOPE_BYTES, MPI_BYTE, to, tag, comm, request);
}

static void say(double enter_s, double exit_s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(traced.out, "%d %.12f %.12f ", own.rank, enter_s, exit_s);
    vfprintf(traced.out, format, arguments);
    fputc('\n', traced.out);
    va_end(arguments);
    own.lines++;
}

static void pass_on(const struct party *party)
{
    int right = turned(party, party->rank, 1), left = turned(party, party->rank, -1);
    for (int i = 0; i < 2; i++) {
        double enter_s = MPI_Wtime();
        bool sends = (party->rank == 0) == (i == 0);
        exchange(party, sends ? right : NOBODY, ENVELOPE_BYTES, sends ? NOBODY : left);
        say(enter_s, MPI_Wtime(), "MPI_%s comm=0 peer=%d tag=0 bytes=%d", sends ? "Send" : "Recv", sends ? right : left,
            ENVELOPE_BYTES);
    }
}

/* When all ranks are through, a token goes round, and they begin together: when one has had the token depends on rank 0
 * alone, so that nothing of what was before is left. Returns when they begin. */
static double begin_together(const struct party *party)
{
    enum { FAR_US = 1000 };
    double enter_s = MPI_Wtime(), together_s;
    schedule_gather(party, 0, ENVELOPE_BYTES);
    say(enter_s, MPI_Wtime(), "MPI_Gather comm=0 root=0 bytes=%d", ENVELOPE_BYTES);
    pass_on(party);
    together_s = (floor(MPI_Wtime() * 1e6 / FAR_US) + 2) * FAR_US * 1e-6;
    sleep_until(together_s);
    return together_s;
}

static void open_rows(void)
{
    char name[TRACED_TEXT];
    own.out = malloc(BUFFER_BYTES);
    own.in = malloc(BUFFER_BYTES);
    snprintf(name, sizeof name, "%s.rows", getenv("ORACLE_TRACE"));
    own.rows = own.rank == 0 ? fopen(name, "w") : NULL;
    if (own.rank == 0 && !own.rows) exit(1);
}

/* The lines since `before` are a row. */
static void add_row(const char *name, long bytes, int before)
{
    if (own.rank == 0) fprintf(own.rows, "%s %ld %d %d\n", name, bytes, before, own.lines);
}

static void close_rows(void)
{
    if (own.rank == 0) fclose(own.rows);
    free(own.out);
    free(own.in);
}

#endif
