/* Asks for large pages for the calls of a trace that is about to be read and replayed, if they are many. */
#ifndef CLI_TRACE_MEMORY_H
#define CLI_TRACE_MEMORY_H

/* path: as the user names the trace; what is none is left to the reader. */
void trace_memory_prepare(const char *path);

#endif
