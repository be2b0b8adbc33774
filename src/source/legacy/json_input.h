/* JSON that people and Python wrote: parsing with errors that name the file and line, and typed access with errors
 * that name the place ("raw_chunk_metrics[3].duration is a string, not a number"). */
#ifndef SOURCE_LEGACY_JSON_INPUT_H
#define SOURCE_LEGACY_JSON_INPUT_H

#include <jansson.h>

#include "base/str.h"

/* Where a value stands: a chain from the value up to its file, built on the stack while walking down. */
typedef struct json_place {
    const struct json_place *parent; /* NULL: this is the file */
    const char *key;                 /* of an object's member, or the path of the file; NULL: an array's item */
    size_t index;                    /* of an array's item */
} json_place;

static inline json_place place_member(const json_place *parent, const char *key)
{
    return (json_place){.parent = parent, .key = key};
}

static inline json_place place_item(const json_place *parent, size_t index)
{
    return (json_place){.parent = parent, .index = index};
}

/* Parses an object. Python writes NaN and Infinity, which JSON does not have: each is read as null and counted.
 * *out is to be given to json_decref. */
roast_code json_parse(const json_place *file, roast_str text, json_t **out, size_t *not_numbers, roast_error *err);

/* "file: place problem". The problem is a sentence without its subject. */
roast_code json_fail(const json_place *at, roast_error *err, const char *problem);
/* "file: place is a string, not an object" */
roast_code json_wrong_type(const json_place *at, const json_t *value, const char *wanted, roast_error *err);

/* Each takes null, and a value that is not there (NULL), for absent; anything of another type is an error. */
roast_code json_read_int(const json_place *at, const json_t *value, int64_t *out, roast_error *err);
roast_code json_read_real(const json_place *at, const json_t *value, double *out, roast_error *err);
roast_code json_read_text(const json_place *at, const json_t *value, roast_str *out, roast_error *err);
/* *out is NULL where nothing is there, and else an object or an array. */
roast_code json_read_object(const json_place *at, json_t *value, json_t **out, roast_error *err);
roast_code json_read_array(const json_place *at, json_t *value, json_t **out, roast_error *err);

#endif
