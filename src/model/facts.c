/* What a record means. */
#include "model/facts.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <xxhash.h>

#include "base/saturate.h"
#include "base/str.h"

const char *roast_outcome_name(roast_outcome outcome)
{
    static const char *const names[] = {"running", "interrupted", "finished", "failed"};
    return (size_t)outcome < sizeof names / sizeof names[0] ? names[outcome] : "unknown";
}

bool chunk_failed(const roast_chunk *chunk)
{
    return !str_absent(chunk->error_type) || !str_absent(chunk->error);
}

static bool has_word(roast_str text, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= text.len; i++)
        if (strncasecmp(text.ptr + i, word, length) == 0)
            return true;
    return false;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || memchr("_-/\\", c, 4);
}

/* The same for words that stand for themselves: in a path or a name they mean nothing. */
static bool says(roast_str text, const char *words)
{
    size_t length = strlen(words);
    for (size_t i = 0; i + length <= text.len; i++) {
        const char *at = text.ptr + i, *after = at + length, *end = text.ptr + text.len;
        bool begins = i == 0 || !in_word(at[-1]);
        bool ends = after == end || (!in_word(*after) && !(*after == '.' && after + 1 < end && in_word(after[1])));
        if (begins && ends && strncasecmp(at, words, length) == 0)
            return true;
    }
    return false;
}

static bool one_of(roast_str type, const char *const *types, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(type, str_from(types[i])))
            return true;
    return false;
}

/* "socket.gaierror" → gaierror: what a module is called says nothing of an error. */
static roast_str without_module(roast_str type)
{
    const char *dot = type.len ? memrchr(type.ptr, '.', type.len) : NULL;
    return dot ? (roast_str){dot + 1, type.len - (size_t)(dot + 1 - type.ptr)} : type;
}

/* What a processor raises of itself: whatever its text mentions, the next attempt does the same. */
static bool is_of_code(roast_str type)
{
    static const char *const types[] = {
        "ArithmeticError", "AssertionError",    "AttributeError",      "ImportError",
        "IndexError",      "KeyError",          "LookupError",         "ModuleNotFoundError",
        "NameError",       "FileNotFoundError", "NotImplementedError", "PermissionError",
        "SyntaxError",     "TypeError",         "UnboundLocalError",   "UnicodeDecodeError",
        "ValueError",      "ZeroDivisionError", "FieldNotFoundError",  "KeyInFileError"};
    return one_of(type, types, sizeof types / sizeof *types);
}

bool error_is_transient(roast_str type, roast_str text)
{
    type = without_module(type);
    if (is_of_code(type) || has_word(type, "certificate") || has_word(type, "ssl") ||
        says(text, "certificate verify failed") || says(text, "name or service not known"))
        return false;
    static const char *const types[] = {"timeout",    "connection", "connectorerror", "disconnect",
                                        "commclosed", "brokenpipe", "incompleteread", "killedworker"};
    static const char *const texts[] = {"timed out",           "timeout",
                                        "operation expired", /* XRootD */
                                        "connection reset",    "connection refused",
                                        "connection aborted",  "connection closed",
                                        "connection error",    "connection lost",
                                        "server disconnected", "socket error",
                                        "broken pipe",         "temporarily unavailable",
                                        "temporary failure",   "network is unreachable",
                                        "no route to host",    "stale file handle",
                                        "service unavailable", "bad gateway",
                                        "too many requests"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (has_word(type, types[i]))
            return true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (says(text, texts[i]))
            return true;
    return false;
}

bool error_is_death(roast_str type)
{
    return str_equal(type, STR("KilledWorker"));
}

int64_t chunk_busy_ns(const roast_chunk *chunk)
{
    int64_t sum = or_zero(chunk->duration_ns);
    saturated_add(&sum, or_zero(chunk->open_ns));
    saturated_add(&sum, or_zero(chunk->events_ns));
    saturated_add(&sum, or_zero(chunk->return_ns));
    return sum;
}

uint64_t chunk_identity(const roast_chunk *chunk)
{
    int64_t range[] = {chunk->entry_start, chunk->entry_stop, chunk->round};
    uint64_t seed = XXH3_64bits(range, sizeof range);
    seed = XXH3_64bits_withSeed(chunk->dataset.ptr, chunk->dataset.len, seed);
    seed = XXH3_64bits_withSeed(chunk->treename.ptr, chunk->treename.len, seed);
    return XXH3_64bits_withSeed(chunk->file.ptr, chunk->file.len, seed);
}

uint64_t chunk_identity_across_runs(const roast_chunk *chunk, uint32_t file, uint32_t dataset)
{
    int64_t parts[] = {file, dataset, chunk->entry_start, chunk->entry_stop};
    return XXH3_64bits(parts, sizeof parts);
}

bool chunk_is_named(const roast_chunk *chunk)
{
    return !str_absent(chunk->file) && chunk->entry_start != ROAST_ABSENT;
}

/* Layers of fsspec stand before the address that they read from: "simplecache::root://…". */
static roast_str without_layers(roast_str url)
{
    const char *scheme = url.len ? memmem(url.ptr, url.len, "://", 3) : NULL;
    for (const char *c = scheme; c && c > url.ptr; c--)
        if (c[-1] == ':')
            return (roast_str){c, url.len - (size_t)(c - url.ptr)};
    return url;
}

roast_str file_server(roast_str url)
{
    url = without_layers(url);
    const char *scheme = url.len ? memmem(url.ptr, url.len, "://", 3) : NULL;
    if (!scheme || str_starts_with(url, STR("file://")))
        return STR("local files");
    size_t host = (size_t)(scheme - url.ptr) + 3;
    const char *path = memchr(url.ptr + host, '/', url.len - host);
    return (roast_str){url.ptr, path ? (size_t)(path - url.ptr) : url.len};
}

roast_str address_host(roast_str address)
{
    const char *start = address.len ? memmem(address.ptr, address.len, "://", 3) : NULL;
    if (!start)
        return str_none();
    start += 3;
    size_t length = address.len - (size_t)(start - address.ptr);
    const char *colon = memrchr(start, ':', length);
    return (roast_str){start, colon ? (size_t)(colon - start) : length};
}

roast_str without_scheme(roast_str address)
{
    const char *scheme = address.len ? memmem(address.ptr, address.len, "://", 3) : NULL;
    size_t skipped = scheme ? (size_t)(scheme - address.ptr) + 3 : 0;
    return skipped < address.len ? (roast_str){address.ptr + skipped, address.len - skipped} : address;
}

roast_str worker_host(const roast_worker *worker)
{
    if (worker->host.len)
        return worker->host;
    roast_str host = address_host(worker->address);
    return host.len ? host : worker->address;
}

bool worker_not_measured(const roast_worker *worker)
{
    return worker->probe == 0;
}

int64_t to_client_clock(const roast_worker *worker, int64_t t_ns)
{
    if (t_ns == ROAST_ABSENT || !worker || worker->clock_offset_ns == ROAST_ABSENT)
        return t_ns;
    int64_t ours;
    return __builtin_sub_overflow(t_ns, worker->clock_offset_ns, &ours) ? ROAST_ABSENT : ours;
}

int64_t or_zero(int64_t value)
{
    return value == ROAST_ABSENT ? 0 : value;
}

double as_real(int64_t value)
{
    return value == ROAST_ABSENT ? (double)NAN : (double)value;
}
