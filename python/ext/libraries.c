/* Which shared libraries this module needs, for machines that have not got them. The dynamic loader knows: it has a
 * list of what is loaded, and each object there has a list of what it needs. */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "core.h"

#ifdef __GLIBC__

enum { MOST_NESTED = 16 };

/* What comes with every Linux of this kind, and must be the machine's own. */
static bool is_of_the_system(const char *name)
{
    static const char *const names[] = {"libc.so", "libm.so", "libpthread.so", "libdl.so", "librt.so", "ld-linux"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const struct link_map *find_loaded(const struct link_map *any, const char *name)
{
    while (any->l_prev)
        any = any->l_prev;
    for (; any; any = any->l_next)
        if (strcmp(base_name(any->l_name), name) == 0)
            return any;
    return NULL;
}

static const char *strings_of(const struct link_map *object)
{
    for (const ElfW(Dyn) *entry = object->l_ld; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB) /* most loaders have made it an address; some leave the offset */
            return (const char *)(entry->d_un.d_ptr < object->l_addr ? object->l_addr + entry->d_un.d_ptr
                                                                     : entry->d_un.d_ptr);
    return NULL;
}

/* Adds what an object needs, each after what it needs itself. 0, or -1 with an exception set. */
static int add_needed(PyObject *list, const struct link_map *object, int depth)
{
    const char *strings = strings_of(object);
    for (const ElfW(Dyn) *entry = object->l_ld; strings && entry->d_tag != DT_NULL; entry++) {
        const char *name = entry->d_tag == DT_NEEDED ? strings + entry->d_un.d_val : NULL;
        const struct link_map *needed = name && !is_of_the_system(name) ? find_loaded(object, name) : NULL;
        if (!needed || depth == MOST_NESTED)
            continue;
        PyObject *path = PyUnicode_DecodeFSDefault(needed->l_name);
        int listed = path ? PySequence_Contains(list, path) : -1;
        int failed = listed < 0 || (!listed && (add_needed(list, needed, depth + 1) || PyList_Append(list, path)));
        Py_XDECREF(path);
        if (failed)
            return -1;
    }
    return 0;
}

static const struct link_map *this_module(void)
{
    static const char here = 0;
    Dl_info info;
    void *object = NULL;
    return dladdr1(&here, &info, &object, RTLD_DL_LINKMAP) ? object : NULL;
}

PyObject *core_libraries(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    const struct link_map *object = this_module();
    PyObject *list = PyList_New(0);
    if (list && object && add_needed(list, object, 0))
        Py_CLEAR(list);
    return list;
}

#else

PyObject *core_libraries(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyList_New(0);
}

#endif
