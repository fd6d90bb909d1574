#include "cli/difference/difference_output.h"

#include "cli/cli.h"
#include "common/text/text.h"

enum status difference_output(const struct difference *difference, const char *json, const char *csv, size_t top, bool slower,
                              struct err *err)
{
    const struct csv_rows rows = {csv, "rows", "callpath,call,file,line,before_count,after_count,before_s,after_s,change_s,"
                                               "waits.before_s,waits.after_s,change_waits_s"};
    if (json) TRY(cli_write_fields(difference_fields, difference, 0, json, err));
    TRY(csv_rows_write_fields(&rows, difference_fields, difference, err));
    if (!cli_is_output(json) && !cli_is_output(csv)) {
        FILE *out = cli_table();
        difference_print(difference, top, slower, out);
        if (difference->limit >= 0 && !difference->results[0]->section.known)
            fputs("The start of the processes counts, which differs from run to run: --without-init leaves it out\n", out);
        if (difference->limit >= 0)
            text_print(out, "Gate: %s: %+.2f %%, at most %g %% slower is allowed\n", difference->holds ? "passed" : "failed",
                       difference->slower * 100, difference->limit * 100);
    }
    if (difference->limit >= 0 && !difference->holds) cli_exit_with(1);
    return cli_flush(err);
}
