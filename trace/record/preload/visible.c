#include "trace/record/preload/visible.h"

#include <dlfcn.h>
#include <string.h>

static bool begins_with(const char *path, const char *name)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return path && strncmp(slash ? slash + 1 : path, name, strlen(name)) == 0;
}

bool rec_is_mpi(const char *path)
{
    return begins_with(path, "libmpi");
}

bool rec_is_shmem(const char *path)
{
    return begins_with(path, "liboshmem");
}

static int make_visible(struct dl_phdr_info *info, size_t bytes, void *nothing)
{
    (void)bytes, (void)nothing;
    if (rec_is_mpi(info->dlpi_name)) dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    return 0;
}

void rec_make_visible(void)
{
    dl_iterate_phdr(make_visible, NULL);
}
