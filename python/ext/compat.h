/* Functions for scripts of roastcoffea 0.1, on dicts. */
#ifndef EXT_COMPAT_H
#define EXT_COMPAT_H

#include "core.h"

int compat_add(PyObject *module);

#endif
