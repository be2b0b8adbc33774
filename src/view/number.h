/* Numbers for programs. */
#ifndef VIEW_NUMBER_H
#define VIEW_NUMBER_H

#include "base/buf.h"

/* The shortest decimal that reads back as the same double, in any locale. It must be finite. */
void number_put(buf *out, double value);

#endif
