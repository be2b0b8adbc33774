/* Bytes that grow. A declared maximum keeps a wrong length from taking the machine down. */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static const size_t LARGEST = (size_t)1 << 32;

/* Makes room for len more bytes and the terminator. */
static bool reserve(buf *b, size_t len)
{
    if (b->code)
        return false;
    if (len >= LARGEST - b->len) {
        b->code = ROAST_LIMIT;
        return false;
    }
    size_t wanted = b->len + len + 1;
    if (wanted <= b->capacity)
        return true;
    size_t capacity = b->capacity ? b->capacity * 2 : 256;
    if (capacity < wanted)
        capacity = wanted;
    char *data = realloc(b->data, capacity);
    if (!data) {
        b->code = ROAST_MEMORY;
        return false;
    }
    b->data = data;
    b->capacity = capacity;
    return true;
}

void buf_bytes(buf *b, const void *bytes, size_t len)
{
    if (!reserve(b, len))
        return;
    if (len)
        memcpy(b->data + b->len, bytes, len);
    b->len += len;
    b->data[b->len] = '\0';
}

void buf_char(buf *b, char c)
{
    buf_bytes(b, &c, 1);
}

void buf_repeat(buf *b, roast_str unit, size_t times)
{
    while (times--)
        buf_str(b, unit);
}

void buf_text(buf *b, const char *text)
{
    buf_bytes(b, text, strlen(text));
}

void buf_str(buf *b, roast_str s)
{
    if (!str_absent(s))
        buf_bytes(b, s.ptr, s.len);
}

void buf_format(buf *b, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && reserve(b, (size_t)length)) {
        vsnprintf(b->data + b->len, (size_t)length + 1, format, again);
        b->len += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

void buf_clear(buf *b)
{
    b->len = 0;
    b->code = ROAST_OK;
    if (b->data)
        b->data[0] = '\0';
}

roast_str buf_view(const buf *b)
{
    return (roast_str){b->data ? b->data : "", b->len};
}

void roast_text_release(buf *b)
{
    free(b->data);
    *b = (buf){0};
}
