/* MPI_Pcontrol: user regions, and where the recording stops and resumes. */
#include <sys/uio.h>
#include <unistd.h>

#include "trace/record/record.h"
#include "trace/record/threads/table.h"

enum { REGION_NAME_BYTES = 128, OWN_FRAME_BYTES = 128, DEAD_STACK_BYTES = 1 << 20 };

/* MPI_Pcontrol takes any arguments, so the name may be no pointer at all: it is read by the kernel, which refuses
 * instead of ending the program. Two parts, since a string may end just before unreadable memory. */
static bool read_name(const void *from, char name[REGION_NAME_BYTES])
{
    uintptr_t address = (uintptr_t)from, page = (address | 4095) + 1;
    size_t first = page - address < REGION_NAME_BYTES - 1 ? page - address : REGION_NAME_BYTES - 1;
    struct iovec local = {.iov_base = name, .iov_len = REGION_NAME_BYTES - 1};
    struct iovec remote[2] = {{.iov_base = (void *)address, .iov_len = first},
                              {.iov_base = (void *)page, .iov_len = REGION_NAME_BYTES - 1 - first}};
    /* a register may still have a pointer of an earlier call to its frames, below the program's own */
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0) + OWN_FRAME_BYTES;
    if (address < frame && frame - address < DEAD_STACK_BYTES) return false;
    ssize_t got = from ? process_vm_readv(getpid(), &local, 1, remote, 2, 0) : -1;
    if (got <= 0) return false;
    name[got] = '\0';
    for (const char *at = name; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127) return false;
    return name[0] != '\0';
}

static struct rec_table regions; /* by hash of the name: id plus 1 */

static uint64_t region_hash(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *at = name; *at; at++) hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    return hash;
}

static uint32_t region_id(const char *name)
{
    static uint32_t count;
    uint64_t hash = region_hash(name);
    uintptr_t *found = rec_table_find(&regions, hash);
    if (found) return (uint32_t)(*found - 1);
    if (!rec_table_put(&regions, hash, (uintptr_t)count + 1)) rec_stop("out of memory");
    rec_define(SPOOL_REGION, count, name, strlen(name));
    return count++;
}

void rec_region(struct rec_call *rec, int level, const void *name)
{
    char text[REGION_NAME_BYTES];
    bool named = read_name(name, text);
    if (level == 0) rec_pause();
    /* the argument after MPI_Pcontrol(1) may look like a name by chance: while recording is off only known names
     * count */
    bool known = named && rec_table_find(&regions, region_hash(text));
    if (level == 0 || (level == 1 && !known && rec_resume())) {
        rec->quiet = true;
        return;
    }
    if (!named) return;
    struct spool_record record = {.kind = level > 0 ? SPOOL_REGION_ENTER : SPOOL_REGION_LEAVE, .time = rec_stamp()};
    record.id = region_id(text);
    if (rec_cpu) rec_cpu_enter();
    rec_put(&record);
    if (rec_cpu) rec_cpu_leave();
    rec->quiet = true;
}
