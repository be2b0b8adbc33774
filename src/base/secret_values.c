/* Secrets in values that have parts: JSON and msgpack. A text that belongs to a telling name goes as a whole; numbers
 * stay, whatever they are called. */
#include <jansson.h>
#include <msgpack.h>

#include "base/buf.h"
#include "base/msgpack_read.h"
#include "base/secret_names.h"
#include "base/secrets.h"
#include "base/str.h"

enum { DEEPEST = 64 };

/* ---- JSON ----------------------------------------------------------------------------------------------------- */

typedef struct json_strip {
    arena *memory;
    bool changed, failed;
} json_strip;

static json_t *strip_json(json_strip *s, roast_str name, json_t *value);

/* A text of JSON without its secrets; NULL if there is nothing to change. */
static json_t *strip_json_text(json_strip *s, roast_str name, roast_str text)
{
    roast_str kept = text;
    s->failed |= !strip_secrets_of(name, &kept, s->memory);
    if (s->failed || str_equal(kept, text))
        return NULL;
    s->changed = true;
    json_t *made = json_stringn_nocheck(kept.ptr, kept.len);
    s->failed |= !made;
    return made;
}

static json_t *strip_json_object(json_strip *s, json_t *value)
{
    json_t *made = json_object();
    for (void *at = json_object_iter(value); at; at = json_object_iter_next(value, at)) {
        roast_str name = str_from(json_object_iter_key(at));
        json_t *part = strip_json(s, name, json_object_iter_value(at));
        json_t *renamed = strip_json_text(s, str_none(), name);
        s->failed |= json_object_set_new_nocheck(made, renamed ? json_string_value(renamed) : name.ptr, part) != 0;
        json_decref(renamed);
    }
    return made;
}

static json_t *strip_json(json_strip *s, roast_str name, json_t *value)
{
    if (json_is_string(value)) {
        json_t *text = strip_json_text(s, name, (roast_str){json_string_value(value), json_string_length(value)});
        return text ? text : json_incref(value);
    }
    if (json_is_object(value))
        return strip_json_object(s, value);
    if (!json_is_array(value))
        return json_incref(value);
    json_t *made = json_array();
    for (size_t i = 0; i < json_array_size(value); i++)
        s->failed |= json_array_append_new(made, strip_json(s, name, json_array_get(value, i))) != 0;
    return made;
}

static int append_to_buf(const char *bytes, size_t len, void *out)
{
    buf_bytes(out, bytes, len);
    return 0; /* the buffer remembers what went wrong */
}

bool strip_secrets_in_json(roast_str *json, arena *memory)
{
    json_t *given = json->len ? json_loadb(json->ptr, json->len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL) : NULL;
    if (!given)
        return strip_secrets(json, memory); /* no JSON, or no memory to tell */
    json_strip s = {.memory = memory};
    json_t *kept = strip_json(&s, str_none(), given);
    buf text = {0};
    if (s.changed && !s.failed) {
        s.failed = json_dump_callback(kept, append_to_buf, &text, JSON_ENCODE_ANY) != 0;
        *json = s.failed || text.code ? str_none() : arena_str(memory, buf_view(&text));
        s.failed |= str_absent(*json);
    }
    buf_release(&text);
    json_decref(kept);
    json_decref(given);
    return !s.failed;
}

/* ---- msgpack -------------------------------------------------------------------------------------------------- */

typedef struct msgpack_strip {
    cursor at;
    buf kept;
    arena *memory;
    bool changed, failed;
} msgpack_strip;

static int write_to_kept(void *out, const char *bytes, size_t len)
{
    return append_to_buf(bytes, len, out);
}

static void put_msgpack_text(msgpack_strip *s, roast_str text)
{
    msgpack_packer p;
    msgpack_packer_init(&p, &s->kept, write_to_kept);
    msgpack_pack_str(&p, text.len);
    msgpack_pack_str_body(&p, text.ptr, text.len);
    s->changed = true;
}

/* Copies the next value, or its head and then what is in it. Returns it, for a name to be known. */
static mp_value strip_next(msgpack_strip *s, roast_str name, int depth)
{
    const unsigned char *from = s->at.at;
    mp_value value = mp_read(&s->at), of = {0};
    roast_str kept = value.kind == MP_TEXT ? value.as.text : str_none();
    s->at.failed |= depth == 0;
    if (s->at.failed)
        return value;
    s->failed |= !strip_secrets_of(name, &kept, s->memory);
    if (value.kind == MP_TEXT && !str_equal(kept, value.as.text))
        put_msgpack_text(s, kept);
    else
        buf_bytes(&s->kept, from, (size_t)(s->at.at - from));
    size_t parts = value.kind == MP_ARRAY || value.kind == MP_MAP ? value.as.count : 0;
    for (size_t i = 0; i < parts && !s->at.failed; i++) {
        if (value.kind == MP_MAP)
            of = strip_next(s, str_none(), depth - 1);
        strip_next(s, value.kind == MP_ARRAY ? name : of.kind == MP_TEXT ? of.as.text : str_none(), depth - 1);
    }
    return value;
}

bool strip_secrets_in_msgpack(roast_str name, roast_str *msgpack, arena *memory)
{
    msgpack_strip s = {.at = cursor_over(msgpack->ptr, msgpack->len), .memory = memory};
    strip_next(&s, name, DEEPEST);
    bool readable = !s.at.failed && cursor_left(&s.at) == 0;
    if (readable && s.changed) {
        *msgpack = s.kept.code ? str_none() : arena_str(memory, buf_view(&s.kept));
        s.failed |= str_absent(*msgpack);
    }
    buf_release(&s.kept);
    return readable ? !s.failed : strip_secrets(msgpack, memory);
}
