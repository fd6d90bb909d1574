/* Linked in front of MPICH 4.0.2 and UCX 1.13: see handed.h. UCX's headers are not needed: the prototypes are those of
 * ucp/api/ucp.h, the messages those of uct/tcp/tcp.h and ucp/core/ucp_types.h. */
#define _GNU_SOURCE
#include "tests/protocols/handed.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

bool handed_on;
struct handed_list handed_calls, handed_messages;
long handed_polls;
void *handed_last_endpoint, *handed_own_endpoint;

/* The handlers of MPICH's active messages: src/mpid/ch4/src/mpidig.h, in its order. */
static const char *const handlers[] = {
    "SEND",           "SEND_CTS",       "SEND_DATA",       "SSEND_ACK",
    "PART_SEND_INIT", "PART_CTS",       "PART_DATA",       "PUT_REQ",
    "PUT_ACK",        "PUT_DT_REQ",     "PUT_DAT_REQ",     "PUT_DT_ACK",
    "GET_REQ",        "GET_ACK",        "ACC_REQ",         "ACC_ACK",
    "ACC_DT_REQ",     "ACC_DAT_REQ",    "ACC_DT_ACK",      "GET_ACC_REQ",
    "GET_ACC_ACK",    "GET_ACC_DT_REQ", "GET_ACC_DAT_REQ", "GET_ACC_DT_ACK",
    "CSWAP_REQ",      "CSWAP_ACK",      "COMPLETE",        "POST",
    "LOCK",           "LOCK_ACK",       "UNLOCK",          "UNLOCK_ACK",
    "LOCKALL",        "LOCKALL_ACK",    "UNLOCKALL",       "UNLOCKALL_ACK",
};

static struct handed *note(struct handed_list *list, const char *name, size_t bytes)
{
    static struct handed ignored;
    if (!handed_on || list->count >= HANDED_MAX) return &ignored;
    struct handed *row = &list->rows[list->count++];
    *row = (struct handed){.name = name, .bytes = bytes, .count = 1};
    return row;
}

