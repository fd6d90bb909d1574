/* The transforms themselves, for predictors/transforms/transform.c. */
#ifndef PREDICTORS_TRANSFORMS_ROWS_H
#define PREDICTORS_TRANSFORMS_ROWS_H

#include "predictors/transforms/transform.h"

extern const struct transform transform_post_early, transform_complete_early, transform_wait_late; /* _move.c */
extern const struct transform transform_fence_pscw, transform_fence_notify;                        /* _fence.c */
extern const struct transform transform_lock_all;                                                  /* _lock.c */
extern const struct transform transform_put_rput;                                                  /* _rput.c */
extern const struct transform transform_merge_puts;                                                /* _puts.c */
extern const struct transform transform_scale;                                                     /* _scale.c */

#endif
