/* UUIDs as bytes and in their usual spelling. */
#ifndef BASE_UUID_H
#define BASE_UUID_H

#include "base/arena.h"

enum { UUID_BYTES = 16, UUID_LETTERS = 36 };

/* 36 letters and a NUL; absent if bytes is NULL or memory is out. */
roast_str uuid_text(arena *memory, const void *bytes);
/* False if text is not spelled as uuid_text does it. */
bool uuid_bytes(roast_str text, unsigned char bytes[UUID_BYTES]);

#endif
