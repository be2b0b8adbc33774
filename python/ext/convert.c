/* Between Python's values and ours. */
#include <math.h>
#include <msgpack.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/msgpack_read.h"
#include "base/str.h"
#include "core.h"
#include "model/packed.h"

/* ---- To Python ----------------------------------------------------------------------------------------------- */

PyObject *text_to_python(roast_str text)
{
    if (str_absent(text))
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text.ptr, (Py_ssize_t)text.len, "replace");
}

PyObject *int_to_python(int64_t value)
{
    if (value == ROAST_ABSENT)
        Py_RETURN_NONE;
    return PyLong_FromLongLong(value);
}

PyObject *scaled_to_python(int64_t value, double unit)
{
    if (value == ROAST_ABSENT)
        Py_RETURN_NONE;
    return PyFloat_FromDouble((double)value / unit);
}

PyObject *value_to_python(roast_value value)
{
    switch (value.kind) {
    case ROAST_INT:
        return int_to_python(value.as.integer);
    case ROAST_REAL:
        return PyFloat_FromDouble(value.as.real);
    case ROAST_TEXT:
        return text_to_python(value.as.text);
    case ROAST_NOTHING:
        break;
    }
    Py_RETURN_NONE;
}

int put(PyObject *dict, const char *key, PyObject *value)
{
    if (!value)
        return -1;
    int code = PyDict_SetItemString(dict, key, value);
    Py_DECREF(value);
    return code;
}

/* ---- From Python --------------------------------------------------------------------------------------------- */

int text_from_python(PyObject *object, roast_str *text, PyObject **keep)
{
    *text = str_none();
    *keep = NULL;
    if (object == Py_None)
        return 0;
    PyObject *string = PyUnicode_Check(object) ? Py_NewRef(object) : PyObject_Str(object);
    if (!string)
        return -1;
    Py_ssize_t length;
    const char *utf8 = PyUnicode_AsUTF8AndSize(string, &length);
    if (!utf8) { /* lone surrogates, from file names that are not UTF-8 */
        PyErr_Clear();
        PyObject *bytes = PyUnicode_AsEncodedString(string, "utf-8", "backslashreplace");
        Py_DECREF(string);
        char *data;
        if (!bytes || PyBytes_AsStringAndSize(bytes, &data, &length)) {
            Py_XDECREF(bytes);
            return -1;
        }
        string = bytes;
        utf8 = data;
    }
    *text = (roast_str){utf8, (size_t)length};
    *keep = string;
    return 0;
}

int int_from_python(PyObject *object, int64_t *value)
{
    *value = ROAST_ABSENT;
    if (object == Py_None)
        return 0;
    if (PyFloat_Check(object)) {
        double real = PyFloat_AsDouble(object);
        if (isfinite(real) && fabs(real) < 9.2e18)
            *value = (int64_t)llround(real);
        return 0;
    }
    PyObject *index = PyLong_Check(object) ? Py_NewRef(object) : PyNumber_Index(object);
    if (!index)
        return -1;
    long long number = PyLong_AsLongLong(index);
    Py_DECREF(index);
    if (number == -1 && PyErr_Occurred())
        return -1;
    *value = number;
    return 0;
}

int real_from_python(PyObject *object, double *value)
{
    *value = (double)NAN;
    if (object == Py_None)
        return 0;
    *value = PyFloat_AsDouble(object);
    return *value == -1 && PyErr_Occurred() ? -1 : 0;
}

/* ---- Fields of records --------------------------------------------------------------------------------------- */

/* Hashes are no fields for a dict. */
const record_field *field_named(record_id record, PyObject *name)
{
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    if (!text)
        PyErr_Clear();
    const record_field *field = text ? record_find(&record_specs[record], str_from(text)) : NULL;
    return field && field->kind != KIND_HASH && field->kind != KIND_BRANCHES ? field : NULL;
}

static int fill_scaled(int64_t *target, PyObject *value, double unit)
{
    double real;
    if (real_from_python(value, &real))
        return -1;
    double scaled = real * unit;
    *target = isfinite(scaled) && fabs(scaled) < 9.2e18 ? (int64_t)llround(scaled) : ROAST_ABSENT;
    return 0;
}

