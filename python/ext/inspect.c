/* ROOT files: the facts that a worker sends about a file, and what inspect() shows. Reading is done without the
 * interpreter. */
#include "inspect.h"

#include <stdlib.h>

#include "arrow.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "core.h"
#include "probe/pack.h"
#include "source/root/file_record.h"
#include "view/inspect.h"
#include "view/inspect_columns.h"

/* ---- Facts for a run ------------------------------------------------------------------------------------------ */

static roast_code pack_facts(buf *out, const char *path, const char *tree, roast_str url, roast_error *err)
{
    root_file *file;
    roast_file facts;
    arena memory = {0};
    roast_code code = root_open(&file, path, &(root_options){.tree = tree}, err);
    if (!code)
        code = root_facts(&facts, &memory, file, tree, err);
    if (!code) {
        facts.url = url; /* as coffea calls it, so that the chunks find it */
        roast_pack_file(out, &facts);
    }
    root_close(file);
    arena_release(&memory);
    return code;
}

PyObject *core_file_facts(PyObject *module, PyObject *args)
{
    PyObject *path, *url, *keep = NULL, *bytes = NULL;
    const char *tree;
    roast_str name;
    if (!PyArg_ParseTuple(args, "O&sO:file_facts", PyUnicode_FSConverter, &path, &tree, &url))
        return NULL;
    if (text_from_python(url, &name, &keep) == 0) {
        buf packed = {0};
        roast_error err = {0};
        roast_code code;
        const char *where = PyBytes_AsString(path);
        Py_BEGIN_ALLOW_THREADS
        code = pack_facts(&packed, where, tree, name, &err);
        Py_END_ALLOW_THREADS
        if (code)
            core_raise(core_state_of(module), &err);
        else if (packed.code)
            PyErr_NoMemory();
        else
            bytes = PyBytes_FromStringAndSize(packed.data, (Py_ssize_t)packed.len);
        buf_release(&packed);
    }
    Py_XDECREF(keep);
    Py_DECREF(path);
    return bytes;
}

PyObject *core_pack_file(PyObject *module, PyObject *dict)
{
    (void)module;
    roast_file file;
    arena scratch = {0};
    buf packed = {0};
    PyObject *keep = PyList_New(0), *bytes = NULL;
    if (keep && file_from_dict(&file, dict, keep, &scratch) == 0) {
        roast_pack_file(&packed, &file);
        bytes = packed.code ? PyErr_NoMemory() : PyBytes_FromStringAndSize(packed.data, (Py_ssize_t)packed.len);
    }
    buf_release(&packed);
    arena_release(&scratch);
    Py_XDECREF(keep);
    return bytes;
}

/* ---- Inspection ----------------------------------------------------------------------------------------------- */

typedef struct inspection_object {
    PyObject_HEAD
    roast_inspection *inspection;
} inspection_object;

/* A single file that cannot be read is an error; of many, each says for itself what is wrong with it. */
static roast_code check(const survey *s, const char *tree, roast_error *err)
{
    if (s->n_files == 1 && s->failed == 1)
        return fail(err, ROAST_IO, "%.*s", (int)s->files[0].error.len, s->files[0].error.ptr);
    if (tree && s->n_trees == 0 && s->n_hints == 0)
        return fail(err, ROAST_MISSING, "there is no tree %s in these files", tree);
    return ROAST_OK;
}

/* The paths of a list as an array that the list keep keeps alive; to be freed. NULL with an exception set. */
static const char **paths_from_python(PyObject *list, PyObject *keep)
{
    Py_ssize_t count = PyList_Size(list);
    const char **paths = calloc((size_t)count + 1, sizeof *paths);
    if (!paths)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; paths && i < count; i++) {
        PyObject *path = NULL;
        if (!PyUnicode_FSConverter(PyList_GetItem(list, i), &path) || PyList_Append(keep, path)) {
            free(paths);
            paths = NULL;
        } else {
            paths[i] = PyBytes_AsString(path);
        }
        Py_XDECREF(path);
    }
    return paths;
}

