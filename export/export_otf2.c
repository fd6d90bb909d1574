/* export_otf2() of export/export.h: the archive as packed, or with the transfers of an event model. */
#include "export/export.h"
#include "trace/otf2/otf2.h"

enum status export_otf2(const struct trace *trace, const struct export_options *options, const char *path,
                        struct export_report *report, struct err *err)
{
    struct merge merge;
    if (!options->model) return otf2_write(trace, path, err);
    TRY(merge_build(trace, options->model, options->data_arrows, &merge, err));
    enum status status = otf2_write_view(trace, &merge.view, path, err);
    *report = (struct export_report){.transfers = merge.transfers, .endless = merge.endless, .backward = merge.backward};
    merge_clear(&merge);
    return status;
}
