/* Fuzzing the reader of ROOT files. An input is a whole file. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fuzz.h"
#include "source/root/root.h"

/* Reads every byte of a text, so that a sanitizer sees one that is not there. */
static size_t weigh(roast_str s)
{
    size_t sum = 0;
    for (size_t i = 0; i < s.len; i++)
        sum += (unsigned char)s.ptr[i];
    return sum;
}

static size_t weigh_tree(const root_tree *tree)
{
    size_t sum = weigh(tree->path) + weigh(tree->title) + weigh(tree->problem) + weigh(tree->class_name);
    assert(str_absent(tree->problem) || tree->n_branches == 0);
    for (size_t i = 0; i < tree->n_branches; i++) {
        const root_branch *branch = &tree->branches[i];
        sum += weigh(branch->name) + weigh(branch->title) + weigh(branch->type) + weigh(branch->counter);
        assert(branch->parent < (int32_t)i && branch->depth >= 0);
        assert((branch->parent < 0) == (branch->depth == 0));
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t sum = 0;
    root_file *file;
    roast_error err = {0};
    roast_code code = root_open_memory(&file, data, size, NULL, &err);
    /* A refusal says why, in one line. */
    assert(!code == !err.message[0] && !code == !!file);
    assert(code == err.code && !strchr(err.message, '\n'));
    for (size_t i = 0; file && i < file->n_trees; i++)
        sum += weigh_tree(&file->trees[i]);
    assert(sum != SIZE_MAX); /* so that nothing of it is optimised away */
    root_close(file);
    return 0;
}
