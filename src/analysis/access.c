/* Sums over the branches of a set, for each pair of a file and a set. Branches come file by file; the pairs of the file
 * in hand own the names of their sets. */
#include "analysis/access.h"

#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/name_readers.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/room.h"

typedef struct access_pass {
    const roast_run *run;
    access_sizes **by_file; /* pairs in order of their files */
    size_t count, next_pair;
    uint32_t file_in_hand;
    name_readers readers; /* places in by_file */
} access_pass;

bool access_add(access_list *list, uint32_t file, uint32_t set, int64_t *place)
{
    *place = ROAST_ABSENT;
    if (file == RUN_UNKNOWN || set == RUN_UNKNOWN)
        return true;
    uint32_t *slot = u64map_at(&list->seen, (uint64_t)file << 32 | set);
    if (!slot)
        return false;
    if (!*slot) {
        *slot = (uint32_t)list->count + 1;
        access_sizes *pairs = with_room(list->pairs, list->count, &list->capacity, sizeof *pairs);
        if (!pairs)
            return false;
        list->pairs = pairs;
        list->pairs[list->count++] = (access_sizes){file, set, ROAST_ABSENT, ROAST_ABSENT};
    }
    *place = (int64_t)*slot - 1;
    return true;
}

const access_sizes *access_sizes_at(const access_list *list, int64_t place)
{
    return place >= 0 && (size_t)place < list->count ? &list->pairs[place] : NULL;
}

static int compare_files(const void *left, const void *right)
{
    const access_sizes *a = *(access_sizes *const *)left, *b = *(access_sizes *const *)right;
    return (a->file > b->file) - (a->file < b->file);
}

static bool take_file(access_pass *pass, uint32_t file)
{
    name_readers_clear(&pass->readers);
    pass->file_in_hand = file;
    while (pass->next_pair < pass->count && pass->by_file[pass->next_pair]->file < file)
        pass->next_pair++;
    for (; pass->next_pair < pass->count && pass->by_file[pass->next_pair]->file == file; pass->next_pair++)
        if (!name_readers_add(&pass->readers, pass->run, pass->by_file[pass->next_pair]->set,
                              (uint32_t)pass->next_pair))
            return false;
    return true;
}

static roast_code see_branch(void *context, uint32_t file, uint32_t name, const roast_branch *branch)
{
    access_pass *pass = context;
    if (file == RUN_UNKNOWN || name == RUN_UNKNOWN)
        return ROAST_OK;
    if (file != pass->file_in_hand && !take_file(pass, file))
        return ROAST_MEMORY;
    for (uint32_t i = pass->readers.first[name]; i; i = pass->readers.entries[i].next) {
        access_sizes *pair = pass->by_file[pass->readers.entries[i].owner];
        add_measured(&pair->compressed, branch->compressed);
        add_measured(&pair->uncompressed, branch->uncompressed);
    }
    return ROAST_OK;
}

roast_code access_read(access_list *list, roast_run *run, roast_error *err)
{
    arena scratch = {0};
    access_pass pass = {.run = run, .count = list->count, .file_in_hand = RUN_UNKNOWN};
    pass.by_file = arena_alloc(&scratch, list->count, sizeof *pass.by_file);
    roast_code code = name_readers_init(&pass.readers, run) && pass.by_file ? ROAST_OK : fail_memory(err);
    for (size_t i = 0; !code && i < list->count; i++)
        pass.by_file[i] = &list->pairs[i];
    if (!code) {
        qsort(pass.by_file, list->count, sizeof *pass.by_file, compare_files);
        code = run_each_branch(run, see_branch, &pass, err);
        if (code == ROAST_MEMORY)
            fail_memory(err);
    }
    name_readers_release(&pass.readers);
    arena_release(&scratch);
    return code;
}

void access_release(access_list *list)
{
    u64map_release(&list->seen);
    free(list->pairs);
    *list = (access_list){0};
}
