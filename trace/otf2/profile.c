#include "trace/otf2/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory_text.h"

const struct archive_attribute_row archive_attribute_rows[ATTRIBUTE_COUNT] = {
#define ARCHIVE_ATTRIBUTE(ID, NAME, TYPE, DESCRIPTION) {NAME, DESCRIPTION, OTF2_TYPE_##TYPE},
#include "trace/otf2/attributes.def"
#undef ARCHIVE_ATTRIBUTE
};

enum {
    HANDLE_PEER = CARRIES_HANDLE | CARRIES_PEER,
    HANDLE_REF = CARRIES_HANDLE | CARRIES_REF,
    HANDLE_BYTES = CARRIES_HANDLE | CARRIES_BYTES,
    ROOTED = HANDLE_PEER | CARRIES_BYTES,
    TRANSFER = HANDLE_PEER | CARRIES_BYTES,
    MESSAGE = HANDLE_PEER | CARRIES_TAG | CARRIES_BYTES,
    REQUESTED = MESSAGE | CARRIES_REF,
};

#define ROLE(NAME) OTF2_REGION_ROLE_##NAME
#define OP(NAME)   OTF2_COLLECTIVE_OP_##NAME

/* Calls of other kinds have no records of their own. */
static const struct archive_kind kinds[CALL_KIND_COUNT] = {
    [CALL_FINALIZE] = {SHAPE_QUIET, ROLE(FUNCTION), 0, 0},
    [CALL_REGION_ENTER] = {SHAPE_REGION, ROLE(CODE), 0, CARRIES_REF},
    [CALL_REGION_LEAVE] = {SHAPE_REGION, ROLE(CODE), 0, CARRIES_REF},
    [CALL_WIN_CREATE] = {SHAPE_WIN_CREATE, ROLE(RMA), OP(CREATE_HANDLE), CARRIES_HANDLE},
    [CALL_WIN_FREE] = {SHAPE_WIN_FREE, ROLE(RMA), OP(DESTROY_HANDLE), CARRIES_HANDLE},
    [CALL_PUT] = {SHAPE_TRANSFER, ROLE(RMA), 0, TRANSFER},
    [CALL_GET] = {SHAPE_TRANSFER, ROLE(RMA), 0, TRANSFER},
    [CALL_ACCUMULATE] = {SHAPE_TRANSFER, ROLE(RMA), 0, TRANSFER | CARRIES_AUX},
    [CALL_GET_ACCUMULATE] = {SHAPE_TRANSFER, ROLE(RMA), 0, TRANSFER | CARRIES_AUX},
    [CALL_FENCE] = {SHAPE_FENCE, ROLE(RMA), OP(BARRIER), CARRIES_HANDLE},
    [CALL_POST] = {SHAPE_GROUP_SYNC, ROLE(RMA), 0, HANDLE_REF},
    [CALL_START] = {SHAPE_GROUP_SYNC, ROLE(RMA), 0, HANDLE_REF},
    [CALL_COMPLETE] = {SHAPE_GROUP_SYNC, ROLE(RMA), 0, CARRIES_HANDLE},
    [CALL_WIN_WAIT] = {SHAPE_GROUP_SYNC, ROLE(RMA), 0, CARRIES_HANDLE},
    [CALL_WIN_TEST] = {SHAPE_GROUP_SYNC, ROLE(RMA), 0, CARRIES_HANDLE},
    [CALL_LOCK] = {SHAPE_LOCK, ROLE(RMA), 0, HANDLE_PEER},
    [CALL_UNLOCK] = {SHAPE_UNLOCK, ROLE(RMA), 0, HANDLE_PEER},
    [CALL_LOCK_ALL] = {SHAPE_LOCK, ROLE(RMA), 0, CARRIES_HANDLE},
    [CALL_UNLOCK_ALL] = {SHAPE_UNLOCK, ROLE(RMA), 0, CARRIES_HANDLE},
    [CALL_FLUSH] = {SHAPE_FLUSH, ROLE(RMA), 0, 0},
    [CALL_FLUSH_LOCAL] = {SHAPE_FLUSH, ROLE(RMA), 0, 0},
    [CALL_SYNC] = {SHAPE_PLAIN, ROLE(RMA), 0, 0},
    [CALL_SEND] = {SHAPE_SEND, ROLE(POINT2POINT), 0, MESSAGE},
    [CALL_ISEND] = {SHAPE_ISEND, ROLE(POINT2POINT), 0, REQUESTED},
    [CALL_RECV] = {SHAPE_RECV, ROLE(POINT2POINT), 0, MESSAGE},
    [CALL_IRECV] = {SHAPE_IRECV, ROLE(POINT2POINT), 0, REQUESTED},
    [CALL_SENDRECV] = {SHAPE_SENDRECV, ROLE(POINT2POINT), 0, MESSAGE},
    [CALL_PROBE] = {SHAPE_PLAIN, ROLE(POINT2POINT), 0, 0},
    [CALL_IPROBE] = {SHAPE_PLAIN, ROLE(POINT2POINT), 0, 0},
    [CALL_REQUEST_WAIT] = {SHAPE_COMPLETION, ROLE(POINT2POINT), 0, CARRIES_REF},
    [CALL_REQUEST_WAITALL] = {SHAPE_COMPLETION, ROLE(POINT2POINT), 0, CARRIES_REF},
    [CALL_REQUEST_TEST] = {SHAPE_COMPLETION, ROLE(POINT2POINT), 0, CARRIES_REF},
    [CALL_REQUEST_TESTALL] = {SHAPE_COMPLETION, ROLE(POINT2POINT), 0, CARRIES_REF},
    [CALL_REQUEST_QUERY] = {SHAPE_PLAIN, ROLE(POINT2POINT), 0, 0},
    [CALL_BARRIER] = {SHAPE_COLLECTIVE, ROLE(BARRIER), OP(BARRIER), CARRIES_HANDLE},
    [CALL_SHMEM_BARRIER] = {SHAPE_COLLECTIVE, ROLE(BARRIER), OP(BARRIER), CARRIES_HANDLE},
    [CALL_BCAST] = {SHAPE_COLLECTIVE, ROLE(COLL_ONE2ALL), OP(BCAST), ROOTED},
    [CALL_REDUCE] = {SHAPE_COLLECTIVE, ROLE(COLL_ALL2ONE), OP(REDUCE), ROOTED},
    [CALL_ALLREDUCE] = {SHAPE_COLLECTIVE, ROLE(COLL_ALL2ALL), OP(ALLREDUCE), HANDLE_BYTES},
    [CALL_GATHER] = {SHAPE_COLLECTIVE, ROLE(COLL_ALL2ONE), OP(GATHER), ROOTED},
    [CALL_SCATTER] = {SHAPE_COLLECTIVE, ROLE(COLL_ONE2ALL), OP(SCATTER), ROOTED},
    [CALL_ALLGATHER] = {SHAPE_COLLECTIVE, ROLE(COLL_ALL2ALL), OP(ALLGATHER), HANDLE_BYTES},
    [CALL_ALLTOALL] = {SHAPE_COLLECTIVE, ROLE(COLL_ALL2ALL), OP(ALLTOALL), HANDLE_BYTES},
    [CALL_GATHERV] = {SHAPE_COLLECTIVE, ROLE(COLL_ALL2ONE), OP(GATHERV), HANDLE_PEER},
    [CALL_SCATTERV] = {SHAPE_COLLECTIVE, ROLE(COLL_ONE2ALL), OP(SCATTERV), HANDLE_PEER},
    [CALL_ALLGATHERV] = {SHAPE_COLLECTIVE, ROLE(COLL_ALL2ALL), OP(ALLGATHERV), CARRIES_HANDLE},
    [CALL_ALLTOALLV] = {SHAPE_COLLECTIVE, ROLE(COLL_ALL2ALL), OP(ALLTOALLV), CARRIES_HANDLE},
    [CALL_REDUCE_SCATTER] = {SHAPE_COLLECTIVE, ROLE(COLL_ALL2ALL), OP(REDUCE_SCATTER), CARRIES_HANDLE},
    [CALL_SCAN] = {SHAPE_COLLECTIVE, ROLE(COLL_OTHER), OP(SCAN), CARRIES_HANDLE},
    [CALL_EXSCAN] = {SHAPE_COLLECTIVE, ROLE(COLL_OTHER), OP(EXSCAN), CARRIES_HANDLE},
    [CALL_NEIGHBOR] = {SHAPE_PLAIN, ROLE(COLL_OTHER), 0, 0},
    [CALL_COMM_CREATE] = {SHAPE_COMM_CREATE, ROLE(COLL_OTHER), OP(CREATE_HANDLE), HANDLE_REF},
    [CALL_COMM_FREE] = {SHAPE_COMM_FREE, ROLE(COLL_OTHER), OP(DESTROY_HANDLE), CARRIES_HANDLE},
    [CALL_THREAD_CREATE] = {SHAPE_PLAIN, ROLE(THREAD_CREATE), 0, 0},
    [CALL_THREAD_JOIN] = {SHAPE_PLAIN, ROLE(THREAD_WAIT), 0, 0},
    [CALL_THREAD_BARRIER] = {SHAPE_PLAIN, ROLE(BARRIER), 0, 0},
    [CALL_SHMEM_PUT] = {SHAPE_TRANSFER, ROLE(RMA), 0, TRANSFER},
    [CALL_SHMEM_PUT_NBI] = {SHAPE_TRANSFER, ROLE(RMA), 0, TRANSFER},
    [CALL_SHMEM_GET] = {SHAPE_TRANSFER, ROLE(RMA), 0, TRANSFER},
    [CALL_SHMEM_GET_NBI] = {SHAPE_TRANSFER, ROLE(RMA), 0, TRANSFER},
    [CALL_SHMEM_ATOMIC] = {SHAPE_TRANSFER, ROLE(RMA), 0, TRANSFER | CARRIES_AUX},
    [CALL_SHMEM_FETCH] = {SHAPE_TRANSFER, ROLE(RMA), 0, TRANSFER | CARRIES_AUX},
    [CALL_SHMEM_QUIET] = {SHAPE_QUIET, ROLE(RMA), 0, 0},
    [CALL_SHMEM_FENCE] = {SHAPE_PLAIN, ROLE(RMA), 0, 0},
    [CALL_SHMEM_WAIT] = {SHAPE_PLAIN, ROLE(RMA), 0, 0},
    [CALL_SHMEM_TEST] = {SHAPE_PLAIN, ROLE(RMA), 0, 0},
    [CALL_SHMEM_SET_LOCK] = {SHAPE_SHMEM_LOCK, ROLE(RMA), 0, HANDLE_REF},
    [CALL_SHMEM_TEST_LOCK] = {SHAPE_SHMEM_LOCK, ROLE(RMA), 0, HANDLE_REF},
    [CALL_SHMEM_CLEAR_LOCK] = {SHAPE_SHMEM_LOCK, ROLE(RMA), 0, HANDLE_REF},
};

