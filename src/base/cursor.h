/* A bounds-checked reader of bytes from outside, with a sticky error: read straight through, check once. The one reader
 * of bytes that we did not write; it is all in this header because parsers spend their time in it. */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <roast.h>

typedef struct cursor {
    const unsigned char *start, *at, *end;
    bool failed; /* something was read past the end; every read after that gives 0 */
} cursor;

static inline cursor cursor_over(const void *bytes, size_t len)
{
    const unsigned char *start = (const unsigned char *)bytes;
    return (cursor){start, start, start + len, false};
}

static inline size_t cursor_left(const cursor *c)
{
    return (size_t)(c->end - c->at);
}

static inline size_t cursor_position(const cursor *c)
{
    return (size_t)(c->at - c->start);
}

static inline void cursor_seek(cursor *c, size_t position)
{
    if (position > (size_t)(c->end - c->start))
        c->failed = true;
    else
        c->at = c->start + position;
}

/* NULL if fewer are left. */
static inline const void *cursor_bytes(cursor *c, size_t len)
{
    if (c->failed || len > cursor_left(c)) {
        c->failed = true;
        return NULL;
    }
    const void *bytes = c->at;
    c->at += len;
    return bytes;
}

static inline void cursor_skip(cursor *c, size_t len)
{
    (void)cursor_bytes(c, len);
}

/* Compilers make one load of these. */
static inline uint64_t cursor_read_be(cursor *c, size_t len)
{
    const unsigned char *bytes = (const unsigned char *)cursor_bytes(c, len);
    uint64_t value = 0;
    for (size_t i = 0; bytes && i < len; i++)
        value = value << 8 | bytes[i];
    return value;
}

static inline uint64_t cursor_read_le(cursor *c, size_t len)
{
    const unsigned char *bytes = (const unsigned char *)cursor_bytes(c, len);
    uint64_t value = 0;
    for (size_t i = len; bytes && i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static inline uint8_t cursor_u8(cursor *c)
{
    return (uint8_t)cursor_read_be(c, 1);
}

static inline uint16_t cursor_be16(cursor *c)
{
    return (uint16_t)cursor_read_be(c, 2);
}

static inline uint32_t cursor_be32(cursor *c)
{
    return (uint32_t)cursor_read_be(c, 4);
}

static inline uint64_t cursor_be64(cursor *c)
{
    return cursor_read_be(c, 8);
}

static inline uint16_t cursor_le16(cursor *c)
{
    return (uint16_t)cursor_read_le(c, 2);
}

static inline uint32_t cursor_le32(cursor *c)
{
    return (uint32_t)cursor_read_le(c, 4);
}

static inline uint64_t cursor_le64(cursor *c)
{
    return cursor_read_le(c, 8);
}

#endif
