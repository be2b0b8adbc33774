/* A bounds-checked reader of bytes from outside, with a sticky error: read straight through, check once. */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <roast.h>

typedef struct cursor {
    const unsigned char *start, *at, *end;
    bool failed; /* something was read past the end; every read after that gives 0 */
} cursor;

cursor cursor_over(const void *bytes, size_t len);
size_t cursor_left(const cursor *c);
size_t cursor_position(const cursor *c);
void cursor_seek(cursor *c, size_t position);
void cursor_skip(cursor *c, size_t len);
const void *cursor_bytes(cursor *c, size_t len); /* NULL if fewer are left */

uint8_t cursor_u8(cursor *c);
uint16_t cursor_be16(cursor *c);
uint32_t cursor_be32(cursor *c);
uint64_t cursor_be64(cursor *c);
uint16_t cursor_le16(cursor *c);
uint32_t cursor_le32(cursor *c);
uint64_t cursor_le64(cursor *c);

#endif