bool archive_win_name_spaced(const char *name, int64_t id, char unnamed[ARCHIVE_WIN_NAME_BYTES])
{
    size_t length = (size_t)snprintf(unnamed, ARCHIVE_WIN_NAME_BYTES, "Win %" PRId64, id);
    if (strncmp(name, unnamed, length) != 0) return false;
    for (name += length; *name == ' ';) name++;
    return *name == '\0';
}

const struct archive_kind *archive_kind(enum call_kind kind)
{
    static const struct archive_kind plain = {SHAPE_PLAIN, ROLE(FUNCTION), 0, 0};
    return kinds[kind].role == ROLE(UNKNOWN) ? &plain : &kinds[kind];
}

OTF2_Paradigm archive_paradigm(enum mpi_call call)
{
    if (call_is_thread(call)) return OTF2_PARADIGM_PTHREAD;
    return call_is_shmem(call) ? OTF2_PARADIGM_SHMEM : OTF2_PARADIGM_MPI;
}

void archive_collective_bytes(enum call_kind kind, bool root, uint32_t size, int64_t block, uint64_t *sent,
                              uint64_t *received)
{
    uint64_t one = (uint64_t)block, all = one * size;
    OTF2_RegionRole role = archive_kind(kind)->role;
    *sent = *received = 0;
    if (role == ROLE(COLL_ALL2ALL)) *sent = *received = all;
    if (role == ROLE(COLL_ONE2ALL)) {
        *sent = root ? all : 0;
        *received = one;
    }
    if (role == ROLE(COLL_ALL2ONE)) {
        *sent = one;
        *received = root ? all : 0;
    }
}

