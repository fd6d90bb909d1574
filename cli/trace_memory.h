/* Before a trace is read to be replayed: its calls come to lie on large pages if they are many. */
#ifndef CLI_TRACE_MEMORY_H
#define CLI_TRACE_MEMORY_H

/* path: as the user names the trace; what is none is left to the reader. */
void trace_memory_prepare(const char *path);

#endif
