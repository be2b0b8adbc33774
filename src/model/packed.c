/* The lists of packed.h as tables. */
#include "model/packed.h"

#include <stddef.h>

#define TABLE(fields)                                                                                                  \
    {                                                                                                                  \
        fields, sizeof(fields) / sizeof *(fields)                                                                      \
    }

static const packed_int chunk_fields[] = {
#define X(key, field, base) {key, offsetof(roast_chunk, field), offsetof(roast_chunk, base)},
    PACKED_CHUNK_INTS(X)
#undef X
};
const packed_ints packed_chunk_ints = TABLE(chunk_fields);

static const packed_int section_fields[] = {
#define X(key, field, base) {key, offsetof(roast_section, field), offsetof(roast_section, base)},
    PACKED_SECTION_INTS(X)
#undef X
};
const packed_ints packed_section_ints = TABLE(section_fields);

static const packed_int file_fields[] = {
#define X(key, field, base) {key, offsetof(roast_file, field), offsetof(roast_file, base)},
    PACKED_FILE_INTS(X)
#undef X
};
const packed_ints packed_file_ints = TABLE(file_fields);
