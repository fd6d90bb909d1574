#include "predictors/servers.h"

#include <stdio.h>

static bool is_left_with_hardware(const struct rma_protocol *protocol, enum service service)
{
    return protocol->serves_replaced[service] && protocol_serves(protocol, service, 0) == PROGRESS_HARDWARE;
}

enum status servers_note(const struct platform *platform, struct result *result, struct err *err)
{
    static const struct {
        enum service service;
        const char *messages;
    } rows[] = {{SERVICE_PUT, "puts"}, {SERVICE_RELEASE, "releases of locks"}, {SERVICE_ACKNOWLEDGEMENT, "acknowledgements"}};
    enum { ROWS = sizeof rows / sizeof *rows };
    char text[64] = "";
    int left = 0, said = 0, length = 0;
    if (platform->progress == PROGRESS_HARDWARE) return STATUS_OK;
    for (int i = 0; i < ROWS; i++) left += is_left_with_hardware(&platform->protocol, rows[i].service);
    for (int i = 0; i < ROWS; i++) {
        if (!is_left_with_hardware(&platform->protocol, rows[i].service)) continue;
        const char *join = said == 0 ? "" : said + 1 < left ? ", " : " and ";
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%s", join, rows[i].messages);
        said++;
    }
    if (left == 0) return STATUS_OK;
    return result_add_note(result, err,
                           "mpi.rma.progress is %s in place of mpi.rma.protocol.serves: the hardware still serves %s",
                           platform->progress == PROGRESS_CALL ? "call" : "thread", text);
}
