/* What the dispatch (dispatch.c) tells the functions that replace dlsym (lookup.c). */
#ifndef TRACE_RECORD_PRELOAD_LOOKUP_H
#define TRACE_RECORD_PRELOAD_LOOKUP_H

/* The stub of this name, NULL: there is none. */
void *rec_stub_of(const char *name) __attribute__((visibility("hidden")));

#endif
