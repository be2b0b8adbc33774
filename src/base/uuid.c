/* UUIDs: five groups of hexadecimal digits, as everybody writes them. */
#include "base/uuid.h"

#include <string.h>

#include "base/str.h"

static const char digits[] = "0123456789abcdef";

roast_str uuid_text(arena *memory, const void *bytes)
{
    const unsigned char *from = bytes;
    char *text = bytes ? arena_alloc(memory, UUID_LETTERS + 1, 1) : NULL;
    if (!text)
        return str_none();
    char *at = text;
    for (size_t i = 0; i < UUID_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *at++ = '-';
        *at++ = digits[from[i] >> 4];
        *at++ = digits[from[i] & 15];
    }
    return (roast_str){text, UUID_LETTERS};
}

bool uuid_bytes(roast_str text, unsigned char bytes[UUID_BYTES])
{
    size_t filled = 0;
    if (text.len != UUID_LETTERS)
        return false;
    for (size_t i = 0; i < UUID_LETTERS; i++) {
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            if (text.ptr[i] != '-')
                return false;
            continue;
        }
        const char *digit = text.ptr[i] ? strchr(digits, text.ptr[i]) : NULL;
        if (!digit)
            return false;
        unsigned value = (unsigned)(digit - digits);
        bytes[filled / 2] = (unsigned char)(filled % 2 ? bytes[filled / 2] | value : value << 4);
        filled++;
    }
    return true;
}
