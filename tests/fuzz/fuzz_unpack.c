/* Fuzzing packed records, as a worker could send them: each input is one. What is accepted is packed again and must
 * come out the same. */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "fuzz.h"
#include "probe/pack.h"
#include "record/unpack.h"

static void pack_again(const roast_chunk *chunk)
{
    buf packed = {0};
    arena memory = {0};
    unpacked again;
    roast_error err = {0};
    roast_pack_chunk(&packed, chunk);
    roast_code code = packed.code ? packed.code : unpack_record(&again, &memory, buf_view(&packed), &err);
    assert(!code || code == ROAST_MEMORY);
    assert(code || again.chunk.duration_ns == chunk->duration_ns);
    assert(code || again.chunk.n_sections == chunk->n_sections);
    arena_release(&memory);
    buf_release(&packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arena memory = {0};
    unpacked record;
    roast_error err = {0};
    roast_code code = unpack_record(&record, &memory, (roast_str){(const char *)data, size}, &err);
    assert(!code == !err.message[0] && !strchr(err.message, '\n'));
    if (!code && record.kind == PACKED_CHUNK)
        pack_again(&record.chunk);
    arena_release(&memory);
    return 0;
}
