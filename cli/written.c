#include "cli/written.h"

#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/output_set.h"
#include "common/json/json_write.h"

/* nftw hands no context on. */
static uint64_t found_bytes;

static int add_bytes(const char *path, const struct stat *found, int kind, struct FTW *place)
{
    (void)path;
    (void)place;
    if (kind == FTW_F) found_bytes += (uint64_t)found->st_size;
    return kind == FTW_NS || kind == FTW_DNR;
}

void written_count(struct written *written, const char *key, uint64_t count)
{
    if (written->file) json_add_number(written->json, key, (double)count);
}

void written_begin(struct written *written, const char *file, const char *command, const char *output)
{
    enum { OPEN_MAX = 16 };
    *written = (struct written){.file = NULL};
    if (!file) return;
    cJSON *json = cJSON_CreateObject();
    *written = (struct written){file, output, json, 0};
    json_add_text(json, "schema", "rmacast.written/1");
    json_add_text(json, "command", command);
    json_add_text(json, "output", output);
    found_bytes = 0;
    if (cli_is_output(output)) return;
    if (!output_set_bytes(output, &found_bytes, &written->cause) && nftw(output, add_bytes, OPEN_MAX, FTW_PHYS) != 0)
        written->cause = errno;
    written_count(written, "bytes", found_bytes);
}

enum status written_end(struct written *written, struct err *err)
{
    if (!written->file) return STATUS_OK;
    enum status status = written->cause == 0 ? cli_write_json(written->json, written->file, err)
                                             : err_set(err, STATUS_SYSTEM, written->output, NULL, "cannot be looked at: %s",
                                                       strerror(written->cause));
    cJSON_Delete(written->json);
    return status;
}
