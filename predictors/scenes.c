#include "predictors/scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool scene_name(struct scene *scene, const char *name)
{
    *scene = (struct scene){.spec_count = 0};
    snprintf(scene->name, SCENE_NAME_BYTES, "%s", name);
    snprintf(scene->text, SCENE_NAME_BYTES, "%s", name);
    char *rest = scene->text, *part = strsep(&rest, "+");
    while ((part = strsep(&rest, "+"))) {
        if (scene->spec_count == SCENE_SPECS_MAX) return false;
        scene->specs[scene->spec_count++] = part;
    }
    return true;
}

enum status scene_open(const struct scene_options *options, const struct trace *trace, struct scene *scene,
                       struct err *err)
{
    TRY(options->open(options->context, scene->text, scene->specs, scene->spec_count, trace, &scene->platform, err));
    size_t count = options->rewrite_count + scene->spec_count;
    const char **specs = calloc(count + 1, sizeof *specs);
    if (!specs) return err_memory(err);
    for (size_t i = 0; i < count; i++)
        specs[i] = i < options->rewrite_count ? options->rewrites[i] : scene->specs[i - options->rewrite_count];
    enum status status = rewrite_run(trace, specs, count, &scene->rewrite, &scene->refused);
    free(specs);
    if (status == STATUS_OK || status == STATUS_DATA) return STATUS_OK;
    if (err) *err = scene->refused;
    return status;
}

void scene_close(struct scene *scene)
{
    platform_free(scene->platform);
    rewrite_clear(&scene->rewrite);
    scene->platform = NULL;
}

struct comparison_row scene_row(const struct scene_options *options, const struct scene *scene)
{
    return (struct comparison_row){.name = scene->name,
                                   .platform = scene->platform,
                                   .rewrite = &scene->rewrite,
                                   .refused = &scene->refused,
                                   .keep_going = options->keep_going};
}
