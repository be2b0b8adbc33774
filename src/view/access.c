/* What the branches that a chunk read amount to. The same pair of file and set comes with chunk after chunk; adding up
 * a few dozen sizes is cheaper than remembering the sums. */
#include "view/access.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/error.h"
#include "base/room.h"

static uint64_t place_key(uint32_t file, uint32_t name)
{
    return (uint64_t)file << 32 | name;
}

static roast_code see_branch(void *context, uint32_t file, uint32_t name, const roast_branch *row)
{
    branch_sizes *sizes = context;
    roast_branch *larger = with_room(sizes->sizes, sizes->count, &sizes->capacity, sizeof *larger);
    if (!larger)
        return ROAST_MEMORY;
    sizes->sizes = larger;
    uint32_t *place = u64map_at(&sizes->places, place_key(file, name));
    if (!place || sizes->count >= UINT32_MAX)
        return ROAST_MEMORY;
    sizes->sizes[sizes->count++] = *row;
    *place = (uint32_t)sizes->count;
    return ROAST_OK;
}

roast_code branch_sizes_read(branch_sizes *out, roast_run *run, roast_error *err)
{
    *out = (branch_sizes){0};
    roast_code code = run_each_branch(run, see_branch, out, err);
    return code == ROAST_MEMORY ? fail_memory(err) : code;
}

void branch_sizes_release(branch_sizes *sizes)
{
    u64map_release(&sizes->places);
    free(sizes->sizes);
    *sizes = (branch_sizes){0};
}

static const roast_branch *find_size(branch_sizes *sizes, uint32_t file, uint32_t name)
{
    uint32_t *place = u64map_at(&sizes->places, place_key(file, name));
    if (!place)
        return NULL;
    if (!*place) { /* asked for and not there: remembered as the place after the last */
        *place = UINT32_MAX;
        return NULL;
    }
    return *place <= sizes->count ? &sizes->sizes[*place - 1] : NULL;
}

static double percent(int64_t part, int64_t whole)
{
    return part == ROAST_ABSENT || whole == ROAST_ABSENT || whole <= 0 ? (double)NAN
                                                                       : 100.0 * (double)part / (double)whole;
}

branch_access branch_access_of(branch_sizes *sizes, const roast_run *run, uint32_t file, uint32_t set)
{
    branch_access access = {ROAST_ABSENT, ROAST_ABSENT, ROAST_ABSENT, (double)NAN, (double)NAN};
    size_t count;
    const uint32_t *names = run_branch_set(run, set, &count);
    const roast_file *about = run_file(run, file);
    if (!names)
        return access;
    access.branches = (int64_t)count;
    for (size_t i = 0; about && sizes->count && i < count; i++) {
        const roast_branch *branch = find_size(sizes, file, names[i]);
        add_measured(&access.compressed, branch ? branch->compressed : ROAST_ABSENT);
        add_measured(&access.uncompressed, branch ? branch->uncompressed : ROAST_ABSENT);
    }
    if (about) {
        access.branches_percent = percent(access.branches, about->total_branches);
        access.bytes_percent = percent(access.compressed, about->compressed);
    }
    return access;
}
