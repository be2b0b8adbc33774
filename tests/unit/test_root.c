/* The reader of ROOT files, on files that uproot wrote (tests/fuzz/make_root_seeds.py) and on made-up bytes.
 * Comparisons with uproot itself are in tests/python/test_root_reader.py. */
#include <lz4.h>
#include <lzma.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "base/error.h"
#include "source/root/decompress.h"
#include "source/root/layout.h"
#include "source/root/root.h"
#include "source/root/stream.h"
#include "source/root/ttree.h"
#include "unit.h"

#define SEEDS ROAST_SOURCE_DIR "/tests/fuzz/root/"

static root_file *open_good(const char *path)
{
    root_file *file;
    roast_error err = {0};
    if (root_open(&file, path, NULL, &err) != ROAST_OK)
        fail_msg("%s", err.message);
    return file;
}

static void assert_refused(const char *path, roast_code code, const char *part)
{
    root_file *file;
    roast_error err = {0};
    assert_int_equal(root_open(&file, path, NULL, &err), code);
    assert_null(file);
    if (!strstr(err.message, part))
        fail_msg("'%s' does not say '%s'", err.message, part);
}

/* ---- Blocks ------------------------------------------------------------------------------------------------- */

typedef struct packed {
    unsigned char bytes[4096];
    size_t len;
} packed;

static size_t pack_with(const char *mark, unsigned char *out, size_t room, const unsigned char *in, size_t len)
{
    uLongf zlib_len = room;
    size_t xz_len = 0;
    if (strcmp(mark, "ZL") == 0) {
        assert_int_equal(compress2(out, &zlib_len, in, len, 6), Z_OK);
        return zlib_len;
    }
    if (strcmp(mark, "CS") == 0) {
        z_stream z = {.next_in = (unsigned char *)in, .avail_in = (uInt)len, .next_out = out, .avail_out = (uInt)room};
        assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        deflateEnd(&z);
        return room - z.avail_out;
    }
    if (strcmp(mark, "XZ") == 0) {
        assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, in, len, out, &xz_len, room), LZMA_OK);
        return xz_len;
    }
    if (strcmp(mark, "ZS") == 0)
        return ZSTD_compress(out, room, in, len, 3);
    int lz4_len = LZ4_compress_default((const char *)in, (char *)out + 8, (int)len, (int)room - 8);
    uint64_t checksum = XXH64(out + 8, (size_t)lz4_len, 0);
    for (int i = 0; i < 8; i++)
        out[i] = (unsigned char)(checksum >> (56 - 8 * i));
    return (size_t)lz4_len + 8;
}

static void add_block(packed *p, const char *mark, const unsigned char *in, size_t len)
{
    unsigned char *header = p->bytes + p->len;
    size_t packed_len = pack_with(mark, header + 9, sizeof p->bytes - p->len - 9, in, len);
    memcpy(header, mark, 2);
    header[2] = 1;
    for (int i = 0; i < 3; i++) {
        header[3 + i] = (unsigned char)(packed_len >> (8 * i));
        header[6 + i] = (unsigned char)(len >> (8 * i));
    }
    p->len += 9 + packed_len;
}

static const char *const marks[] = {"ZL", "XZ", "CS", "L4", "ZS"};
enum { MARKS = sizeof marks / sizeof *marks };

static void a_record_may_be_made_of_blocks_of_all_algorithms(void **state)
{
    (void)state;
    unsigned char plain[MARKS * 100], out[sizeof plain];
    packed p = {.len = 0};
    for (size_t i = 0; i < sizeof plain; i++)
        plain[i] = (unsigned char)(i / 7);
    for (size_t i = 0; i < MARKS; i++)
        add_block(&p, marks[i], plain + i * 100, 100);
    assert_true(root_blocks_plausible(p.bytes, p.len, sizeof plain));
    assert_int_equal(root_decompress(out, sizeof out, p.bytes, p.len, NULL), ROAST_OK);
    assert_memory_equal(out, plain, sizeof plain);
    /* Not a byte more or less than the record says. */
    assert_false(root_blocks_plausible(p.bytes, p.len, sizeof plain - 1));
    assert_false(root_blocks_plausible(p.bytes, p.len, sizeof plain + 1));
    assert_int_equal(root_decompress(out, sizeof out - 1, p.bytes, p.len, NULL), ROAST_CORRUPT);
    assert_int_equal(root_decompress(out, sizeof out, p.bytes, p.len - 1, NULL), ROAST_CORRUPT);
}

