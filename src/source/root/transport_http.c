/* http:// and https:// with range requests, one after the other over one connection. The first answer tells the size.
 */
#include "source/root/transport.h"

#include "base/error.h"

#ifndef ROAST_HAVE_CURL

static roast_code http_open(root_transport *t, roast_error *err)
{
    (void)t;
    return fail(err, ROAST_USAGE, "this roast was built without libcurl and cannot read http:// addresses");
}

static roast_code http_read(root_transport *t, void *into, int64_t offset, size_t len, roast_error *err)
{
    (void)into, (void)offset, (void)len;
    return http_open(t, err);
}

static void http_close(root_transport *t)
{
    (void)t;
}

#else

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_REDIRECTS = 5, SLOWEST_BYTES_PER_MS = 20 };

typedef struct curl_calls {
    CURL *(*init)(void);
    CURLcode (*setopt)(CURL *, CURLoption, ...);
    CURLcode (*perform)(CURL *);
    CURLcode (*getinfo)(CURL *, CURLINFO, ...);
    const char *(*strerror)(CURLcode);
    void (*cleanup)(CURL *);
} curl_calls;

typedef struct http {
    curl_calls call;
    CURL *curl;
    unsigned char *into;
    size_t len, got;
    int64_t total; /* size of the file, from Content-Range; -1: not told */
    bool too_much; /* more came than was asked for */
} http;

static roast_code load_calls(curl_calls *out, roast_error *err)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library || !root_load_symbol(library, "curl_easy_init", &out->init) ||
        !root_load_symbol(library, "curl_easy_setopt", &out->setopt) ||
        !root_load_symbol(library, "curl_easy_perform", &out->perform) ||
        !root_load_symbol(library, "curl_easy_getinfo", &out->getinfo) ||
        !root_load_symbol(library, "curl_easy_strerror", &out->strerror) ||
        !root_load_symbol(library, "curl_easy_cleanup", &out->cleanup))
        return fail(err, ROAST_USAGE, "http:// addresses need libcurl (libcurl.so.4), which is not installed here");
    return ROAST_OK;
}

static size_t take_body(char *data, size_t size, size_t count, void *context)
{
    http *h = context;
    size_t bytes = size * count;
    if (bytes > h->len - h->got) {
        h->too_much = true;
        return 0; /* ends the transfer */
    }
    memcpy(h->into + h->got, data, bytes);
    h->got += bytes;
    return bytes;
}

/* "Content-Range: bytes 0-2047/350812"; each answer of a chain of redirects begins with a status line. */
static size_t take_header(char *data, size_t size, size_t count, void *context)
{
    static const char name[] = "content-range:";
    http *h = context;
    size_t bytes = size * count;
    char line[128];
    if (bytes >= 5 && memcmp(data, "HTTP/", 5) == 0) {
        h->total = -1;
        h->got = 0;
    }
    if (bytes < sizeof name || bytes >= sizeof line || strncasecmp(data, name, sizeof name - 1) != 0)
        return bytes;
    memcpy(line, data, bytes);
    line[bytes] = '\0';
    const char *slash = strchr(line, '/');
    char *end = NULL;
    long long total = slash ? strtoll(slash + 1, &end, 10) : -1;
    h->total = slash && end != slash + 1 && total >= 0 ? total : -1;
    return bytes;
}

/* A transfer that failed, in words that do not depend on the version of libcurl where it matters most. */
static roast_code explain_failure(root_transport *t, CURLcode result, roast_error *err)
{
    t->passing = true;
    switch (result) {
    case CURLE_COULDNT_CONNECT:
        return fail(err, ROAST_IO, "cannot connect to the server");
    case CURLE_OPERATION_TIMEDOUT:
        return fail(err, ROAST_IO, "no answer from the server within %lld s", (long long)(t->timeout_ms + 999) / 1000);
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return fail(err, ROAST_IO, "the server cut the transfer off");
    default:
        t->passing = false;
        return fail(err, ROAST_IO, "%s", ((http *)t->state)->call.strerror(result));
    }
}

