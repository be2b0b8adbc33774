/* What a ROOT file holds: its trees (TTree, TNtuple, RNTuple) and the sizes of their branches, from metadata alone.
 *
 * Opening a file reads its header, its directories and the record of each tree, never the data itself, and then a
 * few basket headers to learn how the data really are compressed. Nothing of ROOT is needed. */
#ifndef SOURCE_ROOT_ROOT_H
#define SOURCE_ROOT_ROOT_H

#include "base/arena.h"

typedef enum root_algorithm {
    ROOT_ALGORITHM_UNKNOWN,
    ROOT_ALGORITHM_NONE, /* stored as it is */
    ROOT_ALGORITHM_ZLIB,
    ROOT_ALGORITHM_LZMA,
    ROOT_ALGORITHM_OLD, /* deflate without the zlib envelope, as ROOT wrote it before 2002 */
    ROOT_ALGORITHM_LZ4,
    ROOT_ALGORITHM_ZSTD,
    ROOT_ALGORITHM_COUNT
} root_algorithm;

typedef struct root_compression {
    root_algorithm algorithm;
    int32_t level; /* -1: not known */
} root_compression;

/* What a setting as ROOT stores it (100 × algorithm + level) asks for. */
root_compression root_compression_from_setting(int32_t setting);
const char *root_algorithm_name(root_algorithm algorithm); /* "ZSTD", …, "none", "unknown" */

/* Of a branch with all that it belongs to, and of a tree with its directories. No experiment has longer ones. */
enum { ROOT_LONGEST_NAME = 4096 };

typedef struct root_branch {
    roast_str name;
    roast_str title;
    roast_str type;    /* "float", "vector<int>", a class; for a member of a split class: that class */
    roast_str counter; /* the leaf or branch that holds its length; absent for a fixed one */
    roast_str file;    /* where its baskets are; absent: in this file */
    int32_t parent;    /* index of the branch it belongs to; -1 at the top */
    int32_t depth;     /* 0 at the top */
    int32_t setting;   /* of its compression: 100 × algorithm + level; -1: not known */
    int32_t columns;   /* of an RNTuple field, its own */
    int64_t entries;
    int64_t compressed, uncompressed; /* over its own baskets (pages), headers included */
    int64_t baskets;                  /* or pages; with the embedded ones */
    int64_t indexed_bytes;            /* compressed bytes according to the index of the baskets */
    int64_t embedded, embedded_bytes; /* baskets that were never flushed and lie in the tree's record */
    int64_t first_seek, first_bytes;  /* where its first basket is, and its size on disk; 0: none */
    int64_t first_uncompressed;       /* of an RNTuple page */
} root_branch;

typedef enum root_kind { ROOT_TTREE, ROOT_RNTUPLE } root_kind;

typedef struct root_tree {
    root_kind kind;
    roast_str class_name; /* "TTree", "TNtuple", "ROOT::RNTuple" */
    roast_str path;       /* "dir/Events" */
    roast_str name, title;
    int32_t cycle;
    bool superseded;   /* the file has a later cycle of it */
    roast_str problem; /* why it could not be read; absent if it could. Then nothing below is known. */
    int64_t entries;
    int64_t compressed, uncompressed; /* as the tree says (TTree), over all pages (RNTuple) */
    int64_t baskets;                  /* or pages */
    int64_t metadata_bytes;           /* what its description takes on disk */
    int64_t metadata_uncompressed;    /* and in memory */
    int64_t clusters;                 /* ROAST_ABSENT if there are none that all branches share */
    int64_t largest_cluster;          /* in entries; 0 without clusters */
    bool clusters_declared;           /* the tree says so; false: found from where all baskets begin */
    int64_t columns, cluster_groups;  /* of an RNTuple */
    root_compression compression;     /* of the data, from the headers of some baskets */
    int32_t sampled;                  /* how many baskets that rests on */
    bool mixed;                       /* they did not agree; compression is that of the largest branch */
    root_branch *branches;            /* each after the one it belongs to */
    size_t n_branches, top_branches;
} root_tree;

typedef struct root_traffic {
    int64_t requests, bytes;
} root_traffic;

typedef struct root_file {
    roast_str url;
    roast_str uuid; /* as uproot writes it */
    int64_t size;
    int32_t version; /* of ROOT: 62804 is 6.28/04 */
    int32_t setting; /* of compression, as the file's header has it: only a wish */
    bool large;      /* its header has 64-bit positions */
    bool closed;     /* false: it is still being written, or its writer died */
    root_tree *trees;
    size_t n_trees;
    int64_t data_bytes;     /* of the baskets (pages) of all trees that are not superseded */
    int64_t metadata_bytes; /* header, directories, descriptions of the trees */
    root_traffic traffic;   /* what reading this took */
    arena memory;
} root_file;

typedef struct root_options {
    int64_t timeout_ms; /* for an answer to one request; 0: 30,000 */
    int32_t retries;    /* after time-outs and passing faults of a server; 0: 3; negative: none */
    int32_t samples;    /* baskets per tree whose headers are read; 0: 3; negative: none */
    const char *tree;   /* only trees of this name or path, with or without ";cycle"; NULL: all */
} root_options;

/* Reads the metadata of a file: a path, file://, http://, https:// or root:// address. options may be NULL. A tree
 * that cannot be read has a problem; the file fails only if none of it can be read. */
roast_code root_open(root_file **out, const char *url, const root_options *options, roast_error *err);
/* The same from memory, which must stay as long as the result. */
roast_code root_open_memory(root_file **out, const void *bytes, size_t len, const root_options *options,
                            roast_error *err);
void root_close(root_file *file);

#endif
