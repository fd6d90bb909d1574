/* Reads single tags of a SimGrid platform file, which SimGrid itself reads whole. */
#ifndef PLATFORMS_SIMGRID_XML_H
#define PLATFORMS_SIMGRID_XML_H

#include <stdbool.h>
#include <stddef.h>

#include "common/json.h"
#include "platforms/platform.h"

/* The file's text without comments. The caller frees *text. */
enum status simgrid_xml_read(const char *file, char **text, struct err *err);

struct simgrid_tag {
    char name[32];
    const char *attributes, *end; /* behind the name; the tag's '>' */
};

/* The next tag that opens an element, from *at on, which moves behind it. False: there is none. */
bool simgrid_xml_next(const char **at, struct simgrid_tag *tag);
/* False: the tag has no such attribute, or one that is too long. */
bool simgrid_xml_attribute(const struct simgrid_tag *tag, const char *name, char *value, size_t room);

/* Gives each node the speed of its host, relative to that of the host of network.topology.speed_host or of node 0, and its cores
 * unless the file's nodes say them. Where the hosts are fewer than the nodes nothing changes: the engine says so. */
enum status simgrid_hosts_apply(const struct json_node *topology, struct platform *platform, struct err *err);

#endif
