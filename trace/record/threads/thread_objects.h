/* Ids of mutexes and the like by address, numbers of threads by handle, and which call sites are the program's. Sort
 * and address identify an object. Ids count up from 0 over all sorts. */
#ifndef TRACE_RECORD_THREADS_THREAD_OBJECTS_H
#define TRACE_RECORD_THREADS_THREAD_OBJECTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum rec_sort { REC_MUTEX, REC_CONDITION, REC_BARRIER, REC_SEMAPHORE, REC_SPIN, REC_RWLOCK, REC_SORTS };

/* The id of the object at an address, a new one if it is not known (*made, unless NULL); REC_NO_OBJECT if memory is
 * short. */
uint32_t rec_object(enum rec_sort sort, const void *address, bool *made);

/* The number given to rec_object_forget(); 1 if the barrier was made before this library was loaded. */
int64_t rec_barrier_parties(const void *address);

/* Forgets the object at the address, where another one will be; parties is the number of a barrier's threads. */
void rec_object_forget(enum rec_sort sort, const void *address, unsigned parties);

/* Handles come again when a thread has been joined: take removes it. REC_NO_OBJECT: not known. */
void rec_thread_put(pthread_t thread, uint32_t number);
uint32_t rec_thread_take(pthread_t thread);

/* The return address is in the program or a library that outside.def does not name. */
bool rec_site_is_inside(const void *site);

#endif
