/* What must hold of a trace that a reader has accepted, whatever it is. */
#ifndef TESTS_FUZZ_ORACLE_H
#define TESTS_FUZZ_ORACLE_H

#include <stdio.h>

#include "model/result/result.h"
#include "platforms/platform.h"
#include "trace/trace.h"

/* The replay and its laws. */
void oracle_replay(const struct trace *trace, const struct platform *platform);

/* A result that was made or read: written, read back, printed. */
void oracle_result(const struct result *result);
FILE *oracle_nowhere(void);

/* Opens a file in the ways of the commands, and checks what comes of it. */
void oracle_open(const char *path, const struct platform *platform);

/* A trace is the same when it is written as text and read again. */
void oracle_text(const char *what, const struct trace *trace);

/* Two traces are the same but for the names of their files. */
void oracle_same(const char *what, const struct trace *one, const struct trace *two);

#endif
