/* Reading msgpack. A count is believed only if that many bytes are left, since each value takes at least one: so
 * nobody allocates for what a few hostile bytes promise. */
#include "base/msgpack_read.h"

#include <string.h>

#include "base/str.h"

static mp_value nothing(void)
{
    return (mp_value){.kind = MP_NIL};
}

static mp_value refuse(cursor *c)
{
    c->failed = true;
    return nothing();
}

static mp_value integer(int64_t value)
{
    return (mp_value){.kind = MP_INT, .as.integer = value};
}

static mp_value natural(uint64_t value)
{
    if (value <= INT64_MAX)
        return integer((int64_t)value);
    return (mp_value){.kind = MP_UINT, .as.natural = value};
}

static mp_value text(cursor *c, mp_kind kind, size_t len)
{
    const char *bytes = cursor_bytes(c, len);
    if (!bytes)
        return nothing();
    return (mp_value){.kind = kind, .as.text = {bytes, len}};
}

static mp_value container(cursor *c, mp_kind kind, size_t count)
{
    if (c->failed || count > cursor_left(c) / (kind == MP_MAP ? 2 : 1))
        return refuse(c);
    return (mp_value){.kind = kind, .as.count = count};
}

/* An extension is a type and bytes; we know no types. */
static mp_value extension(cursor *c, size_t len)
{
    cursor_u8(c);
    return text(c, MP_BYTES, len);
}

static mp_value real32(cursor *c)
{
    uint32_t bits = cursor_be32(c);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (mp_value){.kind = MP_REAL, .as.real = (double)value};
}

static mp_value real64(cursor *c)
{
    uint64_t bits = cursor_be64(c);
    double value;
    memcpy(&value, &bits, sizeof value);
    return (mp_value){.kind = MP_REAL, .as.real = value};
}

static mp_value read_tagged(cursor *c, uint8_t tag)
{
    switch (tag) {
    case 0xC0:
        return nothing();
    case 0xC2:
    case 0xC3:
        return (mp_value){.kind = MP_BOOL, .as.boolean = tag == 0xC3};
    case 0xC4:
        return text(c, MP_BYTES, cursor_u8(c));
    case 0xC5:
        return text(c, MP_BYTES, cursor_be16(c));
    case 0xC6:
        return text(c, MP_BYTES, cursor_be32(c));
    case 0xC7:
        return extension(c, cursor_u8(c));
    case 0xC8:
        return extension(c, cursor_be16(c));
    case 0xC9:
        return extension(c, cursor_be32(c));
    case 0xCA:
        return real32(c);
    case 0xCB:
        return real64(c);
    case 0xCC:
        return integer(cursor_u8(c));
    case 0xCD:
        return integer(cursor_be16(c));
    case 0xCE:
        return integer(cursor_be32(c));
    case 0xCF:
        return natural(cursor_be64(c));
    case 0xD0:
        return integer((int8_t)cursor_u8(c));
    case 0xD1:
        return integer((int16_t)cursor_be16(c));
    case 0xD2:
        return integer((int32_t)cursor_be32(c));
    case 0xD3:
        return integer((int64_t)cursor_be64(c));
    case 0xD4:
    case 0xD5:
    case 0xD6:
    case 0xD7:
    case 0xD8:
        return extension(c, (size_t)1 << (tag - 0xD4));
    case 0xD9:
        return text(c, MP_TEXT, cursor_u8(c));
    case 0xDA:
        return text(c, MP_TEXT, cursor_be16(c));
    case 0xDB:
        return text(c, MP_TEXT, cursor_be32(c));
    case 0xDC:
        return container(c, MP_ARRAY, cursor_be16(c));
    case 0xDD:
        return container(c, MP_ARRAY, cursor_be32(c));
    case 0xDE:
        return container(c, MP_MAP, cursor_be16(c));
    case 0xDF:
        return container(c, MP_MAP, cursor_be32(c));
    default:
        return refuse(c);
    }
}

mp_value mp_read(cursor *c)
{
    uint8_t tag = cursor_u8(c);
    if (c->failed)
        return nothing();
    if (tag < 0x80)
        return integer(tag);
    if (tag < 0x90)
        return container(c, MP_MAP, tag & 0x0F);
    if (tag < 0xA0)
        return container(c, MP_ARRAY, tag & 0x0F);
    if (tag < 0xC0)
        return text(c, MP_TEXT, tag & 0x1F);
    if (tag >= 0xE0)
        return integer((int8_t)tag);
    return read_tagged(c, tag);
}

void mp_skip(cursor *c, int depth)
{
    if (depth <= 0) {
        c->failed = true;
        return;
    }
    mp_value value = mp_read(c);
    size_t values = value.kind == MP_ARRAY ? value.as.count : value.kind == MP_MAP ? value.as.count * 2 : 0;
    for (size_t i = 0; i < values && !c->failed; i++)
        mp_skip(c, depth - 1);
}

roast_str mp_raw(cursor *c, int depth)
{
    const char *start = (const char *)c->at;
    mp_skip(c, depth);
    return c->failed ? str_none() : (roast_str){start, (size_t)((const char *)c->at - start)};
}

static mp_value expect(cursor *c, mp_kind kind)
{
    mp_value value = mp_read(c);
    if (value.kind == kind)
        return value;
    c->failed = true;
    return (mp_value){.kind = kind};
}

size_t mp_array(cursor *c)
{
    return expect(c, MP_ARRAY).as.count;
}

size_t mp_map(cursor *c)
{
    return expect(c, MP_MAP).as.count;
}

int64_t mp_int(cursor *c)
{
    return expect(c, MP_INT).as.integer;
}

roast_str mp_text(cursor *c)
{
    return expect(c, MP_TEXT).as.text;
}