static roast_code explain_status(root_transport *t, long status, roast_error *err)
{
    t->passing = status >= 500 || status == 429 || status == 408;
    if (status == 404 || status == 410)
        return fail(err, ROAST_MISSING, "the server has no such file (HTTP %ld)", status);
    if (status == 401 || status == 403)
        return fail(err, ROAST_IO, "the server refuses access (HTTP %ld)", status);
    return fail(err, ROAST_IO, "the server answers HTTP %ld", status);
}

static roast_code judge_answer(root_transport *t, CURLcode result, roast_error *err)
{
    http *h = t->state;
    long status = 0;
    h->call.getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 400 && status != 416)
        return explain_status(t, status, err);
    if (h->too_much)
        return fail(err, ROAST_IO, "the server does not answer range requests; copy the file or use another server");
    if (result != CURLE_OK)
        return explain_failure(t, result, err);
    if (status != 200 && status != 206 && status != 416)
        return explain_status(t, status, err);
    return ROAST_OK;
}

/* Fetches up to len bytes at offset. */
static roast_code request(root_transport *t, void *into, int64_t offset, size_t len, roast_error *err)
{
    http *h = t->state;
    char range[64];
    snprintf(range, sizeof range, "%lld-%lld", (long long)offset, (long long)offset + (long long)len - 1);
    h->into = into;
    h->len = len;
    h->got = 0;
    h->total = -1;
    h->too_much = false;
    h->call.setopt(h->curl, CURLOPT_RANGE, range);
    h->call.setopt(h->curl, CURLOPT_TIMEOUT_MS, (long)(t->timeout_ms + (int64_t)len / SLOWEST_BYTES_PER_MS));
    return judge_answer(t, h->call.perform(h->curl), err);
}

static void set_options(http *h, const root_transport *t)
{
    CURL *curl = h->curl;
    h->call.setopt(curl, CURLOPT_URL, t->address);
    h->call.setopt(curl, CURLOPT_NOSIGNAL, 1L);
    h->call.setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    h->call.setopt(curl, CURLOPT_MAXREDIRS, (long)MOST_REDIRECTS);
#if LIBCURL_VERSION_NUM >= 0x075500
    h->call.setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    h->call.setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#endif
    h->call.setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)t->timeout_ms);
    h->call.setopt(curl, CURLOPT_USERAGENT, "roast/" ROAST_VERSION_TEXT);
    h->call.setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    h->call.setopt(curl, CURLOPT_WRITEDATA, h);
    h->call.setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
    h->call.setopt(curl, CURLOPT_HEADERDATA, h);
}

static roast_code http_open(root_transport *t, roast_error *err)
{
    http *h = calloc(1, sizeof *h);
    t->state = h;
    roast_code code = h ? load_calls(&h->call, err) : fail_memory(err);
    if (code)
        return code;
    h->curl = h->call.init();
    if (!h->curl)
        return fail_memory(err);
    set_options(h, t);
    /* The first request learns the size and brings the head; until then nothing is known to be beyond the end. */
    t->size = ROOT_HEAD_BYTES;
    return ROAST_OK;
}

/* What the first answer says about the whole file. */
static roast_code learn_size(root_transport *t, roast_error *err)
{
    http *h = t->state;
    if (h->total < 0 && h->got == 0)
        return fail(err, ROAST_IO, "the server sends nothing");
    t->size = h->total >= 0 ? h->total : (int64_t)h->got; /* without a range, a small file came whole */
    if (t->size > (int64_t)h->got && h->got < ROOT_HEAD_BYTES)
        return fail(err, ROAST_IO, "the server sent %zu bytes of the beginning, not %d", h->got, ROOT_HEAD_BYTES);
    return ROAST_OK;
}

static roast_code http_read(root_transport *t, void *into, int64_t offset, size_t len, roast_error *err)
{
    http *h = t->state;
    bool first = into == t->head;
    roast_code code = request(t, into, offset, len, err);
    if (code)
        return code;
    if (first)
        return learn_size(t, err);
    if (h->got == len)
        return ROAST_OK;
    t->passing = true;
    return fail(err, ROAST_IO, "the server sent %zu of %zu bytes", h->got, len);
}

static void http_close(root_transport *t)
{
    http *h = t->state;
    if (h && h->curl)
        h->call.cleanup(h->curl);
    free(h);
}

#endif

const root_driver root_driver_http = {http_open, http_read, http_close};
