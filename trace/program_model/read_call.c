/* The calls of a program model. Keys whose values cannot be expressions are read as in a text trace. */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/program_model/reader.h"

enum { WORDS_MAX = 32 };

struct call_words {
    char *words[WORDS_MAX + 2]; /* owned: what the text's reader gets */
    size_t count;
};

static enum status add_word(struct model_reader *reader, struct call_words *words, const char *key, const char *value)
{
    size_t size = strlen(key) + strlen(value) + 2;
    if (words->count == WORDS_MAX) SCANNER_FAIL(&reader->scanner, "more than %d keys, expected fewer", WORDS_MAX);
    char *word = malloc(size);
    if (!word) return err_memory(reader->scanner.err);
    snprintf(word, size, "%s=%s", key, value);
    words->words[words->count++] = word;
    return STATUS_OK;
}

static enum status read_fixed(struct model_reader *reader, struct call_words *words, const char *key)
{
    char *value;
    TRY(model_take_word(reader, &value));
    enum status status = add_word(reader, words, key, value);
    free(value);
    return status;
}

static enum status read_value(struct model_reader *reader, struct call_words *words, int field, struct statement *made)
{
    struct statement_value value = {.field = (uint8_t)field};
    struct statement_value *values = realloc(made->values, (made->value_count + 1) * sizeof *values);
    if (!values) return err_memory(reader->scanner.err);
    made->values = values;
    TRY(expression_read(&reader->scanner, &reader->variables, &value.value));
    values[made->value_count++] = value;
    return add_word(reader, words, text_field(field)->key, "0");
}

/* "all", "others", "-", or expressions joined by commas. */
static enum status read_group(struct model_reader *reader, struct call_words *words, struct statement *made)
{
    static const struct {
        const char *word;
        enum statement_group group;
    } whole[] = {{"all", GROUP_ALL}, {"others", GROUP_OTHERS}, {"-", GROUP_LISTED}};
    TRY(add_word(reader, words, "group", ""));
    size_t length = strcspn(reader->scanner.at, " \t\r\n");
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        if (strlen(whole[i].word) != length || strncmp(whole[i].word, reader->scanner.at, length) != 0) continue;
        reader->scanner.at += length;
        made->group = whole[i].group;
        return STATUS_OK;
    }
    made->group = GROUP_LISTED;
    do {
        struct expression *members = realloc(made->members, (made->member_count + 1) * sizeof *members);
        if (!members) return err_memory(reader->scanner.err);
        made->members = members;
        TRY(expression_read(&reader->scanner, &reader->variables, &members[made->member_count]));
        made->member_count++;
        scanner_skip_blanks(&reader->scanner);
    } while (*reader->scanner.at == ',' && reader->scanner.at++);
    return STATUS_OK;
}

/* The name of requests, from 1 on. A wait may name those that only later statements make. */
static enum status find_request_name(struct model_reader *reader, const char *name, size_t length, uint32_t *number)
{
    struct program_model *model = reader->model;
    for (size_t i = 0; i < model->request_name_count; i++)
        if (strlen(model->request_names[i]) == length && strncmp(model->request_names[i], name, length) == 0) {
            *number = (uint32_t)i + 1;
            return STATUS_OK;
        }
    TRY(array_reserve((void **)&model->request_names, &model->request_name_capacity, model->request_name_count + 1,
                      sizeof *model->request_names, reader->scanner.err));
    char *copy = strndup(name, length);
    if (!copy) return err_memory(reader->scanner.err);
    model->request_names[model->request_name_count++] = copy;
    *number = (uint32_t)model->request_name_count;
    return STATUS_OK;
}

static bool is_request_name(const char *name, size_t length)
{
    return length > 0 && strspn(name, "0123456789") < length && memchr(name, ':', length) == NULL &&
           memchr(name, ',', length) == NULL;
}

