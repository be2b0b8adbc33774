/* Numbers as the tables show them, for tables of numbers that a script holds. */
#include <string.h>

#include "core.h"
#include "view/format.h"

static bool form_named(const char *name, format_form *form)
{
    static const struct {
        const char *name;
        format_form form;
    } forms[] = {{"unit", FORM_UNIT}, {"memory", FORM_MEMORY}, {"percent", FORM_PERCENT}, {"times", FORM_TIMES}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(forms[i].name, name) == 0) {
            *form = forms[i].form;
            return true;
        }
    }
    return false;
}

static bool number_from_python(PyObject *object, roast_value *value)
{
    if (PyLong_Check(object))
        *value = (roast_value){.kind = ROAST_INT, .as.integer = PyLong_AsLongLong(object)};
    else if (object != Py_None)
        *value = (roast_value){.kind = ROAST_REAL, .as.real = PyFloat_AsDouble(object)};
    return !PyErr_Occurred();
}

PyObject *core_shown(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *object;
    const char *unit, *name = "unit";
    roast_value value = {0};
    format_form form;
    if (!PyArg_ParseTuple(args, "Os|s:shown", &object, &unit, &name) || !number_from_python(object, &value))
        return NULL;
    if (!form_named(name, &form))
        return PyErr_Format(PyExc_ValueError, "shown: there is no form '%s'", name);
    buf text = {0};
    format_value(&text, value, unit, form);
    PyObject *result = text.code ? PyErr_NoMemory() : text_to_python(buf_view(&text));
    buf_release(&text);
    return result;
}
