/* Base64: three bytes become four letters. Written in pieces of a few kilobytes, because a buffer that grows letter by
 * letter spends its time checking. */
#include "base/base64.h"

static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum { PIECE = 3 * 1024 };

/* At most PIECE bytes; returns the number of letters. */
static size_t encode(char *letters, const unsigned char *bytes, size_t len)
{
    size_t count = 0;
    for (size_t i = 0; i < len; i += 3) {
        uint32_t second = i + 1 < len ? bytes[i + 1] : 0, third = i + 2 < len ? bytes[i + 2] : 0;
        uint32_t bits = (uint32_t)bytes[i] << 16 | second << 8 | third;
        letters[count++] = LETTERS[bits >> 18];
        letters[count++] = LETTERS[bits >> 12 & 63];
        letters[count++] = i + 1 < len ? LETTERS[bits >> 6 & 63] : '=';
        letters[count++] = i + 2 < len ? LETTERS[bits & 63] : '=';
    }
    return count;
}

void base64_put(buf *out, const void *bytes, size_t len)
{
    char letters[PIECE / 3 * 4];
    const unsigned char *at = bytes;
    while (len) {
        size_t piece = len < PIECE ? len : PIECE;
        buf_bytes(out, letters, encode(letters, at, piece));
        at += piece;
        len -= piece;
    }
}
