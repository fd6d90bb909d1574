/* include/rmacast/platform.h: the handle is a struct platform. */
#include "common/public.h"
#include "platforms/platform.h"
#include "platforms/platform_file.h"
#include <rmacast/platform.h>

PUBLIC enum rmacast_status rmacast_platform_open(const char *file, const char *const *settings, size_t count,
                                                 struct rmacast_platform **platform, struct rmacast_error *error)
{
    struct err err = {.text = ""};
    struct platform *opened;
    char path[PLATFORM_PATH_BYTES];
    enum status status = platform_file_find(file, path, &err);
    if (status == STATUS_OK) status = platform_open(path, settings, count, &opened, &err);
    if (status == STATUS_OK) *platform = (struct rmacast_platform *)opened;
    return public_status(status, &err, error);
}

PUBLIC void rmacast_platform_free(struct rmacast_platform *platform)
{
    platform_free((struct platform *)platform);
}

PUBLIC const char *rmacast_platform_name(const struct rmacast_platform *platform)
{
    return ((const struct platform *)platform)->name;
}

PUBLIC int32_t rmacast_platform_node_count(const struct rmacast_platform *platform)
{
    return ((const struct platform *)platform)->node_count;
}

PUBLIC enum rmacast_status rmacast_platform_check_ranks(const struct rmacast_platform *platform, uint32_t rank_count,
                                                        struct rmacast_error *error)
{
    struct err err = {.text = ""};
    return public_status(platform_check_ranks((const struct platform *)platform, rank_count, &err), &err, error);
}
