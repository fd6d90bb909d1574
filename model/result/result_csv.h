/* Results as CSV tables with a header line; text with commas or quotes is quoted as in RFC 4180. */
#ifndef MODEL_RESULT_RESULT_CSV_H
#define MODEL_RESULT_RESULT_CSV_H

#include <stdio.h>

#include "model/result/result.h"
#include "model/transfers/transfer_log.h"

/* pattern,rank,severity_s: every pattern on every rank. */
void csv_write_patterns(const struct result *result, FILE *out);
/* pattern,callpath,file,line,severity_s,count,rank,thread,node, and the advice in figures as struct result_moves has them:
 * other_earlier_s,own_later_s,distance_s,advised_s, each empty where the advice does not say it. */
void csv_write_places(const struct result *result, FILE *out);
/* The same up to node, for every rank that has some of a place, where they were asked for. */
void csv_write_place_ranks(const struct result *result, FILE *out);
/* property,parent,inclusive_s,exclusive_s */
void csv_write_properties(const struct result *result, FILE *out);
/* A line for each pair, window, call path and class of sizes of transfers; what is not of the group is empty. */
void csv_write_transfer_groups(const struct result *result, FILE *out);
/* origin,target,count,bytes: of all transfers, whatever they do; pairs without any are left out. */
void csv_write_matrix(const struct result *result, FILE *out);
/* origin,target,window,kind,bytes,start_s,lower_end_s,upper_end_s,true_end_s: since the trace's first event; what is
 * not known is empty. Takes the transfers out of log. */
enum status csv_write_transfers(struct transfer_log *log, int64_t begin_ps, FILE *out, struct err *err);

#endif
