/* The Arrow C data interface: structures whose layout the Arrow specification fixes. */
#ifndef EXT_ARROW_H
#define EXT_ARROW_H

#include "core.h"
#include "view/columns.h"

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* A capsule with a stream of one batch. Everything is copied, so that whoever takes it may use and release it on any
 * thread, without the interpreter. */
PyObject *arrow_stream(const column_table *table);

#endif
