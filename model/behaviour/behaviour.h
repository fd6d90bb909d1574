/* How the recorded library behaved (docs/patterns.md, "Behaviour"): for each operation and size class, how many calls
 * waited for a post, of those that can show it. A call can show it if it was entered before the post. It did not wait
 * if it returned before the post; if the post is inside the call, the call is taken to have waited. */
#ifndef MODEL_BEHAVIOUR_BEHAVIOUR_H
#define MODEL_BEHAVIOUR_BEHAVIOUR_H

#include "model/match/relations.h"
#include "model/result/result.h"

enum { BEHAVIOUR_SIZES = 65 }; /* transfer_size_class() */

enum behaviour_operation {
#define BEHAVIOUR(ID, CALL) BEHAVIOUR_##ID,
#include "model/behaviour/behaviour.def"
#undef BEHAVIOUR
    BEHAVIOUR_OPERATIONS
};

/* The content of an epoch: the operations on the targets of its complete. */
enum behaviour_content { CONTENT_NOTHING, CONTENT_PUT, CONTENT_GET, CONTENT_COUNT };

struct behaviour_count {
    uint64_t calls; /* calls of epochs in which every target posted */
    uint64_t of, waited; /* of: calls entered before the target's post (start, complete: the latest post); waited: of
                            these, with the post inside the call */
    uint64_t group_of, group_waited; /* for operations: the same for the latest post of the whole group */
    uint64_t group_only;             /* the target had posted before the call, another one posted inside it */
    uint64_t group_not;              /* returned before the post of another target */
    int64_t least_bytes, most_bytes;
};

/* All-zero is empty. */
struct behaviour {
    struct behaviour_count start, complete, content[CONTENT_COUNT], lock;
    struct behaviour_count operations[BEHAVIOUR_OPERATIONS][BEHAVIOUR_SIZES];
};

/* Adds a whole trace, or the calls of a slice that are final in this round. */
enum status behaviour_add(struct behaviour *behaviour, const struct relations *relations, struct err *err);
enum status behaviour_report(const struct behaviour *behaviour, struct result *result, struct err *err);

#endif
