/* A SimGrid platform file of the user's: its text as SimGrid gets it, and when what it names is off. A run that uses a host or
 * link at such a time is none, as the engine finds at its end; SimGrid would see it only where something flows
 * (docs/platforms.md, SimGrid platforms). */
#ifndef SIMULATE_ENGINE_SIMGRID_USER_FILE_H
#define SIMULATE_ENGINE_SIMGRID_USER_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/status.h"

/* Without <config>, since the engine has its own and SimGrid would write files by some, and without what switches hosts and links
 * off. Lines keep their numbers. The caller frees *text. */
enum status user_file_text(const char *xml, char **text, struct err *err);

struct user_state { /* of a host or link that goes off */
    char *name;
    bool link;
    double off_s; /* when for the first time */
};

struct user_states {
    struct user_state *items;
    size_t count, capacity;
};

/* STATUS_DATA: a profile cannot be read. The caller clears *states, also after an error. */
enum status user_states_read(const char *xml, struct user_states *states, struct err *err);
void user_states_clear(struct user_states *states);

/* NULL: it is on all the time. A link that SimGrid has split into two directions, l_UP and l_DOWN, is l. */
const struct user_state *user_states_find(const struct user_states *states, bool link, const char *name);

#endif
