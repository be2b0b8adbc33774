/* What -o names: a file that appears when it is complete, or "-" for stdout. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdio.h>

#include "base/buf.h"

typedef struct output {
    FILE *to;
    buf target, temporary; /* empty if it is written in place */
} output;

/* path NULL or "-" is stdout. An existing file stays as it is until output_finish. */
roast_code output_open(output *out, const char *path, roast_error *err);
roast_code output_write(output *out, roast_str bytes, roast_error *err);
/* Puts the file in its place, or removes it if code says that something went wrong before. Returns the first code. */
roast_code output_finish(output *out, roast_code code, roast_error *err);

/* All of a buffer, which is then empty; a buffer in which something went wrong is not written. */
roast_code output_buffer(const char *path, buf *text, roast_error *err);
/* The same of a text that was made with a code. */
roast_code output_text(const char *path, roast_code code, buf *text, roast_error *err);
/* What is read must not be written over: from now on this file cannot be opened for output, by any of its names. Of a
 * measurement directory, that holds for what belongs to the measurement. */
void output_protect(const char *path);

#endif
