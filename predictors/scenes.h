/* A scene is the input of one row of a comparison: a platform under some semantics, and a trace, possibly rewritten. */
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
    struct err refused; /* set if the rewrites change nothing: the row fails */
};

/* Opens the platform of a row with these semantics and the settings that the specs need. The caller owns *platform. */
typedef enum status scene_platform(const void *context, const char *semantics, const char *const *specs,
                                   size_t spec_count, const struct trace *trace, struct platform **platform,
                                   struct err *err);

/* Options of all rows; borrowed. */
struct scene_options {
    scene_platform *open;
    const void *context;
    const char *const *rewrites; /* applied before a row's own rewrites */
    size_t rewrite_count;
    bool keep_going;
};

/* Splits a name, which is shorter than SCENE_NAME_BYTES. Returns false if it has more rewrites than a scene can have. A
 * scene must not be copied afterwards. */
bool scene_name(struct scene *scene, const char *name);

/* Opens the platform with the options' values, and rewrites the trace; scene->refused says why it cannot be rewritten.
 */
enum status scene_open(const struct scene_options *options, const struct trace *trace, struct scene *scene,
                       struct err *err);
void scene_close(struct scene *scene);

/* The scene as a row for comparison_run(); borrows the scene. */
struct comparison_row scene_row(const struct scene_options *options, const struct scene *scene);

#endif
