#include "common/xml_attribute.h"

#include <string.h>

const char *xml_attribute_value(const char *name_end)
{
    const char *at = name_end + strspn(name_end, XML_BLANKS);
    if (*at++ != '=') return NULL;
    at += strspn(at, XML_BLANKS);
    return *at == '"' || *at == '\'' ? at + 1 : NULL;
}