int field_fill(const record_field *field, bool shown, void *record, PyObject *value, PyObject *keep)
{
    void *at = field_at(field, record);
    PyObject *text = NULL;
    int code = 0;
    if (field->kind == KIND_REAL || field->kind == KIND_RATE)
        return real_from_python(value, at);
    if (field->kind == KIND_FLAG) {
        code = PyObject_IsTrue(value);
        *(bool *)at = code > 0;
        return code < 0 ? -1 : 0;
    }
    if (field_is_text(field)) {
        code = text_from_python(value, at, &text);
        if (!code && text)
            code = PyList_Append(keep, text);
        Py_XDECREF(text);
        return code;
    }
    if (shown && kind_is_time(field->kind))
        return fill_scaled(at, value, 1e9);
    return shown && field->kind == KIND_MEMORY ? fill_scaled(at, value, 1048576.0) : int_from_python(value, at);
}

int record_fill(record_id id, void *record, PyObject *dict, PyObject *keep)
{
    const char *what = record_specs[id].name;
    if (!PyDict_Check(dict)) {
        PyErr_Format(PyExc_TypeError, "%s: a dict is needed", what);
        return -1;
    }
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &key, &value)) {
        const record_field *field = field_named(id, key);
        if (!field) {
            PyErr_Format(PyExc_TypeError, "%s: there is no field %R", what, key);
            return -1;
        }
        Py_INCREF(value);
        int code = field_fill(field, false, record, value, keep);
        Py_DECREF(value);
        if (code)
            return -1;
    }
    return 0;
}

/* ---- Any value as msgpack ------------------------------------------------------------------------------------ */

static int write_to_buf(void *out, const char *bytes, size_t len)
{
    buf_bytes(out, bytes, len);
    return 0;
}

static int pack_any(msgpack_packer *p, PyObject *value, int depth);

static int pack_as_text(msgpack_packer *p, PyObject *value)
{
    roast_str text;
    PyObject *keep;
    if (text_from_python(value, &text, &keep))
        return -1;
    if (str_absent(text)) /* None as a key */
        text = STR("None");
    msgpack_pack_str(p, text.len);
    msgpack_pack_str_body(p, text.ptr, text.len);
    Py_XDECREF(keep);
    return 0;
}

static int pack_integer(msgpack_packer *p, PyObject *value)
{
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (!overflow) {
        if (number == -1 && PyErr_Occurred())
            return -1;
        msgpack_pack_int64(p, number);
        return 0;
    }
    unsigned long long natural = overflow > 0 ? PyLong_AsUnsignedLongLong(value) : (unsigned long long)-1;
    if (overflow > 0 && !PyErr_Occurred()) {
        msgpack_pack_uint64(p, natural);
        return 0;
    }
    PyErr_Clear();
    return pack_as_text(p, value); /* too large for msgpack */
}

static int pack_dict(msgpack_packer *p, PyObject *dict, int depth)
{
    PyObject *items = PyDict_Items(dict); /* a copy: turning a value into text may run anything */
    if (!items)
        return -1;
    Py_ssize_t length = PyList_Size(items);
    msgpack_pack_map(p, (size_t)length);
    int code = 0;
    for (Py_ssize_t i = 0; !code && i < length; i++) {
        PyObject *item = PyList_GetItem(items, i);
        code = pack_as_text(p, PyTuple_GetItem(item, 0));
        if (!code)
            code = pack_any(p, PyTuple_GetItem(item, 1), depth - 1);
    }
    Py_DECREF(items);
    return code;
}

static int pack_sequence(msgpack_packer *p, PyObject *sequence, int depth)
{
    PyObject *list = PySequence_List(sequence);
    if (!list)
        return -1;
    Py_ssize_t length = PyList_Size(list);
    msgpack_pack_array(p, (size_t)length);
    int code = 0;
    for (Py_ssize_t i = 0; !code && i < length; i++)
        code = pack_any(p, PyList_GetItem(list, i), depth - 1);
    Py_DECREF(list);
    return code;
}

/* NumPy's scalars and arrays, and whatever else can turn itself into plain values. *found tells. */
static int pack_converted(msgpack_packer *p, PyObject *value, int depth, bool *found)
{
    static const char *const methods[] = {"item", "tolist"};
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        PyObject *plain = PyObject_CallMethod(value, methods[i], NULL);
        if (!plain) {
            PyErr_Clear();
            continue;
        }
        *found = Py_TYPE(plain) != Py_TYPE(value);
        int code = *found ? pack_any(p, plain, depth - 1) : 0;
        Py_DECREF(plain);
        if (*found)
            return code;
    }
    return 0;
}

