/* A scene is what one row of a comparison replays: a platform under some semantics, and a trace, maybe rewritten. */
#ifndef PREDICTORS_SCENES_H
#define PREDICTORS_SCENES_H

#include "predictors/comparison.h"

enum { SCENE_NAME_BYTES = 256, SCENE_SPECS_MAX = 16 };

/* "a+post-early+merge-puts:64K": text holds its parts, each ended by a NUL. */
struct scene {
    char name[SCENE_NAME_BYTES], text[SCENE_NAME_BYTES];
    const char *specs[SCENE_SPECS_MAX];
    size_t spec_count;
    struct platform *platform;
    struct rewrite rewrite;
    struct err refused; /* the rewrites change nothing: the row fails */
};

/* Opens the platform of a row: with these semantics and what the specs need of it. The caller owns *platform. */
typedef enum status scene_platform(const void *context, const char *semantics, const char *const *specs,
                                   size_t spec_count, const struct trace *trace, struct platform **platform,
                                   struct err *err);

/* What all rows share; borrowed. */
struct scene_options {
    scene_platform *open;
    const void *context;
    const char *const *rewrites; /* come before a row's own */
    size_t rewrite_count;
    bool keep_going;
};

/* name is shorter than SCENE_NAME_BYTES. Returns false if it has more rewrites than a scene can have. A scene must not
 * be copied. */
bool scene_name(struct scene *scene, const char *name);

/* Opens the platform with the options' values, and rewrites the trace; scene->refused says why it cannot be rewritten.
 */
enum status scene_open(const struct scene_options *options, const struct trace *trace, struct scene *scene,
                       struct err *err);
void scene_close(struct scene *scene);

/* For comparison_run; borrows the scene. */
struct comparison_row scene_row(const struct scene_options *options, const struct scene *scene);

#endif