/* "q1,q2:0"; "-": none. */
static enum status read_named_requests(struct model_reader *reader, const char *list, struct statement *made, bool *good)
{
    *good = true;
    made->requests = REQUESTS_NAMED;
    for (const char *at = strcmp(list, "-") == 0 ? "" : list; *good && *at; at += *at == ',') {
        struct statement_request request = {.place = -1};
        size_t length = strcspn(at, ":,");
        *good = is_request_name(at, length);
        if (!*good) return STATUS_OK;
        TRY(find_request_name(reader, at, length, &request.name));
        at += length;
        if (*at == ':') {
            char *end;
            long place = strtol(at + 1, &end, 10);
            *good = end > at + 1 && place >= 0 && place <= INT32_MAX && (*end == ',' || *end == '\0');
            request.place = (int32_t)place;
            at = end;
        }
        struct statement_request *waited = realloc(made->waited, (made->waited_count + 1) * sizeof *waited);
        if (!waited) return err_memory(reader->scanner.err);
        made->waited = waited;
        waited[made->waited_count++] = request;
    }
    return STATUS_OK;
}

/* request=NAME of a call that makes one. */
static enum status read_request_name(struct model_reader *reader, struct statement *made)
{
    char *word;
    if (!call_makes_request(made->call.call))
        SCANNER_FAIL(&reader->scanner, "request= of %s, expected it of a call that makes a request", call_name(made->call.call));
    TRY(model_take_word(reader, &word));
    enum status status = STATUS_OK;
    bool good = is_request_name(word, strlen(word));
    if (good) status = find_request_name(reader, word, strlen(word), &made->request_name);
    free(word);
    if (!good) SCANNER_FAIL(&reader->scanner, "wrong request=, expected a name without ':' and ',' that is no number");
    return status;
}

static enum status read_requests(struct model_reader *reader, struct call_words *words, const char *key, struct statement *made)
{
    char *word;
    if (call_makes_request(made->call.call))
        SCANNER_FAIL(&reader->scanner, "%s= of %s, expected none: requests are counted", key, call_name(made->call.call));
    TRY(model_take_word(reader, &word));
    made->requests = REQUESTS_ALL;
    bool good = (strcmp(word, "all") == 0 && strcmp(key, "reqs") == 0) || text_integer(word, 0, INT32_MAX, &made->requests);
    enum status status = good ? STATUS_OK : read_named_requests(reader, word, made, &good);
    free(word);
    TRY(status);
    if (!good)
        SCANNER_FAIL(&reader->scanner,
                     "wrong %s=, expected %sthe names of requests, or a place among those that are not completed, from 0 on", key,
                     strcmp(key, "reqs") == 0 ? "all, " : "");
    return add_word(reader, words, key, strcmp(key, "req") == 0 ? "0" : "");
}

static enum status read_key_value(struct model_reader *reader, struct call_words *words, int field, struct statement *made)
{
    const char *key = text_field(field)->key;
    const struct call_row *row = call_row(made->call.call);
    switch (text_field(field)->type) {
    case TEXT_SHARE:
        if (field != F_RECEIVED_INDEX || !(row->allowed & F_RECEIVED) || (row->allowed & F_SENT)) break;
        return read_value(reader, words, field, made);
    case TEXT_RANK:
    case TEXT_TAG:
    case TEXT_BYTES:
    case TEXT_DISP: return read_value(reader, words, field, made);
    case TEXT_GROUP: return read_group(reader, words, made);
    case TEXT_REQUEST:
    case TEXT_REQUESTS: return read_requests(reader, words, key, made);
    case TEXT_WINDOW:
    case TEXT_COMM:
    case TEXT_NEWCOMM:
    case TEXT_ASSERT:
    case TEXT_LOCK:
    case TEXT_OP:
    case TEXT_FLAG:
    case TEXT_STARTED:
    case TEXT_SITE: return read_fixed(reader, words, key);
    default: break;
    }
    SCANNER_FAIL(&reader->scanner, "%s= of %s has no place in a program model%s", key, row->name,
                 row->allowed & F_BYTES ? ", expected bytes=" : "");
}

