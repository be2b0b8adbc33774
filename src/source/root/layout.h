/* Which members an object has, in order, by class and version. */
#ifndef SOURCE_ROOT_LAYOUT_H
#define SOURCE_ROOT_LAYOUT_H

#include "source/root/tfile.h"

/* The members that are of interest; all others are only stepped over. */
#define ROOT_FIELDS(X)                                                                                                 \
    X(fName)                                                                                                           \
    X(fTitle)                                                                                                          \
    X(fEntries)                                                                                                        \
    X(fTotBytes)                                                                                                       \
    X(fZipBytes)                                                                                                       \
    X(fAutoFlush)                                                                                                      \
    X(fNClusterRange)                                                                                                  \
    X(fClusterRangeEnd)                                                                                                \
    X(fClusterSize)                                                                                                    \
    X(fBranches)                                                                                                       \
    X(fLeaves)                                                                                                         \
    X(fBaskets)                                                                                                        \
    X(fCompress)                                                                                                       \
    X(fWriteBasket)                                                                                                    \
    X(fMaxBaskets)                                                                                                     \
    X(fBasketBytes)                                                                                                    \
    X(fBasketEntry)                                                                                                    \
    X(fBasketSeek)                                                                                                     \
    X(fFileName)                                                                                                       \
    X(fClassName)                                                                                                      \
    X(fBranchCount)                                                                                                    \
    X(fLen)                                                                                                            \
    X(fIsUnsigned)                                                                                                     \
    X(fLeafCount)

typedef enum root_field {
    ROOT_NO_FIELD,
#define ROOT_FIELD_ENUM(name) ROOT_##name,
    ROOT_FIELDS(ROOT_FIELD_ENUM)
#undef ROOT_FIELD_ENUM
        ROOT_FIELD_COUNT
} root_field;

typedef enum root_member_kind {
    ROOT_MEMBER_INT,     /* size bytes */
    ROOT_MEMBER_REAL,    /* a double */
    ROOT_MEMBER_SKIP,    /* size bytes of no interest */
    ROOT_MEMBER_STRING,  /* TString */
    ROOT_MEMBER_TEXT,    /* char *: a length in four bytes */
    ROOT_MEMBER_TOBJECT, /* the TObject part */
    ROOT_MEMBER_BASE,    /* a base class, with a header of its own */
    ROOT_MEMBER_OBJECT,  /* an object with a byte count, size times */
    ROOT_MEMBER_POINTER, /* see root_stream_pointer */
    ROOT_MEMBER_ARRAY,   /* one byte, then elements of size, as many as the member counter says */
    ROOT_MEMBER_TARRAY,  /* a length in four bytes, then elements of size */
    ROOT_MEMBER_UNKNOWN
} root_member_kind;

typedef struct root_member {
    root_member_kind kind;
    root_field field;
    root_field counter;
    uint32_t size;
    roast_str type;      /* of a base class */
    int32_t first, last; /* versions of the class that have it; last 0: no end */
} root_member;

typedef struct root_layout {
    roast_str class_name;
    int32_t first, last; /* versions that this describes */
    bool complete;       /* false: more members follow that need not be read */
    const root_member *members;
    size_t n_members;
} root_layout;

/* The layouts that a file describes itself are read when they are first needed. */
typedef struct root_layouts {
    root_tfile *file;
    bool only_from_file; /* do without those that are built in: tests compare the two */
    bool asked;          /* for those of the file */
    bool out_of_memory;  /* those of the file are missing for that reason */
    int64_t steps_left;  /* members that may still be read: an honest record has less than it has bytes */
    root_layout *from_file;
    size_t n_from_file;
} root_layouts;

/* What was found in one object: where each member of interest is in the record, and the value of the numbers. */
typedef struct root_values {
    int64_t number[ROOT_FIELD_COUNT];
    size_t at[ROOT_FIELD_COUNT];        /* 0: it has no such member */
    uint32_t element[ROOT_FIELD_COUNT]; /* of an array: bytes per element */
    uint32_t count[ROOT_FIELD_COUNT];   /* of an array: elements, all of which are in the record; 0 of anything else */
} root_values;

/* Reads an object of a class (its header comes first) and moves on behind it. A class of which nothing is known must
 * begin with the base class fallback. False if it cannot be read. */
bool root_layout_read(root_layouts *layouts, cursor *c, size_t keylen, roast_str class_name, roast_str fallback,
                      root_values *out);

/* Looks into the file's own description (NULL: it has none of this). */
const root_layout *root_layout_from_file(root_layouts *layouts, roast_str class_name, int32_t version);
/* The one that is built in, or NULL. */
const root_layout *root_layout_built_in(roast_str class_name, int32_t version);
/* The name of a field, "" for none. */
const char *root_field_name(root_field field);

#endif