int64_t archive_collective_block(enum call_kind kind, uint32_t size, uint64_t sent, uint64_t received)
{
    OTF2_RegionRole role = archive_kind(kind)->role;
    uint64_t one = role == ROLE(COLL_ONE2ALL) ? received : sent, all = role == ROLE(COLL_ONE2ALL) ? sent : received;
    if (role != ROLE(COLL_ALL2ALL) && role != ROLE(COLL_ONE2ALL) && role != ROLE(COLL_ALL2ONE)) return 0;
    if (role != ROLE(COLL_ALL2ALL) && (one > 0 || size < 2)) return (int64_t)one;
    if (role == ROLE(COLL_ALL2ALL) && size > 0 && all % size == 0) return (int64_t)(all / size);
    return size > 1 ? (int64_t)(all / (size - 1)) : (int64_t)all;
}

static void escape_name(FILE *out, const char *name)
{
    if (!name) fputc('?', out);
    for (const char *at = name; at && *at; at++) {
        if (*at == '%' || *at == '@' || (*at == '?' && at == name))
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*at);
        else
            fputc(*at, out);
    }
}

char *archive_site_text(const struct trace_site *site)
{
    struct memory_text made;
    if (memory_text_open(&made, NULL) != STATUS_OK) return NULL;
    escape_name(made.out, site->function);
    fputc('@', made.out);
    escape_name(made.out, site->file);
    fprintf(made.out, ":%" PRId32, site->line);
    return memory_text_close(&made, STATUS_OK, NULL) == STATUS_OK ? made.text : NULL;
}