static int pack_bytes(msgpack_packer *p, PyObject *value)
{
    char *data;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(value, &data, &length))
        return -1;
    msgpack_pack_bin(p, (size_t)length);
    msgpack_pack_bin_body(p, data, (size_t)length);
    return 0;
}

static int pack_any(msgpack_packer *p, PyObject *value, int depth)
{
    if (depth <= 0)
        return pack_as_text(p, value);
    if (value == Py_None) {
        msgpack_pack_nil(p);
        return 0;
    }
    if (PyBool_Check(value)) {
        if (value == Py_True)
            msgpack_pack_true(p);
        else
            msgpack_pack_false(p);
        return 0;
    }
    if (PyLong_Check(value))
        return pack_integer(p, value);
    if (PyFloat_Check(value)) {
        msgpack_pack_double(p, PyFloat_AsDouble(value));
        return 0;
    }
    if (PyUnicode_Check(value))
        return pack_as_text(p, value);
    if (PyBytes_Check(value))
        return pack_bytes(p, value);
    if (PyDict_Check(value))
        return pack_dict(p, value, depth);
    if (PyList_Check(value) || PyTuple_Check(value) || PyAnySet_Check(value))
        return pack_sequence(p, value, depth);
    bool found = false;
    int code = pack_converted(p, value, depth, &found);
    return found || code ? code : pack_as_text(p, value);
}

int value_pack(buf *out, PyObject *value)
{
    msgpack_packer packer;
    msgpack_packer_init(&packer, out, write_to_buf);
    if (pack_any(&packer, value, PACKED_DEPTH / 2))
        return -1;
    if (out->code)
        PyErr_NoMemory();
    return out->code ? -1 : 0;
}

static PyObject *unpack_any(cursor *c, int depth);

static PyObject *unpack_array(cursor *c, size_t count, int depth)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *item = unpack_any(c, depth - 1);
        if (!item || PyList_Append(list, item))
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *unpack_map(cursor *c, size_t count, int depth)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < count; i++) {
        PyObject *key = unpack_any(c, 0), *value = key ? unpack_any(c, depth - 1) : NULL;
        if (!value || PyDict_SetItem(dict, key, value))
            Py_CLEAR(dict);
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *unpack_any(cursor *c, int depth)
{
    mp_value value = mp_read(c);
    if (c->failed || (depth <= 0 && (value.kind == MP_ARRAY || value.kind == MP_MAP))) {
        c->failed = true;
        Py_RETURN_NONE;
    }
    switch (value.kind) {
    case MP_BOOL:
        return PyBool_FromLong(value.as.boolean);
    case MP_INT:
        return PyLong_FromLongLong(value.as.integer);
    case MP_UINT:
        return PyLong_FromUnsignedLongLong(value.as.natural);
    case MP_REAL:
        return PyFloat_FromDouble(value.as.real);
    case MP_TEXT:
        return text_to_python(value.as.text);
    case MP_BYTES:
        return PyBytes_FromStringAndSize(value.as.text.ptr, (Py_ssize_t)value.as.text.len);
    case MP_ARRAY:
        return unpack_array(c, value.as.count, depth);
    case MP_MAP:
        return unpack_map(c, value.as.count, depth);
    case MP_NIL:
        break;
    }
    Py_RETURN_NONE;
}

PyObject *value_unpack(roast_str msgpack)
{
    cursor c = cursor_over(msgpack.ptr, msgpack.len);
    return unpack_any(&c, PACKED_DEPTH);
}

PyObject *core_pack(PyObject *module, PyObject *value)
{
    (void)module;
    buf packed = {0};
    PyObject *bytes =
        value_pack(&packed, value) ? NULL : PyBytes_FromStringAndSize(packed.data, (Py_ssize_t)packed.len);
    buf_release(&packed);
    return bytes;
}

PyObject *core_unpack(PyObject *module, PyObject *bytes)
{
    (void)module;
    char *data;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(bytes, &data, &length))
        return NULL;
    cursor c = cursor_over(data, (size_t)length);
    PyObject *value = unpack_any(&c, PACKED_DEPTH);
    if (value && (c.failed || cursor_left(&c))) {
        Py_CLEAR(value);
        PyErr_Format(PyExc_ValueError, "%zd bytes are not one msgpack value", length);
    }
    return value;
}
