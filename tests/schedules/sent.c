/* Linked in front of MPICH: how many bytes each message has that MPICH hands to its network (UCX), in the order of
 * their sends. Counts while `sent_on` is set. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>

enum { SENT_MAX = 4096 };

int sent_on;
int sent_count;
size_t sent_bytes[SENT_MAX];

typedef void *tag_send(void *endpoint, const void *buffer, size_t count, uint64_t tag, const void *parameters);

/* count: bytes; 1 of a derived type that is not contiguous. */
void *ucp_tag_send_nbx(void *endpoint, const void *buffer, size_t count, uint64_t tag, const void *parameters)
{
    static tag_send *real;
    if (!real) real = (tag_send *)dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
    if (sent_on && sent_count < SENT_MAX) sent_bytes[sent_count++] = count;
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
