/* The one reader of bytes that we did not write. */
#include "base/cursor.h"

cursor cursor_over(const void *bytes, size_t len)
{
    const unsigned char *start = bytes;
    return (cursor){start, start, start + len, false};
}

size_t cursor_left(const cursor *c)
{
    return (size_t)(c->end - c->at);
}

size_t cursor_position(const cursor *c)
{
    return (size_t)(c->at - c->start);
}

void cursor_seek(cursor *c, size_t position)
{
    if (position > (size_t)(c->end - c->start))
        c->failed = true;
    else
        c->at = c->start + position;
}

const void *cursor_bytes(cursor *c, size_t len)
{
    if (c->failed || len > cursor_left(c)) {
        c->failed = true;
        return NULL;
    }
    const void *bytes = c->at;
    c->at += len;
    return bytes;
}

void cursor_skip(cursor *c, size_t len)
{
    (void)cursor_bytes(c, len);
}

static uint64_t read_be(cursor *c, size_t len)
{
    const unsigned char *bytes = cursor_bytes(c, len);
    uint64_t value = 0;
    for (size_t i = 0; bytes && i < len; i++)
        value = value << 8 | bytes[i];
    return value;
}

static uint64_t read_le(cursor *c, size_t len)
{
    const unsigned char *bytes = cursor_bytes(c, len);
    uint64_t value = 0;
    for (size_t i = len; bytes && i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

uint8_t cursor_u8(cursor *c)
{
    return (uint8_t)read_be(c, 1);
}

uint16_t cursor_be16(cursor *c)
{
    return (uint16_t)read_be(c, 2);
}

uint32_t cursor_be32(cursor *c)
{
    return (uint32_t)read_be(c, 4);
}

uint64_t cursor_be64(cursor *c)
{
    return read_be(c, 8);
}

uint16_t cursor_le16(cursor *c)
{
    return (uint16_t)read_le(c, 2);
}

uint32_t cursor_le32(cursor *c)
{
    return (uint32_t)read_le(c, 4);
}

uint64_t cursor_le64(cursor *c)
{
    return read_le(c, 8);
}
