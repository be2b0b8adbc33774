/* ROOT's compressed blocks. */
#ifndef SOURCE_ROOT_DECOMPRESS_H
#define SOURCE_ROOT_DECOMPRESS_H

#include "base/cursor.h"
#include "source/root/root.h"

/* The 9 bytes in front of each block:
 *
 *     'Z' 'S'   method   compressed (3 bytes, little-endian)   uncompressed (3 bytes)                              */
enum { ROOT_BLOCK_HEADER = 9 };

typedef struct root_block {
    root_algorithm algorithm; /* ROOT_ALGORITHM_UNKNOWN: this is not a block */
    size_t compressed, uncompressed;
} root_block;

root_block root_block_header(cursor *c);

/* False if len bytes of blocks cannot honestly become claimed bytes: asked before memory is set aside for them. */
bool root_blocks_plausible(const void *blocks, size_t len, size_t claimed);

/* Unpacks blocks that follow each other until exactly into_len bytes are there. Checksums are verified. */
roast_code root_decompress(void *into, size_t into_len, const void *blocks, size_t len, roast_error *err);

#endif
