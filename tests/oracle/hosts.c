/* What each thread of hosts.sh computes, on SimGrid alone: hosts PLATFORM <LOADS. A line of LOADS is a host and the work in
 * flops; prints the host and when the work is done, in seconds. All begin at 0. */
#include <stdio.h>
#include <stdlib.h>

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>

static void compute(int argc, char *argv[])
{
    (void)argc;
    sg_actor_execute(atof(argv[1]));
    printf("%s %.9f\n", argv[0], simgrid_get_clock());
}

int main(int argc, char *argv[])
{
    char host[64], flops[64];
    simgrid_init(&argc, argv);
    if (argc != 2) return 2;
    simgrid_load_platform(argv[1]);
    while (scanf("%63s %63s", host, flops) == 2) {
        char *const arguments[] = {host, flops, NULL};
        sg_actor_t actor = sg_actor_init("computes", sg_host_by_name(host));
        sg_actor_start(actor, compute, 2, arguments);
    }
    simgrid_run();
    return 0;
}
