/* Limits of a platform file's values that those who write such files keep, too. */
#ifndef PLATFORMS_LIMITS_H
#define PLATFORMS_LIMITS_H

/* Rows of reverse_share by size. */
enum { REVERSE_RULES_MAX = 16 };
/* However negative the shares within a node are, a reception takes this part of its time at least. */
#define REVERSE_LEAST 0.5
/* The least share within a node. */
#define REVERSE_WITHIN_LEAST (REVERSE_LEAST - 1)

#endif
