/* Reads the environment when the program is loaded. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/record/preload/abi.h"
#include "validate/semantics/semantics.h"

struct sem_settings sem_settings = {.buffer_bytes = -1, .epochs_ahead = 1};

static const struct sem_rules rules[] = {
    {'a', .start_waits = true, .puts = SEM_ISSUE, .gets = SEM_ISSUE},
    {'b', .puts = SEM_WAIT, .gets = SEM_WAIT},
    {'c', .puts = SEM_QUEUE, .gets = SEM_QUEUE, .complete_waits = true},
    {'d', .puts = SEM_COPY, .gets = SEM_QUEUE, .complete_returns = true},
};

bool sem_on(void)
{
    return sem_settings.rules || sem_settings.lazy;
}

static void refuse_value(const char *name, const char *text, const char *expected)
{
    dprintf(STDERR_FILENO, "rmacast: %s=%s: expected %s\n", name, text, expected);
    _exit(1);
}

static const char *read_setting(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

static void read_count(const char *name, int64_t least, int64_t *count)
{
    const char *text = read_setting(name);
    char *end;
    if (!text) return;
    if (strcmp(text, "unlimited") == 0) {
        *count = -1;
        return;
    }
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno != 0 || *end || value < least)
        refuse_value(name, text, least ? "a number from 1 on or unlimited" : "bytes or unlimited");
    *count = value;
}

static void read_letter(void)
{
    const char *text = read_setting("RMACAST_SEMANTICS");
    for (size_t i = 0; text && i < sizeof rules / sizeof *rules; i++)
        if (text[0] == rules[i].letter && !text[1]) sem_settings.rules = &rules[i];
    if (text && !sem_settings.rules) refuse_value("RMACAST_SEMANTICS", text, "a, b, c or d");
}

static void read_lock(void)
{
    const char *text = read_setting("RMACAST_LOCK");
    if (text && strcmp(text, "lazy") != 0 && strcmp(text, "blocking") != 0)
        refuse_value("RMACAST_LOCK", text, "blocking or lazy");
    sem_settings.lazy = text && strcmp(text, "lazy") == 0;
}

/* Both libraries read the level of MPI_Init from the environment. */
static void read_progress(void)
{
    const char *text = read_setting("RMACAST_PROGRESS");
    if (text && strcmp(text, "call") != 0 && strcmp(text, "thread") != 0)
        refuse_value("RMACAST_PROGRESS", text, "call or thread");
    sem_settings.helper = text && strcmp(text, "thread") == 0 && sem_on();
    if (!sem_settings.helper) return;
    setenv("MPIR_CVAR_DEFAULT_THREAD_LEVEL", "MPI_THREAD_MULTIPLE", 0);
    setenv("OMPI_MPI_THREAD_LEVEL", "3", 0);
}

static bool of_another_library(void)
{
    enum rec_abi abi = rec_abi_of(dlsym(RTLD_NEXT, "PMPI_Init"));
#ifdef OPEN_MPI
    return abi != REC_ABI_OPEN_MPI;
#else
    return abi != REC_ABI_MPICH;
#endif
}

/* Launchers and shells have no MPI. In them nothing is printed about wrong settings. */
__attribute__((constructor)) static void loaded(void)
{
    sem_mpi_find();
    if (!sem_mpi.Win_start) return;
    read_letter();
    read_lock();
    read_progress();
    read_count("RMACAST_BUFFER_BYTES", 0, &sem_settings.buffer_bytes);
    read_count("RMACAST_EPOCHS_AHEAD", 1, &sem_settings.epochs_ahead);
    if (of_another_library()) {
        static const char text[] = "rmacast: the preloaded semantics library is for another MPI library than the program's\n";
        ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
        (void)ignored;
        _exit(1);
    }
}
