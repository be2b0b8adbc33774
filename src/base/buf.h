/* Bytes that grow, with a sticky error: write everything, check once at the end. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <roast.h>
#include <stdarg.h>

/* Zero-initialised is empty and ready. data is always NUL-terminated once anything was written. */
typedef struct buf {
    char *data;
    size_t len, capacity;
    roast_code code; /* the first thing that went wrong */
} buf;

void buf_bytes(buf *b, const void *bytes, size_t len);
void buf_char(buf *b, char c);
void buf_repeat(buf *b, roast_str unit, size_t times);
void buf_text(buf *b, const char *text);
void buf_str(buf *b, roast_str s); /* absent writes nothing */
void buf_format(buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_clear(buf *b); /* keeps the memory and forgets the error */
roast_str buf_view(const buf *b);
void buf_release(buf *b);

#endif
