/* Column tables for Arrow: pyarrow, polars, DuckDB and others take them without a copy of ours on their side. */
#include "arrow.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum { NULLABLE = 2 };

/* ---- Releasing ----------------------------------------------------------------------------------------------- */

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        struct ArrowSchema *child = schema->children[i];
        if (child && child->release)
            child->release(child);
        free(child);
    }
    free(schema->children);
    free(schema->private_data); /* the name */
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        struct ArrowArray *child = array->children[i];
        if (child && child->release)
            child->release(child);
        free(child);
    }
    for (int64_t i = 0; array->buffers && i < array->n_buffers; i++)
        free((void *)array->buffers[i]);
    free(array->children);
    free(array->buffers);
    array->release = NULL;
}

/* ---- The schema ---------------------------------------------------------------------------------------------- */

static const char *format_of(column_kind kind)
{
    return kind == COLUMN_INT ? "l" : kind == COLUMN_REAL ? "g" : "U";
}

static bool make_schema(struct ArrowSchema *schema, const char *format, const char *name, size_t children)
{
    *schema = (struct ArrowSchema){.format = format, .flags = NULLABLE, .release = release_schema};
    schema->private_data = strdup(name);
    schema->name = schema->private_data;
    schema->children = children ? calloc(children, sizeof *schema->children) : NULL;
    return schema->name && (!children || schema->children);
}

static bool fill_schema(struct ArrowSchema *schema, const column_table *table)
{
    if (!make_schema(schema, "+s", "", table->n_columns))
        return false;
    schema->flags = 0;
    for (size_t i = 0; i < table->n_columns; i++) {
        struct ArrowSchema *child = calloc(1, sizeof *child);
        if (!child)
            return false;
        schema->children[schema->n_children++] = child;
        if (!make_schema(child, format_of(table->columns[i].kind), table->columns[i].name, 0))
            return false;
    }
    return true;
}

/* ---- The data ------------------------------------------------------------------------------------------------ */

static bool is_there(const column *c, size_t row)
{
    switch (c->kind) {
    case COLUMN_INT:
        return c->as.ints[row] != ROAST_ABSENT;
    case COLUMN_REAL:
        return !isnan(c->as.reals[row]);
    default:
        return !str_absent(c->as.texts[row]);
    }
}

/* One bit per row, set where there is a value. */
static void *validity(const column *c, size_t rows)
{
    unsigned char *bits = calloc(rows / 8 + 1, 1);
    for (size_t row = 0; bits && row < rows; row++)
        if (is_there(c, row))
            bits[row / 8] = (unsigned char)(bits[row / 8] | 1u << row % 8);
    return bits;
}

static void *copy_numbers(const column *c, size_t rows)
{
    void *copy = malloc(rows * sizeof(int64_t) + 1);
    if (copy && rows)
        memcpy(copy, c->as.rows, rows * sizeof(int64_t));
    return copy;
}

static bool copy_texts(const column *c, size_t rows, int64_t **offsets, char **data)
{
    size_t bytes = 0;
    for (size_t row = 0; row < rows; row++)
        bytes += c->as.texts[row].len;
    *offsets = malloc((rows + 1) * sizeof **offsets);
    *data = malloc(bytes + 1);
    if (!*offsets || !*data)
        return false;
    size_t at = 0;
    for (size_t row = 0; row < rows; row++) {
        (*offsets)[row] = (int64_t)at;
        if (c->as.texts[row].len)
            memcpy(*data + at, c->as.texts[row].ptr, c->as.texts[row].len);
        at += c->as.texts[row].len;
    }
    (*offsets)[rows] = (int64_t)at;
    return true;
}

static bool fill_column(struct ArrowArray *array, const column *c, size_t rows)
{
    bool is_text = c->kind == COLUMN_TEXT;
    *array = (struct ArrowArray){.length = (int64_t)rows,
                                 .null_count = (int64_t)c->absent,
                                 .n_buffers = is_text ? 3 : 2,
                                 .release = release_array};
    void **buffers = calloc(3, sizeof *buffers);
    array->buffers = (const void **)buffers;
    if (!buffers || (c->absent && !(buffers[0] = validity(c, rows))))
        return false;
    if (is_text)
        return copy_texts(c, rows, (int64_t **)&buffers[1], (char **)&buffers[2]);
    return (buffers[1] = copy_numbers(c, rows)) != NULL;
}

static bool fill_array(struct ArrowArray *array, const column_table *table)
{
    *array = (struct ArrowArray){.length = (int64_t)table->n_rows, .n_buffers = 1, .release = release_array};
    array->buffers = calloc(1, sizeof *array->buffers);
    array->children = calloc(table->n_columns + 1, sizeof *array->children);
    if (!array->buffers || !array->children)
        return false;
    for (size_t i = 0; i < table->n_columns; i++) {
        struct ArrowArray *child = calloc(1, sizeof *child);
        if (!child)
            return false;
        array->children[array->n_children++] = child;
        if (!fill_column(child, &table->columns[i], table->n_rows))
            return false;
    }
    return true;
}

/* ---- The stream: one schema, one batch ------------------------------------------------------------------------ */

typedef struct stream_state {
    struct ArrowSchema schema;
    struct ArrowArray array; /* its release is NULL once it has been given away */
} stream_state;

/* A schema may be asked for more than once, so it is copied. */
static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    const struct ArrowSchema *schema = &((stream_state *)stream->private_data)->schema;
    bool made = make_schema(out, schema->format, schema->name, (size_t)schema->n_children);
    out->flags = 0;
    for (int64_t i = 0; made && i < schema->n_children; i++) {
        struct ArrowSchema *child = calloc(1, sizeof *child);
        made = child != NULL;
        if (made) {
            out->children[out->n_children++] = child;
            made = make_schema(child, schema->children[i]->format, schema->children[i]->name, 0);
        }
    }
    if (made)
        return 0;
    release_schema(out);
    return ENOMEM;
}

static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    stream_state *state = stream->private_data;
    *out = state->array;
    state->array = (struct ArrowArray){0}; /* after the last batch: one that is released */
    return 0;
}

static const char *stream_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "out of memory";
}

static void stream_release(struct ArrowArrayStream *stream)
{
    stream_state *state = stream->private_data;
    if (state->schema.release)
        state->schema.release(&state->schema);
    if (state->array.release)
        state->array.release(&state->array);
    free(state);
    stream->release = NULL;
}

static void capsule_destroy(PyObject *capsule)
{
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream && stream->release)
        stream->release(stream);
    free(stream);
}

PyObject *arrow_stream(const column_table *table)
{
    struct ArrowArrayStream *stream = calloc(1, sizeof *stream);
    stream_state *state = calloc(1, sizeof *state);
    if (!stream || !state) {
        free(stream);
        free(state);
        return PyErr_NoMemory();
    }
    *stream = (struct ArrowArrayStream){stream_schema, stream_next, stream_error, stream_release, state};
    bool made;
    Py_BEGIN_ALLOW_THREADS
    made = fill_schema(&state->schema, table) && fill_array(&state->array, table);
    Py_END_ALLOW_THREADS
    PyObject *capsule = made ? PyCapsule_New(stream, "arrow_array_stream", capsule_destroy) : PyErr_NoMemory();
    if (!capsule) {
        stream->release(stream);
        free(stream);
    }
    return capsule;
}
