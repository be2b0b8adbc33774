/* JSON for programs: numbers with all their digits, absent as null, any text as valid UTF-8. */
#ifndef VIEW_JSON_H
#define VIEW_JSON_H

#include "analysis/summary.h"
#include "base/buf.h"

/* A writer that knows where commas go. key is NULL inside an array. (Names keep clear of those of jansson.) */
typedef struct json_writer {
    buf *out;
    int depth;
    bool filled;    /* something was written at this depth */
    bool after_key; /* the next value belongs to a key */
} json_writer;

void json_put_open(json_writer *w, const char *key, char bracket);
void json_put_close(json_writer *w, char bracket);
void json_put_key(json_writer *w, roast_str key); /* for keys that come from a run; the value follows with key NULL */
void json_put_text(json_writer *w, const char *key, roast_str text); /* absent is null */
void json_put_int(json_writer *w, const char *key, int64_t value);   /* ROAST_ABSENT is null */
void json_put_real(json_writer *w, const char *key, double value);   /* NAN and infinities are null */
void json_put_value(json_writer *w, const char *key, roast_value value);
/* A string literal alone: quoted, escaped, invalid bytes replaced. */
void json_put_quoted(buf *out, roast_str text);

/* The whole summary as one object: every metric of the run under each of its names, then its parts. */
void json_summary(buf *out, const roast_summary *summary);
/* The catalogue as one array of objects. */
void json_catalogue(buf *out);

#endif
