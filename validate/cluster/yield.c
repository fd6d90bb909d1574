/* Preloaded into ranks that share cores: MPICH (ch4:ucx) polls the network by ucp_worker_progress() wherever it waits. A
 * poll that finds nothing gives the core away, to the other ranks and to the switch. */
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*poll_network)(void *);
    if (!poll_network) *(void **)&poll_network = dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned found = poll_network(worker);
    if (found == 0) sched_yield();
    return found;
}
