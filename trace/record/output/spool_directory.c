/* The directory of a program's files. Several programs may run in one job: one after another, at the same time, or
 * started by others of them (MPI_Comm_spawn). Each has a world of its own, whose ranks count from 0. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "trace/record/record.h"
#include "trace/record/settings.h"

static char place[4096];

const char *rec_place(void)
{
    return place;
}

enum { NO_PLACE = -1 };

/* 0: RMACAST_SPOOL itself. */
static bool set_place(int number)
{
    const char *spool = rec_setting("RMACAST_SPOOL");
    int bytes = number == 0 ? snprintf(place, sizeof place, "%s", spool)
                            : snprintf(place, sizeof place, "%s/" SPOOL_WORLD_NAME, spool, (unsigned)number);
    if (bytes > 0 && (size_t)bytes < sizeof place) return true;
    errno = ENAMETOOLONG;
    return false;
}

/* Rank 0 takes the first place that is free, and opens its buffer there. */
static int take_place(const struct spool_header *header, const char **why)
{
    int number = 0;
    *why = set_place(0) ? rec_buffer_open(&rec_out, place, header) : "the spool's main file cannot be made";
    if (!*why || errno != EEXIST) return 0; /* ranks of other machines may fare better */
    do {
        if (!set_place(++number)) return NO_PLACE;
    } while (mkdir(place, 0777) != 0 && errno == EEXIST);
    *why = rec_buffer_open(&rec_out, place, header);
    return *why ? NO_PLACE : number;
}

static const char *follow(int number, const struct spool_header *header)
{
    errno = 0;
    if (number == NO_PLACE) return "rank 0 found no place for another program in the spool";
    if (!set_place(number)) return "the spool's main file cannot be made";
    if (number > 0 && mkdir(place, 0777) != 0 && errno != EEXIST) return "the spool of another program cannot be made";
    return rec_buffer_open(&rec_out, place, header);
}

const char *rec_spool_open(const struct spool_header *header)
{
    const char *why = NULL;
    int number = 0, failure;
    errno = 0;
    if (rec_rank == 0) number = take_place(header, &why);
    failure = errno;
    PMPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    errno = failure;
    return rec_rank == 0 ? why : follow(number, header);
}
