/* Reads single tags of a SimGrid platform file, which SimGrid itself reads whole. */
#ifndef PLATFORMS_SIMGRID_XML_H
#define PLATFORMS_SIMGRID_XML_H

#include <stdbool.h>
#include <stddef.h>

#include "common/json.h"
#include "platforms/platform.h"

/* The file's text, its comments blank. The caller frees *text. */
enum status simgrid_xml_read(const char *file, char **text, struct err *err);

struct simgrid_tag {
    char name[32];
    const char *attributes, *end; /* behind the name; the tag's '>' */
};

/* The next tag that opens an element, from *at on, which moves behind it. False: there is none. */
bool simgrid_xml_next(const char **at, struct simgrid_tag *tag);
/* Puts blanks in the place of all but newlines, so that lines keep their numbers. */
void simgrid_xml_blank(char *from, const char *to);
/* Where the attribute's value begins, and its length. NULL: the tag has no such attribute. */
const char *simgrid_xml_value(const struct simgrid_tag *tag, const char *name, size_t *bytes);
/* False: the tag has no such attribute, or one that is too long. */
bool simgrid_xml_attribute(const struct simgrid_tag *tag, const char *name, char *value, size_t room);

/* Gives each node the speed of its host, relative to that of the host of network.topology.speed_host or of node 0, and its cores
 * unless the file's nodes say them. STATUS_DATA: the hosts are fewer than the nodes, or too many for SimGrid. */
enum status simgrid_hosts_apply(const struct json_node *topology, struct platform *platform, struct err *err);

#endif
