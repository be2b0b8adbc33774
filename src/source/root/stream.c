/* How ROOT writes objects. A pointer is written as
 *
 *     byte count (bit 30 set)   tag   [class name, NUL]   object
 *
 * where the tag is NEW_CLASS followed by a name, or bit 31 and the position of an earlier NEW_CLASS, or without bit 31
 * the position of the byte count of an object that was written before (then nothing follows). Positions count from the
 * beginning of the key and are 2 too large. Because the names and objects that are referred to lie in the same bytes,
 * no table of them is needed: they are looked up where they are. */
#include "source/root/stream.h"

#include <string.h>

#include "base/str.h"

#define BYTE_COUNT UINT32_C(0x40000000)
#define NEW_CLASS  UINT32_C(0xFFFFFFFF)
#define CLASS_TAG  UINT32_C(0x80000000)
enum { POSITION_OFFSET = 2, IS_REFERENCED = 1 << 4, SMALLEST_POINTER = 4, LONGEST_CLASS_NAME = 4096 };

roast_str root_stream_string(cursor *c)
{
    size_t len = cursor_u8(c);
    if (len == 255)
        len = cursor_be32(c);
    const char *text = cursor_bytes(c, len);
    return text ? (roast_str){text, len} : str_none();
}

root_header root_stream_header(cursor *c)
{
    root_header header = {0, 0};
    const unsigned char *at = c->at;
    if (cursor_left(c) >= 4 && (at[0] & 0x40)) {
        size_t count = cursor_be32(c) & ~BYTE_COUNT;
        header.end = cursor_position(c) + count;
        if (count < 2 || count > cursor_left(c))
            c->failed = true;
    }
    header.version = (int16_t)cursor_be16(c);
    return header;
}

void root_stream_tobject(cursor *c)
{
    (void)root_stream_header(c);
    cursor_skip(c, 4);
    if (cursor_be32(c) & IS_REFERENCED)
        cursor_skip(c, 2);
}

void root_stream_skip_object(cursor *c)
{
    root_header header = root_stream_header(c);
    if (header.end == 0)
        c->failed = true;
    else
        cursor_seek(c, header.end);
}

static roast_str read_class_name(cursor *c)
{
    size_t most = cursor_left(c) < LONGEST_CLASS_NAME ? cursor_left(c) : LONGEST_CLASS_NAME;
    const unsigned char *end = c->failed ? NULL : memchr(c->at, 0, most);
    if (!end) {
        c->failed = true;
        return str_none();
    }
    roast_str name = {(const char *)c->at, (size_t)(end - c->at)};
    cursor_skip(c, name.len + 1);
    return name;
}

/* The name that an earlier NEW_CLASS introduced. */
static roast_str class_name_at(const cursor *c, size_t position)
{
    cursor there = *c;
    cursor_seek(&there, position);
    if (cursor_be32(&there) != NEW_CLASS)
        there.failed = true;
    return read_class_name(&there);
}

/* Positions as stored to positions in the record; SIZE_MAX, which no cursor accepts, if it is before the record. */
static size_t resolve(uint32_t stored, size_t keylen)
{
    return stored < keylen + POSITION_OFFSET ? SIZE_MAX : stored - keylen - POSITION_OFFSET;
}

/* Reads a pointer that should be an object in place. */
static root_object read_object(cursor *c, size_t keylen, uint32_t *reference)
{
    root_object object = {.null = true};
    uint32_t count = cursor_be32(c);
    *reference = 0;
    if (count == 0)
        return object;
    if (!(count & BYTE_COUNT) || count == NEW_CLASS) {
        *reference = count;
        return object;
    }
    size_t left = cursor_left(c), len = count & ~BYTE_COUNT;
    object.end = cursor_position(c) + len;
    uint32_t tag = cursor_be32(c);
    if (len < 4 || len > left) {
        c->failed = true;
    } else if (!(tag & CLASS_TAG)) {
        *reference = tag;
        cursor_seek(c, object.end);
        return object;
    } else if (tag == NEW_CLASS) {
        object.class_name = read_class_name(c);
    } else {
        object.class_name = class_name_at(c, resolve(tag & ~CLASS_TAG, keylen));
    }
    object.begin = cursor_position(c);
    if (str_absent(object.class_name) || object.begin > object.end)
        c->failed = true;
    object.null = c->failed;
    return object;
}

root_object root_stream_pointer(cursor *c, size_t keylen, bool *followed)
{
    uint32_t reference;
    root_object object = read_object(c, keylen, &reference);
    if (followed)
        *followed = reference != 0;
    if (reference != 0 && !c->failed) {
        cursor there = *c;
        cursor_seek(&there, resolve(reference, keylen));
        return read_object(&there, keylen, &reference);
    }
    if (object.end != 0)
        cursor_seek(c, object.end);
    return object;
}

size_t root_stream_array(cursor *c)
{
    root_header header = root_stream_header(c);
    if (header.end == 0)
        c->failed = true;
    if (!c->failed)
        c->end = c->start + header.end;
    root_stream_tobject(c);
    if (header.version > 2)
        (void)root_stream_string(c);
    int64_t count = (int32_t)cursor_be32(c);
    cursor_skip(c, 4); /* lower bound */
    if (c->failed || count < 0 || (size_t)count > cursor_left(c) / SMALLEST_POINTER) {
        c->failed = true;
        return 0;
    }
    return (size_t)count;
}
