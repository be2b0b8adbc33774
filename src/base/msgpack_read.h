/* Reading msgpack from outside, value by value, through the bounds-checked cursor. */
#ifndef BASE_MSGPACK_READ_H
#define BASE_MSGPACK_READ_H

#include "base/cursor.h"

typedef enum mp_kind { MP_NIL, MP_BOOL, MP_INT, MP_UINT, MP_REAL, MP_TEXT, MP_BYTES, MP_ARRAY, MP_MAP } mp_kind;

typedef struct mp_value {
    mp_kind kind; /* MP_UINT only for what does not fit into MP_INT; an extension reads as MP_BYTES */
    union {
        bool boolean;
        int64_t integer;
        uint64_t natural;
        double real;
        roast_str text; /* or bytes; borrowed from what is read */
        size_t count;   /* elements of an array, pairs of a map: that many values (or twice as many) follow */
    } as;
} mp_value;

/* The next value; of an array or map only its head. Bytes that are no msgpack, or announce more than there is, fail
 * the cursor and read as MP_NIL. */
mp_value mp_read(cursor *c);
/* The next value with everything in it; deeper than depth fails the cursor. */
void mp_skip(cursor *c, int depth);
/* The same, as the bytes it takes. */
roast_str mp_raw(cursor *c, int depth);

/* The next value if it is of this kind; anything else fails the cursor. */
size_t mp_array(cursor *c);
size_t mp_map(cursor *c);
int64_t mp_int(cursor *c);
roast_str mp_text(cursor *c);

#endif