static void a_changed_byte_in_a_block_with_a_checksum_is_found(void **state)
{
    (void)state;
    unsigned char plain[1000], out[sizeof plain];
    for (size_t i = 0; i < sizeof plain; i++)
        plain[i] = (unsigned char)(i * i >> 3);
    const char *const with_checksum[] = {"ZL", "XZ", "L4"};
    for (size_t m = 0; m < 3; m++) {
        packed p = {.len = 0};
        add_block(&p, with_checksum[m], plain, sizeof plain);
        for (size_t i = 9; i < p.len; i++) {
            p.bytes[i] ^= 0x10;
            bool same = root_decompress(out, sizeof out, p.bytes, p.len, NULL) == ROAST_OK;
            /* What is not covered by the checksum does not matter to the content either. */
            assert_true(!same || memcmp(out, plain, sizeof plain) == 0);
            p.bytes[i] ^= 0x10;
        }
    }
}

static void a_size_that_no_compression_reaches_is_not_believed(void **state)
{
    (void)state;
    unsigned char bytes[9 * 100];
    for (size_t i = 0; i < sizeof bytes; i += 9)
        memcpy(bytes + i, "ZS\1\0\0\0\xFF\xFF\xFF", 9);
    assert_false(root_blocks_plausible(bytes, sizeof bytes, 100 * (size_t)0xFFFFFF));
}

static void a_compression_setting_is_an_algorithm_and_a_level(void **state)
{
    (void)state;
    static const struct {
        int32_t setting;
        root_algorithm algorithm;
        int32_t level;
    } known[] = {
        {1, ROOT_ALGORITHM_ZLIB, 1},   {101, ROOT_ALGORITHM_ZLIB, 1},    {209, ROOT_ALGORITHM_LZMA, 9},
        {404, ROOT_ALGORITHM_LZ4, 4},  {505, ROOT_ALGORITHM_ZSTD, 5},    {0, ROOT_ALGORITHM_NONE, 0},
        {500, ROOT_ALGORITHM_NONE, 0}, {-1, ROOT_ALGORITHM_UNKNOWN, -1}, {905, ROOT_ALGORITHM_UNKNOWN, -1},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        root_compression got = root_compression_from_setting(known[i].setting);
        assert_int_equal(got.algorithm, known[i].algorithm);
        assert_int_equal(got.level, known[i].level);
    }
    assert_string_equal(root_algorithm_name(ROOT_ALGORITHM_ZSTD), "ZSTD");
}

/* ---- Files -------------------------------------------------------------------------------------------------- */

static void check_tree_seed(const char *name, root_algorithm algorithm)
{
    char path[4096];
    snprintf(path, sizeof path, SEEDS "tree-%s.root", name);
    root_file *file = open_good(path);
    assert_int_equal(file->n_trees, 1);
    const root_tree *tree = &file->trees[0];
    assert_true(str_absent(tree->problem));
    assert_str(tree->path, "dir/events");
    assert_int_equal(tree->entries, 60);
    assert_int_equal(tree->n_branches, 4);
    assert_int_equal(tree->clusters, 2);
    assert_int_equal(tree->largest_cluster, 30);
    assert_int_equal(tree->compression.algorithm, algorithm);
    static const char *const names[] = {"x", "nJet_pt", "Jet_pt", "flag"};
    static const char *const types[] = {"float", "int", "double", "bool"};
    for (size_t i = 0; i < 4; i++) {
        assert_str(tree->branches[i].name, names[i]);
        assert_str(tree->branches[i].type, types[i]);
        assert_int_equal(tree->branches[i].baskets, 2);
        assert_int_equal(tree->branches[i].entries, 60);
        assert_int_equal(tree->branches[i].indexed_bytes, tree->branches[i].compressed);
    }
    assert_str(tree->branches[2].counter, "nJet_pt");
    assert_true(str_absent(tree->branches[0].counter));
    root_close(file);
}

static void a_tree_is_read_whatever_its_compression_and_version(void **state)
{
    (void)state;
    check_tree_seed("none", ROOT_ALGORITHM_NONE);
    check_tree_seed("other-version", ROOT_ALGORITHM_NONE);
    check_tree_seed("zlib", ROOT_ALGORITHM_ZLIB);
    check_tree_seed("lzma", ROOT_ALGORITHM_LZMA);
    check_tree_seed("lz4", ROOT_ALGORITHM_LZ4);
    check_tree_seed("zstd", ROOT_ALGORITHM_ZSTD);
}