/* Decodes in place; NULL for "?". */
static char *unescape_name(char *name)
{
    if (strcmp(name, "?") == 0) return NULL;
    char *to = name;
    for (const char *at = name; *at; at++) {
        unsigned byte;
        if (*at == '%' && sscanf(at, "%%%2X", &byte) == 1) {
            *to++ = (char)byte;
            at += 2;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
    return name;
}

bool archive_site_parse(char *text, char **function, char **file, int32_t *line)
{
    char *at = strchr(text, '@'), *colon = strrchr(text, ':'), *end;
    if (!at || !colon || colon < at) return false;
    long number = strtol(colon + 1, &end, 10);
    if (end == colon + 1 || *end || number < INT32_MIN || number > INT32_MAX) return false;
    *at = *colon = '\0';
    *function = unescape_name(text);
    *file = unescape_name(at + 1);
    *line = (int32_t)number;
    return true;
}

static _Thread_local char message[256];
static _Thread_local int message_errno; /* when it came */

static OTF2_ErrorCode keep_message(void *user, const char *file, uint64_t line, const char *function,
                                   OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)user, (void)file, (void)line, (void)function;
    if (message[0]) return code;
    message_errno = code == OTF2_ERROR_MEM_ALLOC_FAILED ? ENOMEM : errno;
    int used = snprintf(message, sizeof message, "%s: ", OTF2_Error_GetDescription(code));
    if (format && used > 0 && (size_t)used < sizeof message)
        vsnprintf(message + used, sizeof message - (size_t)used, format, arguments);
    return code;
}

void archive_messages_catch(void)
{
    OTF2_Error_RegisterCallback(keep_message, NULL);
    archive_messages_clear();
}

void archive_messages_clear(void)
{
    message[0] = '\0';
    errno = 0;
}

bool archive_has_message(void)
{
    return message[0] != '\0';
}

const char *archive_message(void)
{
    return message[0] ? message : "no reason given";
}

int archive_refusal(void)
{
    static const int refusals[] = {ENOMEM, EIO, EMFILE, ENFILE, ENOSPC, EDQUOT, EFBIG};
    int found = message[0] ? message_errno : errno;
    size_t i = 0, count = sizeof refusals / sizeof *refusals;
    while (i < count && refusals[i] != found) i++;
    return i < count ? found : 0;
}

enum status archive_check_memory(struct err *err)
{
    return message[0] && message_errno == ENOMEM ? err_memory(err) : STATUS_OK;
}

enum status archive_refused(int refusal, const char *path, const char *what, struct err *err)
{
    if (refusal == ENOMEM) return err_memory(err);
    return err_set(err, STATUS_SYSTEM, path, NULL, "%s: %s", what, strerror(refusal));
}
