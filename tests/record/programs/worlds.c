/* Programs that meet others: argument 1 says how. Two ranks, and children that are this program, too.
 *   spawn     rank 0 starts three children (more than there are parents); messages, collectives and a window with them
 *   multiple  starts one child and two with an argument of their own
 *   ports     rank 0 accepts, rank 1 connects, each for itself: both are of one world
 *   join      the same through a socket
 *   refused   starting, or a port, is refused; the error is looked at and the program goes on */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

static int rank, ranks;

/* On both sides: rank 1 of the one sends to rank 0 of the other. */
static void meet(MPI_Comm between, int high)
{
    int value = 0, others = 0, all = 0, sum = 0;
    MPI_Comm merged;
    MPI_Win window;
    MPI_Group group, everybody;
    MPI_Comm_remote_size(between, &others);
    if (high && rank == 1) MPI_Send(&rank, 1, MPI_INT, 0, 7, between);
    if (!high && rank == 0) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, between, MPI_STATUS_IGNORE);
    if (!high && rank == 0 && value != 1) exit(1);
    MPI_Barrier(between);
    MPI_Intercomm_merge(between, high, &merged);
    MPI_Comm_size(merged, &all);
    if (all != ranks + others) exit(1);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged);
    int *memory = aligned(64);
    memory[0] = 0;
    MPI_Win_create(memory, 64, sizeof *memory, MPI_INFO_NULL, merged, &window);
    MPI_Win_set_name(window, "of both");
    MPI_Win_fence(0, window);
    if (high && rank == 1) MPI_Put(&all, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    if (!high && rank == 0 && memory[0] != all) exit(1);
    MPI_Comm_group(merged, &everybody);
    MPI_Group_incl(everybody, 1, (int[]){high ? 0 : ranks}, &group); /* the first of the others */
    if (rank == 0) {
        MPI_Win_post(group, 0, window);
        MPI_Win_start(group, 0, window);
        MPI_Win_complete(window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&everybody);
    MPI_Win_free(&window);
    free(memory);
    MPI_Comm_free(&merged);
}

static void child(MPI_Comm parent, int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "named") == 0 && rank == 0) exit(1); /* it is the first command's */
    meet(parent, 1);
    MPI_Comm_disconnect(&parent);
}

static void spawn(char *program)
{
    MPI_Comm children;
    MPI_Comm_spawn(program, MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    meet(children, 0);
    MPI_Comm_disconnect(&children);
}

static void multiple(char *program)
{
    MPI_Comm children;
    char *named[] = {"named", NULL}, *commands[] = {program, program}, **arguments[] = {MPI_ARGV_NULL, named};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm_spawn_multiple(2, commands, arguments, (int[]){1, 2}, infos, 0, MPI_COMM_WORLD, &children,
                            MPI_ERRCODES_IGNORE);
    meet(children, 0);
    MPI_Comm_disconnect(&children);
}

/* Each is alone on its side: rank 0 of it. */
static void talk(MPI_Comm between)
{
    int value = rank, got = -1;
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 3, &got, 1, MPI_INT, 0, 3, between, MPI_STATUS_IGNORE);
    if (got != 1 - rank) exit(1);
    MPI_Comm_disconnect(&between);
}

static void ports(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm between;
    if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between);
    talk(between);
    if (rank == 0) MPI_Close_port(port);
}

/* A port of the machine that is free. */
static void join(void)
{
    MPI_Comm between;
    struct sockaddr_storage name;
    socklen_t length = sizeof name;
    int one = socket(AF_INET, SOCK_STREAM, 0), other = one;
    memset(&name, 0, sizeof name);
    name.ss_family = AF_INET;
    if (rank == 0 && (bind(one, (struct sockaddr *)&name, length) != 0 || listen(one, 1) != 0)) exit(1);
    if (rank == 0) getsockname(one, (struct sockaddr *)&name, &length);
    MPI_Bcast(&name, sizeof name, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        other = accept(one, NULL, NULL);
    else if (connect(one, (struct sockaddr *)&name, length) != 0)
        exit(1);
    MPI_Comm_join(other, &between);
    talk(between);
    close(other);
}

static void refused(char *program)
{
    MPI_Comm children;
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int spawned =
        MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    int opened = MPI_Open_port(MPI_INFO_NULL, port);
    if (spawned == MPI_SUCCESS || opened == MPI_SUCCESS) exit(1);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_get_parent(&parent);
    const char *how = argc > 1 ? argv[1] : "";
    if (parent != MPI_COMM_NULL)
        child(parent, argc, argv);
    else if (strcmp(how, "spawn") == 0)
        spawn(argv[0]);
    else if (strcmp(how, "multiple") == 0)
        multiple(argv[0]);
    else if (strcmp(how, "ports") == 0)
        ports();
    else if (strcmp(how, "join") == 0)
        join();
    else if (strcmp(how, "refused") == 0)
        refused(argv[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("%s done\n", parent != MPI_COMM_NULL ? "child" : how);
    MPI_Finalize();
    return 0;
}
