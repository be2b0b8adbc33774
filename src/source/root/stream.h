/* How ROOT writes objects: strings, byte counts and versions, references to objects and classes. */
#ifndef SOURCE_ROOT_STREAM_H
#define SOURCE_ROOT_STREAM_H

#include "base/cursor.h"

/* A length in one byte, or 255 and a length in four. The result is a slice. */
roast_str root_stream_string(cursor *c);

/* In front of most objects and of most base classes: how long it is and which version of the class wrote it. */
typedef struct root_header {
    int32_t version;
    size_t end; /* 0 if its length was not written */
} root_header;

root_header root_stream_header(cursor *c);
void root_stream_tobject(cursor *c);
/* Behind an object that has a byte count, whatever is in it. Fails without one. */
void root_stream_skip_object(cursor *c);

/* Where an object that is pointed to is. */
typedef struct root_object {
    bool null;            /* or not resolvable */
    roast_str class_name; /* a slice */
    size_t begin, end;    /* its content, which begins with a header */
} root_object;

/* Reads a pointer and moves on behind it. keylen: see root_record. A reference to an object that stands elsewhere in
 * the record is followed; *followed (may be NULL) tells. */
root_object root_stream_pointer(cursor *c, size_t keylen, bool *followed);

/* A TObjArray: the number of pointers that follow, which is no more than can be there. The cursor ends with the array.
 */
size_t root_stream_array(cursor *c);

#endif