static void an_ntuple_lists_each_field_before_its_parts(void **state)
{
    (void)state;
    root_file *file = open_good(SEEDS "ntuple-zstd.root");
    assert_int_equal(file->n_trees, 1);
    const root_tree *tree = &file->trees[0];
    assert_int_equal(tree->kind, ROOT_RNTUPLE);
    assert_int_equal(tree->entries, 60);
    assert_int_equal(tree->clusters, 2);
    assert_int_equal(tree->columns, 3);
    assert_int_equal(tree->n_branches, 3);
    assert_str(tree->branches[0].name, "Jet_pt");
    assert_str(tree->branches[1].name, "_0");
    assert_str(tree->branches[2].name, "x");
    assert_int_equal(tree->branches[1].parent, 0);
    assert_int_equal(tree->branches[1].depth, 1);
    /* 60 entries: offsets of 8 bytes, 60 doubles, 60 floats. */
    assert_int_equal(tree->uncompressed, 60 * 8 + 60 * 8 + 60 * 4);
    assert_int_equal(tree->compression.algorithm, ROOT_ALGORITHM_ZSTD);
    assert_int_equal(tree->compression.level, 3);
    root_close(file);
}

static void only_the_tree_that_was_asked_for_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *tree;
        size_t found;
    } asked[] = {{"events", 1}, {"dir/events", 1}, {"events;1", 1}, {"dir/events;1", 1}, {"events;2", 0}, {"dir", 0}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        root_options options = {.tree = asked[i].tree};
        root_file *file;
        assert_int_equal(root_open(&file, SEEDS "tree-zlib.root", &options, NULL), ROAST_OK);
        assert_int_equal(file->n_trees, asked[i].found);
        root_close(file);
    }
}

static void an_address_with_file_in_front_is_a_path(void **state)
{
    (void)state;
    root_file *file = open_good("file://" SEEDS "tree-zlib.root");
    assert_int_equal(file->n_trees, 1);
    assert_true(file->traffic.requests > 0);
    assert_true(file->traffic.bytes < file->size);
    root_close(file);
}

/* ---- Layouts ------------------------------------------------------------------------------------------------ */

typedef struct comparison {
    root_tfile *file;
    root_layouts built_in, from_file;
    size_t trees;
} comparison;

static void assert_same_tree(const root_tree *a, const root_tree *b)
{
    assert_int_equal(a->entries, b->entries);
    assert_int_equal(a->compressed, b->compressed);
    assert_int_equal(a->uncompressed, b->uncompressed);
    assert_int_equal(a->clusters, b->clusters);
    assert_int_equal(a->n_branches, b->n_branches);
    for (size_t i = 0; i < a->n_branches; i++) {
        const root_branch *x = &a->branches[i], *y = &b->branches[i];
        assert_true(str_equal(x->name, y->name) && str_equal(x->type, y->type) && str_equal(x->counter, y->counter));
        assert_int_equal(x->compressed, y->compressed);
        assert_int_equal(x->baskets, y->baskets);
        assert_int_equal(x->setting, y->setting);
        assert_int_equal(x->parent, y->parent);
    }
}

static roast_code compare_tree(void *context, const root_key *key, roast_str path, roast_error *err)
{
    (void)path;
    comparison *c = context;
    if (!str_equal(key->class_name, STR("TTree")) && !str_equal(key->class_name, STR("TNtuple")))
        return ROAST_OK;
    root_record record;
    root_tree a = {.class_name = key->class_name}, b = {.class_name = key->class_name};
    assert_int_equal(root_tfile_record(c->file, &record, key, err), ROAST_OK);
    assert_int_equal(root_ttree_read(&c->built_in, &record, &a, err), ROAST_OK);
    assert_int_equal(root_ttree_read(&c->from_file, &record, &b, err), ROAST_OK);
    assert_same_tree(&a, &b);
    c->trees++;
    return ROAST_OK;
}

static size_t compare_layouts(const char *path)
{
    root_file result = {.url = str_none()};
    root_transport *transport;
    assert_int_equal(root_transport_open(&transport, path, NULL, NULL), ROAST_OK);
    root_tfile file = {.transport = transport, .result = &result};
    comparison c = {.file = &file, .built_in = {.file = &file}, .from_file = {.file = &file, .only_from_file = true}};
    assert_int_equal(root_tfile_open(&file, NULL), ROAST_OK);
    assert_int_equal(root_tfile_walk(&file, compare_tree, &c, NULL), ROAST_OK);
    assert_false(c.built_in.asked); /* it did without */
    root_transport_close(transport);
    arena_release(&result.memory);
    return c.trees;
}

