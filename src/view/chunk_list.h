/* Every chunk of a run with all that belongs to it, in memory, to be looked at one by one and in any order. */
#ifndef VIEW_CHUNK_LIST_H
#define VIEW_CHUNK_LIST_H

#include "analysis/access.h"
#include "base/arena.h"
#include "base/intern.h"
#include "run/reader.h"

typedef struct listed_chunk {
    int64_t id;
    roast_chunk record; /* complete: sections, branches and custom values too */
    roast_str host;
    branch_access access;
    int64_t file_branches, file_compressed, file_uncompressed; /* all of its file; ROAST_ABSENT: not known */
} listed_chunk;

typedef struct chunk_list {
    listed_chunk *chunks;
    size_t count, capacity;
    intern strings; /* equal texts are stored once */
    arena memory;
} chunk_list;

/* The list does not need the run afterwards; release it even if this fails. */
roast_code chunk_list_read(chunk_list *out, roast_run *run, roast_error *err);
void chunk_list_release(chunk_list *list);

#endif
