/* ROOT's compressed blocks: a record is one or more of them, each at most 16 MiB and each with its own algorithm. */
#define ZLIB_CONST

#include "source/root/decompress.h"

#include <lz4.h>
#include <lzma.h>
#include <string.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "base/error.h"

/* Trees describe themselves repetitively, but no writer gets beyond this; a damaged size does. */
enum { LARGEST_RATIO = 4096 };
/* xz at level 9 needs 65 MiB to unpack. */
enum { LZMA_MEMORY = 128 << 20 };

/* ROAST_OK, ROAST_CORRUPT or ROAST_MEMORY. */
typedef roast_code unpacker(unsigned char *into, size_t into_len, const unsigned char *from, size_t len);

static roast_code corrupt_unless(bool good)
{
    return good ? ROAST_OK : ROAST_CORRUPT;
}

static roast_code inflate_with(int window_bits, unsigned char *into, size_t into_len, const unsigned char *from,
                               size_t len)
{
    z_stream z = {.next_in = from, .avail_in = (uInt)len, .next_out = into, .avail_out = (uInt)into_len};
    if (inflateInit2(&z, window_bits) != Z_OK)
        return ROAST_MEMORY;
    int result = inflate(&z, Z_FINISH);
    bool whole = result == Z_STREAM_END && z.avail_out == 0;
    inflateEnd(&z);
    return result == Z_MEM_ERROR ? ROAST_MEMORY : corrupt_unless(whole);
}

static roast_code unpack_zlib(unsigned char *into, size_t into_len, const unsigned char *from, size_t len)
{
    return inflate_with(MAX_WBITS, into, into_len, from, len);
}

static roast_code unpack_old(unsigned char *into, size_t into_len, const unsigned char *from, size_t len)
{
    return inflate_with(-MAX_WBITS, into, into_len, from, len);
}

static roast_code unpack_lzma(unsigned char *into, size_t into_len, const unsigned char *from, size_t len)
{
    uint64_t memory = LZMA_MEMORY;
    size_t in = 0, out = 0;
    lzma_ret result = lzma_stream_buffer_decode(&memory, 0, NULL, from, &in, len, into, &out, into_len);
    return result == LZMA_MEM_ERROR ? ROAST_MEMORY : corrupt_unless(result == LZMA_OK && out == into_len);
}

/* An LZ4 block begins with the xxHash of what follows, in big-endian order. */
static roast_code unpack_lz4(unsigned char *into, size_t into_len, const unsigned char *from, size_t len)
{
    cursor c = cursor_over(from, len);
    uint64_t checksum = cursor_be64(&c);
    size_t left = cursor_left(&c);
    return corrupt_unless(!c.failed && XXH64(c.at, left, 0) == checksum &&
                          LZ4_decompress_safe((const char *)c.at, (char *)into, (int)left, (int)into_len) ==
                              (int)into_len);
}

static roast_code unpack_zstd(unsigned char *into, size_t into_len, const unsigned char *from, size_t len)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();
    if (!context)
        return ROAST_MEMORY;
    size_t got = ZSTD_decompressDCtx(context, into, into_len, from, len);
    ZSTD_freeDCtx(context);
    return corrupt_unless(got == into_len);
}

static const struct {
    char mark[2];
    const char *name;
    unpacker *unpack;
} algorithms[ROOT_ALGORITHM_COUNT] = {
    [ROOT_ALGORITHM_UNKNOWN] = {"", "unknown", NULL},         [ROOT_ALGORITHM_NONE] = {"", "none", NULL},
    [ROOT_ALGORITHM_ZLIB] = {"ZL", "ZLIB", unpack_zlib},      [ROOT_ALGORITHM_LZMA] = {"XZ", "LZMA", unpack_lzma},
    [ROOT_ALGORITHM_OLD] = {"CS", "old deflate", unpack_old}, [ROOT_ALGORITHM_LZ4] = {"L4", "LZ4", unpack_lz4},
    [ROOT_ALGORITHM_ZSTD] = {"ZS", "ZSTD", unpack_zstd},
};

static size_t read_le24(cursor *c)
{
    size_t low = cursor_le16(c);
    return low | (size_t)cursor_u8(c) << 16;
}

root_block root_block_header(cursor *c)
{
    root_block block = {ROOT_ALGORITHM_UNKNOWN, 0, 0};
    const char *mark = cursor_bytes(c, 2);
    cursor_skip(c, 1);
    block.compressed = read_le24(c);
    block.uncompressed = read_le24(c);
    for (int a = ROOT_ALGORITHM_ZLIB; !c->failed && a < ROOT_ALGORITHM_COUNT; a++)
        if (memcmp(mark, algorithms[a].mark, 2) == 0)
            block.algorithm = (root_algorithm)a;
    return block;
}

bool root_blocks_plausible(const void *blocks, size_t len, size_t claimed)
{
    cursor c = cursor_over(blocks, len);
    size_t sum = 0;
    while (sum < claimed && !c.failed) {
        root_block block = root_block_header(&c);
        if (block.algorithm == ROOT_ALGORITHM_UNKNOWN || block.uncompressed == 0)
            return false;
        cursor_skip(&c, block.compressed);
        sum += block.uncompressed;
    }
    return !c.failed && sum == claimed && claimed / LARGEST_RATIO <= len;
}

roast_code root_decompress(void *into, size_t into_len, const void *blocks, size_t len, roast_error *err)
{
    cursor c = cursor_over(blocks, len);
    unsigned char *out = into;
    for (size_t done = 0; done < into_len;) {
        root_block block = root_block_header(&c);
        const unsigned char *packed = cursor_bytes(&c, block.compressed);
        if (!packed || block.algorithm == ROOT_ALGORITHM_UNKNOWN || block.uncompressed == 0 ||
            block.uncompressed > into_len - done)
            return fail(err, ROAST_CORRUPT, "a compressed block does not fit its record");
        roast_code code = algorithms[block.algorithm].unpack(out + done, block.uncompressed, packed, block.compressed);
        if (code == ROAST_MEMORY)
            return fail_memory(err);
        if (code)
            return fail(err, code, "a %s block is damaged", algorithms[block.algorithm].name);
        done += block.uncompressed;
    }
    return ROAST_OK;
}

root_compression root_compression_from_setting(int32_t setting)
{
    /* 0 stands for ROOT's default of the time, which was zlib as long as files left it open. */
    static const root_algorithm by_code[] = {ROOT_ALGORITHM_ZLIB, ROOT_ALGORITHM_ZLIB, ROOT_ALGORITHM_LZMA,
                                             ROOT_ALGORITHM_OLD,  ROOT_ALGORITHM_LZ4,  ROOT_ALGORITHM_ZSTD};
    if (setting < 0 || setting / 100 >= (int)(sizeof by_code / sizeof *by_code))
        return (root_compression){ROOT_ALGORITHM_UNKNOWN, -1};
    if (setting % 100 == 0)
        return (root_compression){ROOT_ALGORITHM_NONE, 0};
    return (root_compression){by_code[setting / 100], setting % 100};
}

const char *root_algorithm_name(root_algorithm algorithm)
{
    return (unsigned)algorithm < ROOT_ALGORITHM_COUNT ? algorithms[algorithm].name : "unknown";
}
