/* The directory of a program's files. Several programs may run in one job: one after another, at the same time, or
 * started by others of them (MPI_Comm_spawn). Each has a world of its own, whose ranks count from 0. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "trace/record/record.h"
#include "trace/record/settings.h"

static char directory[4096];

const char *rec_directory(void)
{
    return directory;
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
    PMPI_Bcast(&number, 1, MPI_INT, 0, rec_everyone);
    errno = failure;
    if (rec_rank == 0) return why;
    errno = 0;
    if (number == NO_DIRECTORY) return "rank 0 found no directory for another program in the spool";
    if (!set_directory(number)) return "the spool's main file cannot be made";
    if (number > 0 && mkdir(directory, 0777) != 0 && errno != EEXIST)
        return "the spool of another program cannot be made";
    return rec_buffer_open(&rec_out, directory, header);
}
