/* The averages of the analysis, for numbers that a script holds: whoever asks in Python gets the same formulas. */
#include "analysis/statistics.h"
#include "core.h"

PyObject *core_moments(PyObject *module, PyObject *values)
{
    (void)module;
    PyObject *iterator = PyObject_GetIter(values), *item;
    moments m = {0};
    while (iterator && (item = PyIter_Next(iterator))) {
        double value = PyFloat_AsDouble(item);
        Py_DECREF(item);
        if (PyErr_Occurred())
            break;
        moments_add(&m, value);
    }
    Py_XDECREF(iterator);
    return PyErr_Occurred() ? NULL : Py_BuildValue("(dd)", moments_mean(&m), moments_deviation(&m));
}

PyObject *core_time_average(PyObject *module, PyObject *points)
{
    (void)module;
    PyObject *iterator = PyObject_GetIter(points), *item;
    timeline line = {0};
    while (iterator && (item = PyIter_Next(iterator))) {
        long long t_ns;
        double value;
        int parsed = PyArg_ParseTuple(item, "Ld;a point is a time in nanoseconds and a value", &t_ns, &value);
        Py_DECREF(item);
        if (!parsed)
            break;
        timeline_add(&line, t_ns, value);
    }
    Py_XDECREF(iterator);
    return PyErr_Occurred() ? NULL : PyFloat_FromDouble(timeline_average(&line));
}
