/* The transforms themselves, for predictors/transforms/transform.c. */
#ifndef PREDICTORS_TRANSFORMS_ROWS_H
#define PREDICTORS_TRANSFORMS_ROWS_H

#include "predictors/transforms/transform.h"

extern const struct transform transform_post_early, transform_complete_early, transform_wait_late; /* move.c */
extern const struct transform transform_fence_pscw, transform_fence_notify;                        /* fence.c */
extern const struct transform transform_pscw_notify;                                               /* notify.c */
extern const struct transform transform_flag_notify;                                               /* flag.c */
extern const struct transform transform_rma_p2p;                                                   /* two_sided.c */
extern const struct transform transform_lock_all;                                                  /* lock.c */
extern const struct transform transform_put_rput;                                                  /* rput.c */
extern const struct transform transform_merge_puts, transform_merge_gets;                          /* puts.c */
extern const struct transform transform_polls;                                                     /* polls.c */
extern const struct transform transform_balance, transform_scale;                                  /* scale.c */
extern const struct transform transform_p2p_pscw, transform_p2p_fence, transform_p2p_flush,
    transform_p2p_notify, transform_p2p_get_pscw, transform_p2p_get_fence, transform_p2p_get_flush,
    transform_p2p_get_notify; /* one_sided.c */
extern const struct transform transform_threads;                                                   /* threads.c */

#endif
