/* Columns of numbers in a page, small: many values of one kind, as text that a browser turns into an array.
 *
 * A column is an element <script data-set data-column data-width data-deltas> that holds letters. Each value is made a
 * non-negative number of width bytes; the first bytes of all values come first, then the second bytes, and so on (bytes
 * of one rank are alike, which is what makes them compress); that is compressed as zlib does, and written in base64. */
#ifndef VIEW_PAGE_COLUMNS_H
#define VIEW_PAGE_COLUMNS_H

#include "base/buf.h"

typedef enum column_coding {
    COLUMN_PLAIN, /* value + 1, and 0 for ROAST_ABSENT; a negative value is absent */
    COLUMN_DELTAS /* differences to the value before (the first to 0), zigzag: 0, -1, 1, -2, … */
} column_coding;

/* value_at gives the value of a row. A failure is remembered in out->code. */
typedef int64_t (*column_value_at)(const void *context, size_t row);
void page_column_put(buf *out, const char *set, const char *name, column_coding coding, size_t rows,
                     column_value_at value_at, const void *context);

/* Text compressed by zlib, in base64; and an element of the page with it, "kind-id", which takes the text's failure
 * over.
 */
void page_text_put(buf *out, roast_str text);
void page_element_put(buf *out, const char *kind, const char *id, const buf *text);

#endif
