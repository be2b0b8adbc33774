/* Bytes that grow, with a sticky error: write everything, check once at the end. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <roast.h>
#include <stdarg.h>

typedef roast_text buf;

void buf_bytes(buf *b, const void *bytes, size_t len);
void buf_char(buf *b, char c);
void buf_repeat(buf *b, roast_str unit, size_t times);
void buf_text(buf *b, const char *text);
void buf_str(buf *b, roast_str s); /* absent writes nothing */
void buf_format(buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_clear(buf *b); /* keeps the memory and forgets the error */
roast_str buf_view(const buf *b);
static inline void buf_release(buf *b)
{
    roast_text_release(b);
}

#endif
