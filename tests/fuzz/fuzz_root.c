/* Fuzzing the reader of ROOT files. An input is a whole file. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fuzz.h"
#include "source/root/survey.h"
#include "view/inspect.h"

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

/* What is read can also be added up and shown. The same file twice: the second time every branch is known. */
static void show(const root_file *file)
{
    static const inspect_options collections = {0}, branches = {.branches = true, .pick = 0.2};
    survey s = {0};
    table_set set;
    buf json = {0};
    bool good = !survey_add(&s, file, NULL) && !survey_add(&s, file, NULL) && !survey_finish(&s, 1000, NULL);
    assert(good);
    survey_pick(&s, 0.2);
    inspect_json(&json, &s, &branches);
    assert(!json.code);
    assert(!inspect_tables(&set, &s, &collections, NULL));
    tables_release(&set);
    assert(!inspect_tables(&set, &s, &branches, NULL));
    tables_release(&set);
    buf_release(&json);
    survey_release(&s);
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
    if (file)
        show(file);
    assert(sum != SIZE_MAX); /* so that nothing of it is optimised away */
    root_close(file);
    return 0;
}
