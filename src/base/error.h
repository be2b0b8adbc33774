/* One line to fail: fill a roast_error and return its code. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <roast.h>

/* Writes the message into err (which may be NULL) and returns code. A message that is too long ends in "…". */
roast_code fail(roast_error *err, roast_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
roast_code fail_memory(roast_error *err);

#endif
