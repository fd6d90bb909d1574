/* The keys of a platform file whose value is one of several names, as its reader has them, so that whoever tries values tries
 * every key. Numbers are not among them. */
#ifndef PLATFORMS_CHOICES_H
#define PLATFORMS_CHOICES_H

#include "common/status.h"

/* key: "mpi.rma.lock"; names: its values, NULL-terminated, in "mpi" the default first but for "...serves.*"; "false" and "true"
 * for a key that is true or false. */
typedef enum status platform_choice_visitor(void *context, const char *key, const char *const *names, struct err *err);

/* Visits all of them but those of the mapping, and of single windows. It ends with the first status that is not STATUS_OK. */
enum status platform_choices_visit(platform_choice_visitor *visit, void *context, struct err *err);

#endif
