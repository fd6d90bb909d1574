/* include/rmacast/platform.h: the handle is a struct platform. */
#include "common/public.h"
#include "platforms/platform.h"
#include "platforms/platform_file.h"
#include <rmacast/platform.h>

/* A number of settings that no caller has. */
enum { SETTINGS_MAX = 65536 };

static enum status open_platform(const char *file, const char *const *settings, size_t count, struct platform **platform,
                                 struct err *err)
{
    char path[PLATFORM_PATH_BYTES];
    for (size_t i = 0; i < count; i++) {
        const struct public_argument arguments[] = {{.name = "a setting", PUBLIC_TEXT, settings[i]}, {0}};
        TRY(public_check(arguments, err));
    }
    TRY(platform_file_find(file, path, err));
    return platform_open(path, settings, count, platform, err);
}

PUBLIC enum rmacast_status rmacast_platform_open(const char *file, const char *const *settings, size_t count,
                                                 struct rmacast_platform **platform, struct rmacast_error *error)
{
    struct err err = {.text = ""};
    struct platform *opened;
    const struct public_argument arguments[] = {
        {.name = "file", PUBLIC_TEXT, file},
        {.name = "platform", PUBLIC_POINTER, platform},
        {.name = "count", PUBLIC_NUMBER, .number = (double)count, .high = settings ? SETTINGS_MAX : 0},
        {0}};
    enum status status = public_check(arguments, &err);
    if (status == STATUS_OK) status = open_platform(file, settings, count, &opened, &err);
    if (status == STATUS_OK && (status = public_open(PUBLIC_PLATFORM, opened, &err)) != STATUS_OK) platform_free(opened);
    if (status == STATUS_OK) *platform = (struct rmacast_platform *)opened;
    return public_status(status, &err, error);
}

PUBLIC void rmacast_platform_free(struct rmacast_platform *platform)
{
    if (public_close(PUBLIC_PLATFORM, platform)) platform_free((struct platform *)platform);
}

PUBLIC const char *rmacast_platform_name(const struct rmacast_platform *platform)
{
    return public_is(PUBLIC_PLATFORM, platform) ? ((const struct platform *)platform)->name : NULL;
}

PUBLIC int32_t rmacast_platform_node_count(const struct rmacast_platform *platform)
{
    return public_is(PUBLIC_PLATFORM, platform) ? ((const struct platform *)platform)->node_count : 0;
}

PUBLIC enum rmacast_status rmacast_platform_check_ranks(const struct rmacast_platform *platform, uint32_t rank_count,
                                                        struct rmacast_error *error)
{
    struct err err = {.text = ""};
    const struct public_argument arguments[] = {
        {.name = "platform", PUBLIC_PLATFORM, platform},
        {.name = "rank_count", PUBLIC_NUMBER, .number = rank_count, .low = 1, .high = UINT32_MAX},
        {0}};
    enum status status = public_check(arguments, &err);
    if (status == STATUS_OK) status = platform_check_ranks((const struct platform *)platform, rank_count, &err);
    return public_status(status, &err, error);
}
