/* The one place that turns an error of the library into an exception. */
#include "core.h"

static PyObject *exception_for(core_state *state, roast_code code)
{
    switch (code) {
    case ROAST_IO:
        return PyExc_OSError;
    case ROAST_USAGE:
        return PyExc_ValueError;
    case ROAST_MISSING:
        return PyExc_FileNotFoundError;
    case ROAST_MEMORY:
        return PyExc_MemoryError;
    default:
        return state->error;
    }
}

PyObject *core_raise(core_state *state, const roast_error *err)
{
    PyErr_SetString(exception_for(state, err->code), err->message[0] ? err->message : roast_code_text(err->code));
    return NULL;
}

PyObject *core_text(core_state *state, roast_code code, buf *text, const roast_error *err)
{
    PyObject *made = code ? core_raise(state, err) : text->code ? PyErr_NoMemory() : text_to_python(buf_view(text));
    buf_release(text);
    return made;
}
