/* Which node holds a predicted run back: the nodes that have ranks, with their computing, their part of the critical path, and
 * how much shorter the run would be if a slow one were as fast as the others. Not for nodes whose network differs. */
#ifndef PREDICTORS_NODE_TABLE_H
#define PREDICTORS_NODE_TABLE_H

#include "predictors/prediction.h"

struct node_table {
    struct result_node *nodes; /* owned until node_table_report() */
    size_t count;
};

/* Replays the run with each of the slowest nodes at the others' speed. Comes before the replay of the prediction, as SimGrid
 * runs once in a process. The caller clears the table in any case. */
enum status node_table_replay(const struct prediction *prediction, struct node_table *table, struct err *err);
/* Gives the nodes to the prediction's result: the most gain first, then the longest part of the critical path. */
void node_table_report(struct node_table *table, struct prediction *prediction);

#endif
