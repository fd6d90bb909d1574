/* The file is not parsed: only comments are skipped, and the attribute radical of clusters and cabinets is read, a list
 * of numbers and ranges such as 0-9,12. */
#include "simulate/engine/simgrid/host_count.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/files/input_file.h"
#include "common/xml_attribute.h"

/* The attribute's value, NULL: the tag has none. */
static const char *radical_of(const char *tag)
{
    static const char name[] = "radical";
    for (const char *at = tag; (at = strstr(at, name)); at++) {
        const char *value = xml_attribute_value(at + strlen(name));
        if (value && at > tag && isspace((unsigned char)at[-1])) return value;
    }
    return NULL;
}

/* Reads one number or range and returns how many numbers it has. SimGrid takes numbers of int; larger ones are cut to
 * UINT32_MAX. */
static uint64_t range_size(const char **text)
{
    char *end;
    uint64_t first = strtoull(*text, &end, 10), last = first;
    if (*end == '-') last = strtoull(end + 1, &end, 10);
    *text = end;
    if (last > UINT32_MAX) last = UINT32_MAX;
    return last < first ? 0 : last - first + 1;
}

static uint64_t radical_size(const char *radical)
{
    uint64_t count = 0;
    while (isdigit((unsigned char)*radical)) {
        count += range_size(&radical);
        radical += strspn(radical, XML_BLANKS);
        if (*radical == ',') radical++;
        radical += strspn(radical, XML_BLANKS);
    }
    return count;
}

enum status host_count_check(const char *file, struct err *err)
{
    struct input_file in;
    uint64_t count = 0;
    bool comment = false;
    TRY(input_file_open(file, &in, err));
    for (char *tag; (tag = input_file_until(&in, '>')) != NULL;) {
        const char *open = tag + strspn(tag, XML_BLANKS), *radical;
        comment = comment || strncmp(open, "<!--", 4) == 0;
        if (!comment && (radical = radical_of(tag))) count += radical_size(radical);
        if (in.length >= 3 && strcmp(tag + in.length - 3, "-->") == 0) comment = false;
    }
    TRY(input_file_close(&in, STATUS_OK, err));
    if (count <= HOSTS_OF_CLUSTERS) return STATUS_OK;
    return err_set(err, STATUS_DATA, file, NULL, "its clusters have %" PRIu64 " hosts, expected at most %d", count,
                   HOSTS_OF_CLUSTERS);
}
