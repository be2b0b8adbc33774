/* Columns of numbers in a page. A browser undoes this with DecompressionStream("deflate") and a loop over bytes. */
#include "view/page_columns.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/base64.h"

enum { LEVEL = 7 }; /* beyond it costs seconds and gains nothing on such data */

static void fail_in(buf *out, roast_code code)
{
    if (!out->code)
        out->code = code;
}

static void put_packed(buf *out, const void *bytes, size_t len)
{
    uLongf size = compressBound((uLong)len);
    unsigned char *packed = malloc(size);
    if (packed && compress2(packed, &size, bytes, (uLong)len, LEVEL) == Z_OK)
        base64_put(out, packed, size);
    else
        fail_in(out, ROAST_MEMORY);
    free(packed);
}

static uint64_t plain(int64_t value)
{
    return value < 0 ? 0 : (uint64_t)value + 1; /* ROAST_ABSENT is negative */
}

static uint64_t zigzag(int64_t difference)
{
    return (uint64_t)difference << 1 ^ (uint64_t)(difference >> 63);
}

static uint64_t *coded(column_coding coding, size_t rows, column_value_at value_at, const void *context,
                       uint64_t *largest)
{
    uint64_t *codes = calloc(rows ? rows : 1, sizeof *codes);
    int64_t before = 0;
    for (size_t i = 0; codes && i < rows; i++) {
        int64_t value = value_at(context, i);
        codes[i] = coding == COLUMN_PLAIN ? plain(value) : zigzag((int64_t)((uint64_t)value - (uint64_t)before));
        before = value;
        *largest = codes[i] > *largest ? codes[i] : *largest;
    }
    return codes;
}

void page_column_put(buf *out, const char *set, const char *name, column_coding coding, size_t rows,
                     column_value_at value_at, const void *context)
{
    uint64_t largest = 0;
    uint64_t *codes = coded(coding, rows, value_at, context, &largest);
    size_t width = 0;
    while (width < 8 && largest >> (8 * width))
        width++;
    unsigned char *planes = malloc(rows * width + 1);
    if (codes && planes) {
        for (size_t rank = 0; rank < width; rank++)
            for (size_t i = 0; i < rows; i++)
                planes[rank * rows + i] = (unsigned char)(codes[i] >> (8 * rank));
        buf_format(
            out,
            "<script type=\"text/plain\" data-set=\"%s\" data-column=\"%s\" data-width=\"%zu\" data-deltas=\"%d\">",
            set, name, width, coding == COLUMN_DELTAS);
        put_packed(out, planes, rows * width);
        buf_text(out, "</script>\n");
    } else {
        fail_in(out, ROAST_MEMORY);
    }
    free(planes);
    free(codes);
}

void page_text_put(buf *out, roast_str text)
{
    put_packed(out, text.len ? text.ptr : "", text.len);
}

void page_element_put(buf *out, const char *kind, const char *id, const buf *text)
{
    buf_format(out, "<script type=\"text/plain\" id=\"%s-%s\">", kind, id);
    page_text_put(out, buf_view(text));
    buf_text(out, "</script>\n");
    if (text->code)
        fail_in(out, text->code);
}
