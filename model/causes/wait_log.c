#include "model/causes/wait_log.h"

#include "common/search.h"

ORDER(compare_rows, struct wait_log_row, DOWN(until_ps) UP(location) DOWN(from_ps) DOWN(pattern))

enum status wait_log_new(struct temp_file *temp, struct external_sort **wait_log, struct err *err)
{
    return external_sort_new(temp, sizeof(struct wait_log_row), compare_rows, wait_log, err);
}