static enum status read_key(struct model_reader *reader, struct call_words *words, struct statement *made)
{
    char key[SCANNER_NAME_BYTES];
    size_t length;
    bool taken;
    TRY(model_read_common(reader, made, &taken));
    if (taken) return STATUS_OK;
    if (model_take_key(reader, "request")) return read_request_name(reader, made);
    if (model_take_key(reader, "takes")) {
        if (made->takes.operations) SCANNER_FAIL(&reader->scanner, "takes= stands twice");
        return expression_read(&reader->scanner, &reader->variables, &made->takes);
    }
    TRY(scanner_name(&reader->scanner, "key=value", key));
    if (*reader->scanner.at != '=')
        SCANNER_FAIL(&reader->scanner, "'%s' of %s, expected key=value", key, call_name(made->call.call));
    reader->scanner.at++;
    int field = text_find_key(&reader->names, key, &length);
    if (field < 0) SCANNER_FAIL(&reader->scanner, "'%s=' of %s is no key that is known", key, call_name(made->call.call));
    return read_key_value(reader, words, field, made);
}

static enum status read_keys(struct model_reader *reader, struct call_words *words, struct statement *made)
{
    scanner_skip_blanks(&reader->scanner);
    while (*reader->scanner.at != '\0') {
        TRY(read_key(reader, words, made));
        scanner_skip_blanks(&reader->scanner);
    }
    return STATUS_OK;
}

/* Adds the requests that a call makes or waits for, which a model leaves out. */
static enum status add_requests(struct model_reader *reader, struct call_words *words, struct statement *made)
{
    uint32_t needed = call_row(made->call.call)->needed;
    if ((needed & F_REQ) && call_makes_request(made->call.call)) return add_word(reader, words, "req", "0");
    if (!(needed & F_REQS) || made->requests != REQUESTS_NONE) return STATUS_OK;
    made->requests = REQUESTS_ALL;
    return add_word(reader, words, "reqs", "");
}

static enum status read_region(struct model_reader *reader, struct statement *made)
{
    struct scanner *scanner = &reader->scanner;
    char *name;
    TRY(model_take_word(reader, &name));
    if (*name == '\0' || !text_decode(name)) {
        free(name);
        SCANNER_FAIL(scanner, "the region's name is missing or has a broken %%XX, expected \"enter NAME\" or \"leave NAME\"");
    }
    made->call = text_no_values.call;
    enum status status = trace_add_region(reader->model->names, name, &made->call.region.region, scanner->err);
    free(name);
    TRY(status);
    scanner_skip_blanks(scanner);
    while (*scanner->at != '\0') {
        bool taken;
        TRY(model_read_common(reader, made, &taken));
        if (!taken) SCANNER_FAIL(scanner, "'%.40s' of a user region, expected when=, before= or after=", scanner->at);
        scanner_skip_blanks(scanner);
    }
    return STATUS_OK;
}

enum status model_read_call(struct model_reader *reader, const char *name, struct statement *made)
{
    enum mpi_call call;
    if (!text_find_call(&reader->names, name, &call))
        SCANNER_FAIL(&reader->scanner,
                     "'%s', expected a definition, compute, repeat, if, block, end or the name of a call", name);
    if (call_is_thread(call)) SCANNER_FAIL(&reader->scanner, "%s: threads have no place in a program model", name);
    if (call_is_region(call)) {
        TRY(read_region(reader, made));
        made->call.call = (uint16_t)call;
        return STATUS_OK;
    }
    made->call.call = (uint16_t)call;
    struct call_words words = {.count = 0};
    struct text_values values = text_no_values;
    values.call.call = made->call.call;
    enum status status = read_keys(reader, &words, made);
    if (status == STATUS_OK) status = add_requests(reader, &words, made);
    if (status == STATUS_OK) status = text_read_values(&reader->text, words.words, &values);
    for (size_t i = 0; i < words.count; i++) free(words.words[i]);
    TRY(status);
    if (values.call.handle == TRACE_NONE && (call_row(made->call.call)->needed & (F_WIN | F_COMM)))
        SCANNER_FAIL(&reader->scanner, "%s names none, expected a window or communicator", call_name(made->call.call));
    made->call = values.call;
    return STATUS_OK;
}
