/* Results as CSV tables with a header line; text with commas or quotes is quoted as in RFC 4180. */
#ifndef MODEL_RESULT_RESULT_CSV_H
#define MODEL_RESULT_RESULT_CSV_H

#include <stdio.h>

#include "model/result/result.h"
#include "model/transfers/transfer_log.h"

/* A line for each function and place; transfer_s and unexplained_s are empty where no replay explains the calls,
 * without_core_s where core waits were not recorded. */
void csv_write_calls(const struct result *result, FILE *out);
/* pattern,rank,severity_s: every pattern on every rank. */
void csv_write_patterns(const struct result *result, FILE *out);
/* pattern,callpath,file,line,severity_s,count,rank,thread,node, and the advice in figures as struct result_moves has them:
 * other_earlier_s,own_later_s,distance_s,advised_s, each empty where the advice does not say it. */
void csv_write_places(const struct result *result, FILE *out);
/* The columns up to node, with a line for every rank that has time at a place. Only with --per-rank. */
void csv_write_place_ranks(const struct result *result, FILE *out);
/* property,parent,inclusive_s,exclusive_s */
void csv_write_properties(const struct result *result, FILE *out);
/* A line for each slice of time, with the time of every pattern. Only with --over-time. */
void csv_write_over_time(const struct result *result, FILE *out);
/* A line for each pair, window, call path and size class of transfers. Columns that do not belong to the group are
 * empty. */
void csv_write_transfer_groups(const struct result *result, FILE *out);
/* origin,target,count,bytes: of transfers of all kinds. Pairs without transfers are left out. */
void csv_write_matrix(const struct result *result, FILE *out);
/* origin,target,window,kind,bytes,start_s,lower_end_s,upper_end_s,true_end_s: times since the trace's first event. A
 * value that is not known is empty. Removes the transfers from log. */
enum status csv_write_transfers(struct transfer_log *log, int64_t begin_ps, FILE *out, struct err *err);

#endif
