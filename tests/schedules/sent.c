/* Linked in front of MPICH: what it hands to its network (UCX) while `sent_on` is set, in the order of its sends: how
 * many bytes each message has, by which endpoint it goes (one for each rank), and whether its sender waits until it is
 * received. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SENT_MAX = 4096 };

int sent_on;
int sent_count;
size_t sent_bytes[SENT_MAX];
void *sent_endpoint[SENT_MAX];
bool sent_synchronous[SENT_MAX];

typedef void *tag_send(void *endpoint, const void *buffer, size_t count, uint64_t tag, const void *parameters);

/* count: bytes; 1 of a derived type that is not contiguous. */
static void note(void *endpoint, size_t count, bool synchronous)
{
    if (!sent_on || sent_count >= SENT_MAX) return;
    sent_endpoint[sent_count] = endpoint;
    sent_synchronous[sent_count] = synchronous;
    sent_bytes[sent_count++] = count;
}

void *ucp_tag_send_nbx(void *endpoint, const void *buffer, size_t count, uint64_t tag, const void *parameters)
{
    static tag_send *real;
    if (!real) real = (tag_send *)dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
    note(endpoint, count, false);
    return real(endpoint, buffer, count, tag, parameters);
}

void *ucp_tag_send_sync_nbx(void *endpoint, const void *buffer, size_t count, uint64_t tag, const void *parameters)
{
    static tag_send *real;
    if (!real) real = (tag_send *)dlsym(RTLD_NEXT, "ucp_tag_send_sync_nbx");
    note(endpoint, count, true);
    return real(endpoint, buffer, count, tag, parameters);
}

/* More ranks than cores: who has nothing to do lets others go on. */
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    if (!real) real = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned done = real(worker);
    if (done == 0) sched_yield();
    return done;
}