static void what_is_built_in_agrees_with_what_the_file_says_of_its_classes(void **state)
{
    (void)state;
    assert_int_equal(compare_layouts(SEEDS "tree-zlib.root"), 1);
    const char *data = getenv("ROAST_TEST_DATA");
    if (!data) {
        print_message("# ROAST_TEST_DATA is not set: only compared on one file\n");
        return;
    }
    static const char *const more[] = {
        "PHYSLITE_example",
        "nano_dy",
        "pfnano",
        "scouting_nano",
        "treemaker",
        "uproot-HZZ-zlib",
        "uproot-issue-76",
        "uproot-hepdata-example",
        "uproot-stl_containers",
        "uproot-nesteddirs",
        "uproot-sample-5.23.02-zlib",
    };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/root/%s.root", data, more[i]);
        assert_true(compare_layouts(path) > 0);
    }
}

/* ---- What is not a tree ------------------------------------------------------------------------------------- */

static const char *write_file(const char *name, const void *bytes, size_t len)
{
    const char *path = in_scratch(name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, len, f), len);
    fclose(f);
    return path;
}

static void what_is_not_a_root_file_is_named(void **state)
{
    (void)state;
    assert_refused("/nonexistent/a.root", ROAST_MISSING, "/nonexistent/a.root: No such file");
    assert_refused(scratch, ROAST_FORMAT, "this is a directory");
    assert_refused("/dev/null", ROAST_FORMAT, "not a regular file");
    assert_refused("s3://bucket/a.root", ROAST_USAGE, "s3:// is not an address that can be read");
    assert_refused(write_file("empty", "", 0), ROAST_FORMAT, "the file is empty");
    assert_refused(write_file("text", "hello", 5), ROAST_FORMAT, "this is not a ROOT file");
    assert_refused(write_file("run", "SQLite format 3\0 and more", 24), ROAST_FORMAT, "roast show");
    assert_refused(write_file("short", "root\0\0\xf4\x92", 8), ROAST_CORRUPT, "cut off in its header");
}

static void passwords_and_tokens_do_not_appear_in_messages(void **state)
{
    (void)state;
    assert_refused("s3://me:secret@host/a.root?authz=token", ROAST_USAGE, "s3://host/a.root?#b8cbbf0e: s3:// is not");
}

static unsigned char *read_seed(const char *path, size_t *len)
{
    static unsigned char bytes[65536];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    *len = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_true(*len > 0 && *len < sizeof bytes);
    return bytes;
}

static void a_file_that_was_cut_off_says_so(void **state)
{
    (void)state;
    size_t len;
    const unsigned char *bytes = read_seed(SEEDS "tree-zlib.root", &len);
    root_file *file;
    roast_error err = {0};
    assert_int_equal(root_open_memory(&file, bytes, len - 1, NULL, &err), ROAST_CORRUPT);
    assert_non_null(strstr(err.message, "cut off"));
    assert_null(file);
}

static void a_file_that_was_never_closed_has_no_trees_and_is_not_an_error(void **state)
{
    (void)state;
    size_t len;
    unsigned char *bytes = read_seed(SEEDS "tree-zlib.root", &len);
    /* The position of the keys of the top directory, which is written when the file is closed. */
    cursor c = cursor_over(bytes, len);
    cursor_seek(&c, 8);
    size_t begin = cursor_be32(&c);
    cursor_seek(&c, 28);
    size_t directory = begin + cursor_be32(&c);
    memset(bytes + directory + 26, 0, 4);
    root_file *file;
    assert_int_equal(root_open_memory(&file, bytes, len, NULL, NULL), ROAST_OK);
    assert_false(file->closed);
    assert_int_equal(file->n_trees, 0);
    root_close(file);
}

static void directories_that_contain_each_other_come_to_an_end(void **state)
{
    (void)state;
    size_t len;
    unsigned char *bytes = read_seed(SEEDS "tree-none.root", &len);
    /* "dir" is made to have the keys of the top, which has "dir". */
    cursor c = cursor_over(bytes, len);
    cursor_seek(&c, 8);
    size_t begin = cursor_be32(&c);
    cursor_seek(&c, 28);
    size_t top = begin + cursor_be32(&c);
    size_t dir = 0;
    for (size_t i = begin; i + 20 < len && !dir; i++)
        if (memcmp(bytes + i,
                   "\x0aTDirectory\x03"
                   "dir",
                   15) == 0) {
            cursor_seek(&c, i - 26);
            root_key key;
            if (root_key_parse(&c, &key) && (size_t)key.seek == i - 26)
                dir = i - 26 + (size_t)key.keylen;
        }
    assert_true(dir > 0);
    memcpy(bytes + dir + 10, bytes + top + 10, 4);
    memcpy(bytes + dir + 26, bytes + top + 26, 4);
    root_file *file;
    roast_error err = {0};
    assert_int_equal(root_open_memory(&file, bytes, len, NULL, &err), ROAST_CORRUPT);
    assert_non_null(strstr(err.message, "directories"));
}

