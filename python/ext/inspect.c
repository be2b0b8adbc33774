/* ROOT files: the facts that a worker sends about a file, and what inspect() shows. Reading is done without the
 * interpreter. */
#include "inspect.h"
#include "arrow.h"
#include "base/arena.h"
#include "base/str.h"
#include "core.h"
#include "probe/pack.h"
#include "source/root/file_record.h"
#include "source/root/many.h"
#include "view/html_tables.h"
#include "view/inspect.h"
#include "view/inspect_columns.h"
#include "view/terminal.h"

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
    survey survey;
} inspection_object;

static roast_code take_file(void *context, const char *path, const root_file *file, const roast_error *why,
                            roast_error *err)
{
    return file ? survey_add(context, file, err) : survey_add_failure(context, path, why, err);
}

static roast_code read_all(survey *s, const root_paths *paths, const char *tree, int64_t chunk, roast_error *err)
{
    roast_code code = root_read_many(paths, &(root_options){.tree = tree}, 0, take_file, s, err);
    return code ? code : survey_finish(s, chunk, err);
}

/* A single file that cannot be read is an error; of many, each says for itself what is wrong with it. */
static roast_code check(const survey *s, const char *tree, roast_error *err)
{
    if (s->n_files == 1 && s->failed == 1) {
        err->code = ROAST_IO;
        snprintf(err->message, sizeof err->message, "%.*s", (int)s->files[0].error.len, s->files[0].error.ptr);
        return err->code;
    }
    if (tree && s->n_trees == 0 && s->n_hints == 0) {
        err->code = ROAST_MISSING;
        snprintf(err->message, sizeof err->message, "there is no tree %s in these files", tree);
        return err->code;
    }
    return ROAST_OK;
}

static int add_paths(core_state *state, root_paths *paths, PyObject *list)
{
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
        PyObject *path;
        roast_error err = {0};
        if (!PyUnicode_FSConverter(PyList_GetItem(list, i), &path))
            return -1;
        roast_code code = root_paths_add(paths, PyBytes_AsString(path), &err);
        Py_DECREF(path);
        if (code) {
            core_raise(state, &err);
            return -1;
        }
    }
    return 0;
}

static PyObject *inspection_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"paths", "tree", "chunk", NULL};
    core_state *state = core_state_of_type(type);
    PyObject *list;
    const char *tree = NULL;
    long long chunk = 100000;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|zL:Inspection", names, &PyList_Type, &list, &tree, &chunk))
        return NULL;
    inspection_object *self = (inspection_object *)PyType_GenericAlloc(type, 0);
    if (!self)
        return NULL;
    root_paths paths = {0};
    roast_error err = {0};
    roast_code code = ROAST_OK;
    bool added = add_paths(state, &paths, list) == 0;
    if (added) {
        Py_BEGIN_ALLOW_THREADS
        code = read_all(&self->survey, &paths, tree, chunk, &err);
        if (!code)
            code = check(&self->survey, tree, &err);
        Py_END_ALLOW_THREADS
    }
    root_paths_release(&paths);
    if (added && !code)
        return (PyObject *)self;
    Py_DECREF(self);
    return added ? core_raise(state, &err) : NULL;
}

static void inspection_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    survey_release(&((inspection_object *)object)->survey);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyObject *inspection_json(PyObject *object, PyObject *unused)
{
    (void)unused;
    buf out = {0};
    const survey *s = &((inspection_object *)object)->survey;
    Py_BEGIN_ALLOW_THREADS
    inspect_json(&out, s, &(inspect_options){0});
    Py_END_ALLOW_THREADS
    PyObject *text = out.code ? PyErr_NoMemory() : text_to_python(buf_view(&out));
    buf_release(&out);
    return text;
}

/* What renders a set of tables. */
typedef void renderer(buf *out, const table_set *set, const void *context);

static PyObject *render(PyObject *object, bool branches, size_t limit, renderer *draw, const void *context)
{
    buf out = {0};
    table_set set;
    roast_error err = {0};
    const survey *s = &((inspection_object *)object)->survey;
    roast_code code;
    Py_BEGIN_ALLOW_THREADS
    code = inspect_tables(&set, s, &(inspect_options){.branches = branches, .limit = limit}, &err);
    if (!code)
        draw(&out, &set, context);
    tables_release(&set);
    Py_END_ALLOW_THREADS
    PyObject *text = NULL;
    if (code)
        core_raise(core_state_of_type(Py_TYPE(object)), &err);
    else
        text = out.code ? PyErr_NoMemory() : text_to_python(buf_view(&out));
    buf_release(&out);
    return text;
}

static void draw_html(buf *out, const table_set *set, const void *title)
{
    html_tables(out, set, NULL, *(const roast_str *)title);
}

static void draw_text(buf *out, const table_set *set, const void *options)
{
    terminal_tables(out, set, options);
}

static PyObject *inspection_html(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"branches", "limit", NULL};
    int branches = 0;
    Py_ssize_t limit = 25;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|pn:html", names, &branches, &limit))
        return NULL;
    roast_str title = STR("ROOT files");
    return render(object, branches, limit > 0 ? (size_t)limit : 0, draw_html, &title);
}

static PyObject *inspection_text(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"branches", "limit", "width", "colour", "utf8", NULL};
    int branches = 0, colour = 0, utf8 = 1;
    Py_ssize_t limit = 25, width = 100;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|pnnpp:text", names, &branches, &limit, &width, &colour, &utf8))
        return NULL;
    terminal_options options = {.width = width > 0 ? (size_t)width : 0, .colour = colour, .utf8 = utf8};
    return render(object, branches, limit > 0 ? (size_t)limit : 0, draw_text, &options);
}

static PyObject *inspection_columns(PyObject *object, PyObject *args)
{
    core_state *state = core_state_of_type(Py_TYPE(object));
    const char *name;
    column_table read;
    roast_error err = {0};
    if (!PyArg_ParseTuple(args, "s:columns", &name))
        return NULL;
    if (inspect_columns(&read, &((inspection_object *)object)->survey, name, &err)) {
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