static PyObject *inspection_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"paths", "tree", "chunk", NULL};
    PyObject *list;
    roast_inspect_options options = {.size = sizeof options};
    long long chunk = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|zL:Inspection", names, &PyList_Type, &list, &options.tree,
                                     &chunk))
        return NULL;
    options.chunk = chunk;
    inspection_object *self = (inspection_object *)PyType_GenericAlloc(type, 0);
    PyObject *keep = self ? PyList_New(0) : NULL;
    const char **paths = keep ? paths_from_python(list, keep) : NULL;
    size_t count = paths ? (size_t)PyList_Size(keep) : 0;
    roast_error err = {0};
    roast_code code = ROAST_OK;
    if (paths) {
        Py_BEGIN_ALLOW_THREADS
        code = roast_inspect(&self->inspection, paths, count, &options, &err);
        if (!code)
            code = check(&self->inspection->survey, options.tree, &err);
        Py_END_ALLOW_THREADS
    }
    if (code)
        core_raise(core_state_of_type(type), &err);
    if (!paths || code)
        Py_CLEAR(self);
    free(paths);
    Py_XDECREF(keep);
    return (PyObject *)self;
}

static void inspection_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    roast_inspection_free(((inspection_object *)object)->inspection);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyObject *render(PyObject *object, bool branches, roast_form form, const roast_look *look)
{
    buf out = {0};
    roast_error err = {0};
    const roast_inspection *inspection = ((inspection_object *)object)->inspection;
    roast_code code;
    Py_BEGIN_ALLOW_THREADS
    code = roast_inspection_render(&out, inspection, branches, NULL, form, look, &err);
    Py_END_ALLOW_THREADS
    return core_text(core_state_of_type(Py_TYPE(object)), code, &out, &err);
}

static PyObject *inspection_json(PyObject *object, PyObject *unused)
{
    (void)unused;
    return render(object, false, ROAST_JSON, NULL);
}

static PyObject *inspection_html(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"branches", "limit", NULL};
    int branches = 0;
    Py_ssize_t limit = 25;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|pn:html", names, &branches, &limit))
        return NULL;
    return render(object, branches, ROAST_HTML, &(roast_look){.limit = limit > 0 ? (size_t)limit : 0});
}

static PyObject *inspection_text(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"branches", "limit", "width", "colour", "utf8", NULL};
    int branches = 0, colour = 0, utf8 = 1;
    Py_ssize_t limit = 25, width = 100;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|pnnpp:text", names, &branches, &limit, &width, &colour, &utf8))
        return NULL;
    roast_look look = {.limit = limit > 0 ? (size_t)limit : 0, .columns = width > 0 ? (size_t)width : 0};
    look.colour = colour;
    look.ascii = !utf8;
    return render(object, branches, ROAST_TERMINAL, &look);
}

static PyObject *inspection_columns(PyObject *object, PyObject *args)
{
    core_state *state = core_state_of_type(Py_TYPE(object));
    const char *name;
    column_table read;
    roast_error err = {0};
    if (!PyArg_ParseTuple(args, "s:columns", &name))
        return NULL;
    if (inspect_columns(&read, &((inspection_object *)object)->inspection->survey, name, &err)) {
        columns_release(&read);
        return core_raise(state, &err);
    }
    return table_from(state, &read);
}

static PyMethodDef inspection_methods[] = {
    {"json", inspection_json, METH_NOARGS, "json()\n--\n\nEverything, as JSON text."},
    {"html", (PyCFunction)(void (*)(void))inspection_html, METH_VARARGS | METH_KEYWORDS,
     "html(branches=False, limit=25)\n--\n\nThe tables as a page."},
    {"text", (PyCFunction)(void (*)(void))inspection_text, METH_VARARGS | METH_KEYWORDS,
     "text(branches=False, limit=25, width=100, colour=False, utf8=True)\n--\n\nThe tables as the command prints "
     "them."},
    {"columns", inspection_columns, METH_VARARGS,
     "columns(table)\n--\n\n'trees', 'branches', 'collections' or 'files', by columns."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot inspection_slots[] = {
    {Py_tp_doc, "Inspection(paths, tree=None, chunk=100000)\n--\n\nWhat ROOT files hold, from their metadata."},
    {Py_tp_new, inspection_new},
    {Py_tp_dealloc, inspection_dealloc},
    {Py_tp_methods, inspection_methods},
    {0, NULL},
};

static PyType_Spec inspection_spec = {
    .name = "roastcoffea._core.Inspection",
    .basicsize = sizeof(inspection_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = inspection_slots,
};

int inspection_type_add(PyObject *module)
{
    PyTypeObject *type = core_add_type(module, &inspection_spec);
    Py_XDECREF((PyObject *)type);
    return type ? 0 : -1;
}
