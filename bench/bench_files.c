/* Speed and size of trace files: a spool is packed, the archive read. CPU time of this process alone, so that other
 * programs disturb little. Usage: bench_files SPOOL DIRECTORY. Events are OTF2's records. */
#include <otf2/otf2.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "trace/otf2/otf2.h"
#include "trace/spool/read.h"

static double cpu_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_sec +
           1e-6 * (double)usage.ru_stime.tv_usec;
}

static OTF2_CallbackCode add_events(void *events, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                    uint64_t count, OTF2_LocationGroupRef group)
{
    (void)self, (void)name, (void)type, (void)group;
    *(uint64_t *)events += count;
    return OTF2_CALLBACK_SUCCESS;
}

static uint64_t events_of(const char *anchor)
{
    uint64_t events = 0, read;
    OTF2_Reader *reader = OTF2_Reader_Open(anchor);
    if (!reader) return 0;
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, add_events);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, &events);
    OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    OTF2_Reader_Close(reader);
    return events;
}

static double event_bytes(const char *directory, uint32_t ranks)
{
    double bytes = 0;
    struct stat about;
    char path[4096];
    for (uint32_t i = 0; i < ranks; i++) {
        snprintf(path, sizeof path, "%s/traces/%u.evt", directory, i);
        if (stat(path, &about) == 0) bytes += (double)about.st_size;
    }
    return bytes;
}

int main(int argc, char **argv)
{
    struct trace *trace, *back;
    struct err err = {0};
    char anchor[4096];
    if (argc != 3) return 2;
    double begin = cpu_s();
    enum status status = spool_read(argv[1], &trace, &err);
    double unpacked = cpu_s();
    if (status == STATUS_OK) status = otf2_write(trace, argv[2], &err);
    double packed = cpu_s();
    if (status == STATUS_OK) status = otf2_read(argv[2], &back, &err);
    double read = cpu_s();
    if (status != STATUS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    snprintf(anchor, sizeof anchor, "%s/traces.otf2", argv[2]);
    uint64_t events = events_of(anchor);
    double many = (double)events;
    printf("%.2f M events: pack %.2f M/s (reading the spool %.3f s, writing %.3f s), goal 3; read %.2f M/s, goal 8; "
           "%.1f bytes per event, goal 25\n",
           many * 1e-6, many * 1e-6 / (packed - begin), unpacked - begin, packed - unpacked,
           many * 1e-6 / (read - packed), event_bytes(argv[2], trace->rank_count) / many);
    trace_free(trace);
    trace_free(back);
    return 0;
}
