/* Sums over the branches of a set, for each pair of a file and a set. Branches come file by file: for the file in hand,
 * every name has a list of the pairs whose set it is in, so a branch is added where it belongs and nowhere else. */
#include "analysis/access.h"

#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/room.h"

enum { NO_MEMBER = 0 }; /* members count from 1 */

typedef struct member {
    access_sizes *pair;
    uint32_t name, next;
} member;

typedef struct access_pass {
    const roast_run *run;
    access_sizes **by_file; /* pairs in order of their files */
    size_t count, next_pair;
    uint32_t file_in_hand;
    uint32_t *first_member; /* by name */
    member *members;
    size_t n_members, capacity;
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

static bool add_members(access_pass *pass, access_sizes *pair)
{
    size_t count;
    const uint32_t *names = run_branch_set(pass->run, pair->set, &count);
    if (pass->n_members + count + 1 > pass->capacity) {
        size_t capacity = 2 * pass->capacity + count + 1;
        member *members = realloc(pass->members, capacity * sizeof *members);
        if (!members)
            return false;
        pass->members = members;
        pass->capacity = capacity;
    }
    for (size_t i = 0; i < count; i++) {
        if (names[i] == RUN_UNKNOWN)
            continue;
        uint32_t place = (uint32_t)++pass->n_members;
        pass->members[place] = (member){pair, names[i], pass->first_member[names[i]]};
        pass->first_member[names[i]] = place;
    }
    return true;
}

static bool take_file(access_pass *pass, uint32_t file)
{
    for (size_t i = 1; i <= pass->n_members; i++)
        pass->first_member[pass->members[i].name] = NO_MEMBER;
    pass->n_members = 0;
    pass->file_in_hand = file;
    while (pass->next_pair < pass->count && pass->by_file[pass->next_pair]->file < file)
        pass->next_pair++;
    for (; pass->next_pair < pass->count && pass->by_file[pass->next_pair]->file == file; pass->next_pair++)
        if (!add_members(pass, pass->by_file[pass->next_pair]))
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
    for (uint32_t i = pass->first_member[name]; i != NO_MEMBER; i = pass->members[i].next) {
        add_measured(&pass->members[i].pair->compressed, branch->compressed);
        add_measured(&pass->members[i].pair->uncompressed, branch->uncompressed);
    }
    return ROAST_OK;
}

roast_code access_read(access_list *list, roast_run *run, roast_error *err)
{
    arena scratch = {0};
    access_pass pass = {.run = run, .count = list->count, .file_in_hand = RUN_UNKNOWN};
    pass.by_file = arena_alloc(&scratch, list->count, sizeof *pass.by_file);
    pass.first_member = arena_alloc(&scratch, run_names(run), sizeof *pass.first_member);
    roast_code code = pass.by_file && pass.first_member ? ROAST_OK : fail_memory(err);
    for (size_t i = 0; !code && i < list->count; i++)
        pass.by_file[i] = &list->pairs[i];
    if (!code) {
        qsort(pass.by_file, list->count, sizeof *pass.by_file, compare_files);
        code = run_each_branch(run, see_branch, &pass, err);
        if (code == ROAST_MEMORY)
            fail_memory(err);
    }
    free(pass.members);
    arena_release(&scratch);
    return code;
}

void access_release(access_list *list)
{
    u64map_release(&list->seen);
    free(list->pairs);
    *list = (access_list){0};
}
