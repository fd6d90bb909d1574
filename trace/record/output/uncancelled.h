/* System calls that are cancellation points in the C library (POSIX.1-2017, 2.9.5), here without that property: a thread
 * that the program cancels must not end in a call that the program does not make, with a chunk half appended or a lock
 * held. The recorder has no other way to such calls, which a test of its libraries' symbols keeps so. A FILE
 * with mode "c" has none. errno is set as usual. */
#ifndef TRACE_RECORD_OUTPUT_UNCANCELLED_H
#define TRACE_RECORD_OUTPUT_UNCANCELLED_H

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline int rec_open(const char *path, int flags)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0666);
}

static inline void rec_close(int file)
{
    syscall(SYS_close, file);
}

static inline ssize_t rec_write(int file, const void *from, size_t bytes)
{
    return syscall(SYS_write, file, from, bytes);
}

/* From the beginning of the file. */
static inline ssize_t rec_read_first(int file, void *to, size_t bytes)
{
    return syscall(SYS_pread64, file, to, bytes, (off_t)0);
}

static inline void rec_sleep_us(long us)
{
    syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = us * 1000}, NULL);
}

/* Takes a pending signal of the set, if there is one. */
static inline void rec_take_signal(const sigset_t *set)
{
    syscall(SYS_rt_sigtimedwait, set, NULL, &(struct timespec){.tv_sec = 0}, _NSIG / 8);
}

/* A message to standard error. */
__attribute__((format(printf, 1, 2))) static inline void rec_say(const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    int bytes = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (bytes > 0) rec_write(STDERR_FILENO, text, (size_t)bytes < sizeof text ? (size_t)bytes : sizeof text - 1);
}

#endif
