#include "trace/otf2_stage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/remove_tree.h"

static enum status system_error(struct err *err, const char *path, const char *what)
{
    return err_set(err, STATUS_SYSTEM, path, NULL, "cannot %s: %s", what, strerror(errno));
}

static enum status make_paths(struct archive_stage *stage, struct err *err)
{
    if (asprintf(&stage->path, "%s/.rmacast-XXXXXX", stage->directory) < 0) {
        stage->path = NULL;
        return err_memory(err);
    }
    if (!mkdtemp(stage->path)) {
        enum status status = system_error(err, stage->directory, "write there");
        free(stage->path);
        stage->path = NULL;
        return status;
    }
    if (asprintf(&stage->old, "%s/old", stage->path) < 0) {
        stage->old = NULL;
        return err_memory(err);
    }
    return mkdir(stage->old, 0777) == 0 ? STATUS_OK : system_error(err, stage->old, "make this directory");
}

enum status archive_stage_open(const char *directory, struct archive_stage *stage, struct err *err)
{
    *stage = (struct archive_stage){.directory = directory};
    stage->made = mkdir(directory, 0777) == 0;
    if (!stage->made && errno != EEXIST) return system_error(err, directory, "make this directory");
    enum status status = make_paths(stage, err);
    if (status != STATUS_OK) archive_stage_close(stage);
    return status;
}

static enum status move(const char *from, const char *to, const char *name, struct err *err)
{
    char *source = NULL, *target = NULL;
    enum status status = STATUS_OK;
    if (asprintf(&source, "%s/%s", from, name) < 0) source = NULL;
    if (asprintf(&target, "%s/%s", to, name) < 0) target = NULL;
    if (!source || !target)
        status = err_memory(err);
    else if (rename(source, target) != 0 && errno != ENOENT)
        status = system_error(err, target, "move the archive there");
    free(source);
    free(target);
    return status;
}

enum status archive_stage_commit(struct archive_stage *stage, const char *const *entries, struct err *err)
{
    int count = 0;
    for (; entries[count]; count++) TRY(move(stage->directory, stage->old, entries[count], err));
    while (count-- > 0) TRY(move(stage->path, stage->directory, entries[count], err));
    stage->done = true;
    return STATUS_OK;
}

void archive_stage_close(struct archive_stage *stage)
{
    if (stage->path) remove_tree(stage->path);
    if (stage->made && !stage->done) rmdir(stage->directory);
    free(stage->path);
    free(stage->old);
    stage->path = stage->old = NULL;
}