#define NEXT(NAME)                                                                                                     \
    static __typeof__(NAME) *next;                                                                                     \
    if (!next) next = (__typeof__(NAME) *)dlsym(RTLD_NEXT, #NAME)

/* A call that UCX makes of itself is none of MPICH's. */
static int inside;

void *ucp_am_send_nb(void *ep, uint16_t id, const void *payload, size_t count, uint64_t datatype, void *done,
                     unsigned flags)
{
    enum { CLASS_MASK = 7, CLASS_IOV = 2 };
    NEXT(ucp_am_send_nb);
    const uint8_t *header = payload;
    size_t bytes = count;
    if ((datatype & CLASS_MASK) == CLASS_IOV) {
        const struct iovec *parts = payload; /* ucp_dt_iov_t has the same members */
        header = parts[0].iov_base;
        bytes = 0;
        for (size_t i = 0; i < count; i++) bytes += parts[i].iov_len;
    }
    bool known = header[0] < sizeof handlers / sizeof *handlers;
    note(&handed_calls, known ? handlers[header[0]] : "?", bytes)->to_self = ep == handed_own_endpoint;
    return next(ep, id, payload, count, datatype, done, flags);
}

/* count: bytes; 1 of a derived type that is not contiguous. */
void *ucp_tag_send_nbx(void *ep, const void *buffer, size_t count, uint64_t tag, const void *parameters)
{
    NEXT(ucp_tag_send_nbx);
    note(&handed_calls, "tag", count);
    handed_last_endpoint = ep;
    return next(ep, buffer, count, tag, parameters);
}

void *ucp_tag_send_sync_nbx(void *ep, const void *buffer, size_t count, uint64_t tag, const void *parameters)
{
    NEXT(ucp_tag_send_sync_nbx);
    note(&handed_calls, "tag_sync", count);
    return next(ep, buffer, count, tag, parameters);
}

int ucp_put(void *ep, const void *buffer, size_t bytes, uint64_t address, void *key)
{
    NEXT(ucp_put);
    note(&handed_calls, "put_blocking", bytes);
    inside++;
    int status = next(ep, buffer, bytes, address, key);
    inside--;
    return status;
}

int ucp_put_nbi(void *ep, const void *buffer, size_t bytes, uint64_t address, void *key)
{
    NEXT(ucp_put_nbi);
    note(&handed_calls, "put", bytes);
    return next(ep, buffer, bytes, address, key);
}

int ucp_get_nbi(void *ep, void *buffer, size_t bytes, uint64_t address, void *key)
{
    NEXT(ucp_get_nbi);
    note(&handed_calls, "get", bytes);
    return next(ep, buffer, bytes, address, key);
}

void *ucp_put_nb(void *ep, const void *buffer, size_t bytes, uint64_t address, void *key, void *done)
{
    NEXT(ucp_put_nb);
    if (!inside) note(&handed_calls, "put_requested", bytes);
    return next(ep, buffer, bytes, address, key, done);
}

void *ucp_get_nb(void *ep, void *buffer, size_t bytes, uint64_t address, void *key, void *done)
{
    NEXT(ucp_get_nb);
    note(&handed_calls, "get_requested", bytes);
    return next(ep, buffer, bytes, address, key, done);
}

int ucp_ep_flush(void *ep)
{
    NEXT(ucp_ep_flush);
    note(&handed_calls, "flush", 0);
    return next(ep);
}

void *ucp_worker_flush_nb(void *worker, unsigned flags, void *done)
{
    NEXT(ucp_worker_flush_nb);
    note(&handed_calls, "flush_all", 0);
    return next(worker, flags, done);
}

/* More ranks than cores: who has nothing to do lets others go on. */
unsigned ucp_worker_progress(void *worker)
{
    NEXT(ucp_worker_progress);
    handed_polls++;
    unsigned done = next(worker);
    if (done == 0) sched_yield();
    return done;
}

/* --- messages: the streams of bytes that UCX writes into its sockets --- */

enum { FDS_MAX = 1024, HEADER_BYTES = 5, PUT_REQUEST_BYTES = 20, PUT_REQUEST = 33 };

/* UCX's headers behind the id and length that begin each message; a length of ANY_LENGTH is no data. */
enum { ANY_LENGTH = 1 << 20 };
static const struct {
    const char *name;
    unsigned header_bytes;
    bool fragments; /* consecutive ones are one operation's */
} kinds[] = {
    [2] = {"EAGER", 8, false},
    [3] = {"EAGER_FIRST", ANY_LENGTH, false},
    [4] = {"EAGER_MIDDLE", ANY_LENGTH, false},
    [6] = {"EAGER_SYNC", 24, false},
    [8] = {"EAGER_SYNC_ACK", ANY_LENGTH, false},
    [9] = {"RNDV_RTS", ANY_LENGTH, false},
    [10] = {"RNDV_ATS", ANY_LENGTH, false},
    [11] = {"RNDV_RTR", ANY_LENGTH, false},
    [12] = {"RNDV_DATA", ANY_LENGTH, true},
    [16] = {"RNDV_ATP", ANY_LENGTH, false},
    [17] = {"PUT", 20, true},
    [18] = {"GET_REQ", ANY_LENGTH, false},
    [19] = {"GET_REP", 16, true},
    [22] = {"CMPL", ANY_LENGTH, true},
    [23] = {"AM", 8, false},
    [24] = {"AM", 32, false},
    [25] = {"AM", 24, false}, /* goes on with the last one */
    [PUT_REQUEST] = {"PUT_REQ", ANY_LENGTH, false},
    [34] = {"PUT_ACK", ANY_LENGTH, false},
};

/* A stream's state: not seen yet, of UCX, or of somebody else. */
static struct stream {
    enum { UNSEEN, OF_UCX, FOREIGN } owner;
    uint8_t header[HEADER_BYTES + PUT_REQUEST_BYTES];
    unsigned header_count;
    uint64_t skipped;
} streams[FDS_MAX];

static void note_message(unsigned id, uint64_t bytes)
{
    enum { AM_MIDDLE = 25 };
    if (id >= sizeof kinds / sizeof *kinds || !kinds[id].name) return; /* the making of connections */
    uint64_t data = kinds[id].header_bytes == ANY_LENGTH ? 0 : bytes - kinds[id].header_bytes;
    struct handed *last = handed_messages.count > 0 ? &handed_messages.rows[handed_messages.count - 1] : NULL;
    bool goes_on = last && strcmp(last->name, kinds[id].name) == 0 && (kinds[id].fragments || id == AM_MIDDLE);
    if (!goes_on) {
        note(&handed_messages, kinds[id].name, id == PUT_REQUEST ? bytes : data);
    } else if (handed_on) {
        last->bytes += data;
        last->count += kinds[id].fragments;
    }
}

/* True when the header of a message is complete; *rest: the bytes that follow it. */
static bool take_header_byte(struct stream *stream, uint8_t byte, uint64_t *rest)
{
    stream->header[stream->header_count++] = byte;
    unsigned whole = stream->header[0] == PUT_REQUEST ? HEADER_BYTES + PUT_REQUEST_BYTES : HEADER_BYTES;
    if (stream->header_count < whole) return false;
    uint32_t length;
    memcpy(&length, &stream->header[1], sizeof length);
    *rest = length;
    if (stream->header[0] == PUT_REQUEST) memcpy(rest, &stream->header[HEADER_BYTES + 8], sizeof *rest);
    stream->header_count = 0;
    return true;
}

static size_t begin_stream(struct stream *stream, const uint8_t *bytes, size_t count)
{
    static const uint64_t magic = 0xCAFEBABE12345678ull; /* the connecting side's first words */
    bool greets = count >= sizeof magic && memcmp(bytes, &magic, sizeof magic) == 0;
    stream->owner = greets || bytes[0] < sizeof kinds / sizeof *kinds ? OF_UCX : FOREIGN;
    return greets ? sizeof magic : 0;
}

static void take(int fd, const uint8_t *bytes, size_t count)
{
    if (fd < 0 || fd >= FDS_MAX || count == 0) return;
    struct stream *stream = &streams[fd];
    size_t at = stream->owner == UNSEEN ? begin_stream(stream, bytes, count) : 0;
    if (stream->owner != OF_UCX) return;
    while (at < count) {
        uint64_t rest = count - at;
        if (stream->skipped > 0) {
            uint64_t step = stream->skipped < rest ? stream->skipped : rest;
            stream->skipped -= step;
            at += step;
        } else if (take_header_byte(stream, bytes[at++], &stream->skipped)) {
            note_message(stream->header[0], stream->skipped);
        }
    }
}

ssize_t send(int fd, const void *bytes, size_t count, int flags)
{
    NEXT(send);
    ssize_t sent = next(fd, bytes, count, flags);
    if (sent > 0) take(fd, bytes, (size_t)sent);
    return sent;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    NEXT(sendmsg);
    ssize_t sent = next(fd, message, flags);
    size_t left = sent > 0 ? (size_t)sent : 0;
    for (size_t i = 0; i < message->msg_iovlen && left > 0; i++) {
        const struct iovec *part = &message->msg_iov[i];
        size_t count = part->iov_len < left ? part->iov_len : left;
        take(fd, part->iov_base, count);
        left -= count;
    }
    return sent;
}

int close(int fd)
{
    NEXT(close);
    if (fd >= 0 && fd < FDS_MAX) streams[fd] = (struct stream){0};
    return next(fd);
}
