/* The directory of a program's files. Several programs may run in one job: one after another, at the same time, or
 * started by others of them (MPI_Comm_spawn). Each has a world of its own, whose ranks count from 0. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "trace/record/record.h"
#include "trace/record/settings.h"

static char directory[4096];

const char *rec_directory(void)
{
    return directory;
}

/* Rank 0's time of day when it opened its files, for all of the program: files of another run have another one. */
static uint64_t run_ns;

uint64_t rec_run(void)
{
    return run_ns;
}

static uint64_t time_of_day_ns(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

enum { NO_DIRECTORY = -1 };

/* 0: RMACAST_SPOOL itself. */
static bool set_directory(int number)
{
    const char *spool = rec_setting("RMACAST_SPOOL");
    int bytes = number == 0 ? snprintf(directory, sizeof directory, "%s", spool)
                            : snprintf(directory, sizeof directory, "%s/" SPOOL_WORLD_NAME, spool, (unsigned)number);
    if (bytes > 0 && (size_t)bytes < sizeof directory) return true;
    errno = ENAMETOOLONG;
    return false;
}

/* Rank 0 takes the first directory that is free, and opens its buffer there. */
static int take_directory(const struct spool_header *header, const char **why)
{
    int number = 0;
    *why = set_directory(0) ? rec_buffer_open(&rec_out, directory, header) : "the spool's main file cannot be made";
    if (!*why || errno != EEXIST) return 0; /* ranks of other machines may fare better */
    do {
        if (!set_directory(++number)) return NO_DIRECTORY;
    } while (mkdir(directory, 0777) != 0 && errno == EEXIST);
    *why = rec_buffer_open(&rec_out, directory, header);
    return *why ? NO_DIRECTORY : number;
}

const char *rec_spool_open(const struct spool_header *header)
{
    const char *why = NULL;
    int number = 0, failure;
    errno = 0;
    if (rec_rank == 0) number = take_directory(header, &why);
    failure = errno;
    uint64_t told[] = {(uint64_t)(int64_t)number, time_of_day_ns()};
    PMPI_Bcast(told, 2, MPI_UINT64_T, 0, rec_everyone);
    number = (int)(int64_t)told[0];
    run_ns = told[1];
    errno = failure;
    if (rec_rank == 0) return why;
    errno = 0;
    if (number == NO_DIRECTORY) return "rank 0 found no directory for another program in the spool";
    if (!set_directory(number)) return "the spool's main file cannot be made";
    if (number > 0 && mkdir(directory, 0777) != 0 && errno != EEXIST)
        return "the spool of another program cannot be made";
    return rec_buffer_open(&rec_out, directory, header);
}
