/* How the data of a tree really are compressed. The settings of file and branches are what somebody wished for when
 * they were made; merging and copying without unpacking keep what was there. The block in front of the data tells the
 * truth about the algorithm. It does not tell the level: that is taken from the setting of the branch, or else
 * of the file, if it names the same algorithm.
 */
#include "source/root/sample.h"

#include "base/str.h"
#include "source/root/decompress.h"

enum { MOST_SAMPLES = 16, HEADER_BYTES = 512 };

/* The largest branches that have data in this file, largest first. */
static size_t choose(const root_tree *tree, const root_branch **out, size_t wanted)
{
    size_t count = 0;
    for (size_t i = 0; i < tree->n_branches; i++) {
        const root_branch *branch = &tree->branches[i];
        if (branch->first_seek <= 0 || branch->first_bytes <= 0 || !str_absent(branch->file))
            continue;
        size_t at = count < wanted ? count++ : wanted;
        while (at > 0 && out[at - 1]->compressed < branch->compressed) {
            if (at < wanted)
                out[at] = out[at - 1];
            at--;
        }
        if (at < wanted)
            out[at] = branch;
    }
    return count;
}

static root_algorithm algorithm_of_block(cursor *c, bool packed)
{
    if (!packed)
        return ROOT_ALGORITHM_NONE;
    return root_block_header(c).algorithm;
}

/* A page has no key; a basket has one. */
static root_algorithm look_at(root_tfile *file, const root_tree *tree, const root_branch *branch)
{
    unsigned char raw[HEADER_BYTES];
    size_t len = branch->first_bytes < HEADER_BYTES ? (size_t)branch->first_bytes : sizeof raw;
    if (root_transport_read(file->transport, raw, branch->first_seek, len, NULL) != ROAST_OK)
        return ROOT_ALGORITHM_UNKNOWN;
    cursor c = cursor_over(raw, len);
    if (tree->kind == ROOT_RNTUPLE)
        return algorithm_of_block(&c, branch->first_bytes < branch->first_uncompressed);
    root_key key;
    if (!root_key_parse(&c, &key))
        return ROOT_ALGORITHM_UNKNOWN;
    cursor_seek(&c, (size_t)key.keylen);
    return algorithm_of_block(&c, key.objlen > key.nbytes - key.keylen);
}

static root_compression with_level(root_algorithm algorithm, int32_t branch_setting, int32_t file_setting)
{
    if (algorithm == ROOT_ALGORITHM_NONE)
        return (root_compression){algorithm, 0};
    root_compression asked = root_compression_from_setting(branch_setting);
    if (asked.algorithm != algorithm)
        asked = root_compression_from_setting(file_setting);
    return (root_compression){algorithm, asked.algorithm == algorithm ? asked.level : -1};
}

void root_sample(root_tfile *file, root_tree *tree, int32_t samples)
{
    const root_branch *chosen[MOST_SAMPLES];
    size_t wanted = samples < MOST_SAMPLES ? (size_t)samples : MOST_SAMPLES;
    size_t count = choose(tree, chosen, wanted);
    for (size_t i = 0; i < count; i++) {
        root_algorithm algorithm = look_at(file, tree, chosen[i]);
        if (algorithm == ROOT_ALGORITHM_UNKNOWN)
            continue;
        /* A basket that did not get smaller is stored as it is, whatever the setting: it says little. */
        bool better = tree->compression.algorithm == ROOT_ALGORITHM_UNKNOWN ||
                      (tree->compression.algorithm == ROOT_ALGORITHM_NONE && algorithm != ROOT_ALGORITHM_NONE);
        if (better)
            tree->compression = with_level(algorithm, chosen[i]->setting, file->result->setting);
        else if (algorithm != ROOT_ALGORITHM_NONE && algorithm != tree->compression.algorithm)
            tree->mixed = true;
        tree->sampled++;
    }
}