static void a_checksum_of_an_ntuple_that_does_not_agree_is_a_problem_of_that_tree(void **state)
{
    (void)state;
    size_t len;
    unsigned char *bytes = read_seed(SEEDS "ntuple-none.root", &len);
    unsigned char *name = memmem(bytes, len, "\x06\0\0\0Jet_pt", 10);
    assert_non_null(name);
    name[5] = 'x';
    root_file *file;
    assert_int_equal(root_open_memory(&file, bytes, len, NULL, NULL), ROAST_OK);
    assert_int_equal(file->n_trees, 1);
    assert_non_null(memmem(file->trees[0].problem.ptr, file->trees[0].problem.len, "checksum", 8));
    root_close(file);
}

static void assert_problem(const root_tree *tree, const char *part)
{
    if (str_absent(tree->problem) || !memmem(tree->problem.ptr, tree->problem.len, part, strlen(part)))
        fail_msg("'%.*s' does not say '%s'", (int)tree->problem.len, tree->problem.ptr, part);
}

static void a_description_that_names_a_member_twice_is_refused(void **state)
{
    (void)state;
    root_file *file = open_good(SEEDS "tree-counter-twice.root");
    assert_int_equal(file->n_trees, 1);
    assert_problem(&file->trees[0], "cannot be read");
    root_close(file);
}

/* Arrays are as long as their counter says; fNClusterRange or fMaxBaskets, which is not it, says a billion. */
static void an_array_is_as_long_as_it_was_when_it_was_read_whatever_another_member_says(void **state)
{
    (void)state;
    check_tree_seed("described", ROOT_ALGORITHM_NONE);
    check_tree_seed("other-counter", ROOT_ALGORITHM_NONE);
    check_tree_seed("described-branches", ROOT_ALGORITHM_NONE);
    check_tree_seed("other-baskets", ROOT_ALGORITHM_NONE);
}

static void a_list_that_is_longer_than_its_byte_count_is_refused(void **state)
{
    (void)state;
    size_t len;
    unsigned char *bytes = read_seed(SEEDS "tree-none.root", &len);
    const unsigned char *found = memmem(bytes, len, "TBranch\0", 8);
    assert_non_null(found);
    size_t first = (size_t)(found - bytes);
    /* In front: count and tag of the pointer; lower bound, number, empty name, TObject, version, count of the list. */
    size_t list = first - 8 - 8 - 1 - 10 - 2 - 4;
    assert_int_equal(bytes[list], 0x40);
    memcpy(bytes + list, "\x40\0\0\x10", 4);
    memcpy(bytes + list + 17, "\0\0\0\x01", 4); /* one pointer, */
    memset(bytes + first - 8, 0, 4);            /* which is null: beyond the end of the list */
    root_file *file;
    assert_int_equal(root_open_memory(&file, bytes, len, NULL, NULL), ROAST_OK);
    assert_int_equal(file->n_trees, 1);
    assert_problem(&file->trees[0], "branch 1 cannot be read");
    root_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_may_be_made_of_blocks_of_all_algorithms),
        cmocka_unit_test(a_changed_byte_in_a_block_with_a_checksum_is_found),
        cmocka_unit_test(a_size_that_no_compression_reaches_is_not_believed),
        cmocka_unit_test(a_compression_setting_is_an_algorithm_and_a_level),
        cmocka_unit_test(a_tree_is_read_whatever_its_compression_and_version),
        cmocka_unit_test(an_ntuple_lists_each_field_before_its_parts),
        cmocka_unit_test(only_the_tree_that_was_asked_for_is_read),
        cmocka_unit_test(an_address_with_file_in_front_is_a_path),
        cmocka_unit_test(what_is_built_in_agrees_with_what_the_file_says_of_its_classes),
        test_in_scratch(what_is_not_a_root_file_is_named),
        cmocka_unit_test(passwords_and_tokens_do_not_appear_in_messages),
        cmocka_unit_test(a_file_that_was_cut_off_says_so),
        cmocka_unit_test(a_file_that_was_never_closed_has_no_trees_and_is_not_an_error),
        cmocka_unit_test(directories_that_contain_each_other_come_to_an_end),
        cmocka_unit_test(a_checksum_of_an_ntuple_that_does_not_agree_is_a_problem_of_that_tree),
        cmocka_unit_test(a_description_that_names_a_member_twice_is_refused),
        cmocka_unit_test(an_array_is_as_long_as_it_was_when_it_was_read_whatever_another_member_says),
        cmocka_unit_test(a_list_that_is_longer_than_its_byte_count_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
