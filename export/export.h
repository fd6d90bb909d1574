/* Traces in other tools' formats. A format is a descriptor; adding one adds a file and a row in export/formats.c. */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include <stdio.h>

#include "export/merge.h"
#include "model/transfers/bounds.h"
#include "trace/trace.h"

struct export_options {
    const struct merge_model *model; /* formats with .models; NULL: the trace as it is */
    bool data_arrows;                /* as of merge_build() */
};

/* Facts about the result that the caller prints for the user. */
struct export_report {
    uint64_t transfers, endless, backward; /* as of struct merge */
    uint64_t unmatched;                    /* sends and receives that are left out because their other end is missing */
};

struct export_format {
    const char *name, *summary;
    bool models;    /* knows event models */
    bool directory; /* makes a directory, else one file */
    /* Traces have passed trace_check(). One of the three. Of a directory: its path; else out is open. */
    enum status (*write_directory)(const struct trace *trace, const struct export_options *options, const char *path,
                                   struct export_report *report, struct err *err);
    enum status (*write_file)(const struct trace *trace, const struct export_options *options, FILE *out,
                              struct export_report *report, struct err *err);
    enum status (*write_several)(const struct trace *const *traces, size_t count, FILE *out, struct err *err); /* one at least */
};

/* The rows in the order of help, ended by a NULL name. */
extern const struct export_format export_formats[];

/* The end of a transfer: the true end if the trace has it, else that of the extended model; TRACE_UNKNOWN_PS if its
 * epoch does not end. For formats that draw a transfer as one arrow. */
int64_t export_transfer_end_ps(const struct trace *trace, const struct transfer *transfer);
/* Fills the report's figures about transfers. */
void export_report_transfers(const struct transfers *transfers, struct export_report *report);

enum status export_otf2(const struct trace *trace, const struct export_options *options, const char *path,
                        struct export_report *report, struct err *err);

enum status export_chrome(const struct trace *trace, const struct export_options *options, FILE *out,
                          struct export_report *report, struct err *err);
enum status export_paje(const struct trace *trace, const struct export_options *options, FILE *out,
                        struct export_report *report, struct err *err);
enum status export_cube(const struct trace *trace, const struct export_options *options, FILE *out,
                        struct export_report *report, struct err *err);
enum status export_extrap(const struct trace *const *traces, size_t count, FILE *out, struct err *err);
enum status export_goal(const struct trace *trace, const struct export_options *options, FILE *out,
                        struct export_report *report, struct err *err);
enum status export_csv(const struct trace *trace, const struct export_options *options, FILE *out,
                       struct export_report *report, struct err *err);

#endif
