/* Finds the value of an attribute in an XML file without a parser. */
#ifndef COMMON_XML_ATTRIBUTE_H
#define COMMON_XML_ATTRIBUTE_H

#define XML_BLANKS " \t\r\n"

/* The begin of the attribute's value, after its quote; the quote is value[-1]. name_end is the end of the attribute's
 * name. NULL: no `=` and quote follow. */
const char *xml_attribute_value(const char *name_end);

#endif
