/* Sets of branches. The hash is a sum over the names, so that it needs no sorting: it is taken for every chunk. */
#include "model/branch_set.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/str.h"

static int compare_names(const void *a, const void *b)
{
    return str_compare(*(const roast_str *)a, *(const roast_str *)b);
}

size_t branch_set_sort(roast_str *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_absent(names[i]))
            names[i] = STR("");
    if (count)
        qsort(names, count, sizeof *names, compare_names);
    size_t distinct = 0;
    for (size_t i = 0; i < count; i++)
        if (distinct == 0 || !str_equal(names[distinct - 1], names[i]))
            names[distinct++] = names[i];
    return distinct;
}

static roast_str before(roast_str s, char separator)
{
    const char *at = s.len ? memchr(s.ptr, separator, s.len) : NULL;
    return at && at > s.ptr ? (roast_str){s.ptr, (size_t)(at - s.ptr)} : s;
}

static roast_str without_ending(roast_str s, roast_str ending)
{
    return s.len > ending.len && str_ends_with(s, ending) ? (roast_str){s.ptr, s.len - ending.len} : s;
}

roast_str branch_collection(roast_str name)
{
    while (name.len > 1 && name.ptr[0] == '_')
        name = (roast_str){name.ptr + 1, name.len - 1};
    name = before(before(name, '.'), '/');
    name = without_ending(without_ending(name, STR("AuxDyn")), STR("Aux"));
    return before(name, '_');
}

uint64_t branch_set_hash(const roast_str *names, size_t count)
{
    uint64_t sum = count;
    for (size_t i = 0; i < count; i++)
        sum += XXH3_64bits(names[i].ptr, names[i].len);
    uint64_t hash = XXH3_64bits(&sum, sizeof sum);
    return hash ? hash : 1;
}
