/* Results as CSV tables with a header line; text with commas or quotes is quoted as in RFC 4180. */
#ifndef MODEL_RESULT_CSV_H
#define MODEL_RESULT_CSV_H

#include <stdio.h>

#include "model/bounds.h"
#include "model/result.h"

/* pattern,rank,severity_s: every pattern on every rank. */
void csv_write_patterns(const struct result *result, FILE *out);
/* pattern,callpath,file,line,severity_s,count */
void csv_write_places(const struct result *result, FILE *out);
/* property,parent,inclusive_s,exclusive_s */
void csv_write_properties(const struct result *result, FILE *out);
/* origin,target,window,kind,bytes,start_s,lower_end_s,upper_end_s,true_end_s: since the trace's first event; what is
 * not known is empty. */
void csv_write_transfers(const struct trace *trace, const struct transfers *transfers, FILE *out);

#endif
