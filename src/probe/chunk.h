/* A chunk attempt as it is measured on one thread: its phases, and the sections inside it. */
#ifndef PROBE_CHUNK_H
#define PROBE_CHUNK_H

#include "model/core_time.h"

typedef struct probe_chunk probe_chunk;

typedef enum probe_kind { SECTION_TIME, SECTION_MEMORY, SECTION_BYTES } probe_kind;

/* Starts to measure a chunk on the calling thread, inside the one that is there already, if any. owner is for the
 * caller. NULL if memory is out. */
probe_chunk *probe_chunk_begin(void *owner);
/* The innermost chunk of the calling thread, or NULL. */
probe_chunk *probe_chunk_current(void);
void *probe_chunk_owner(const probe_chunk *chunk);

/* Ends the phase that the chunk is in and starts another; a phase that comes again is summed. On the chunk's own
 * thread: elsewhere it does nothing. */
void probe_chunk_phase(probe_chunk *chunk, chunk_phase phase);
/* Ends the measurement: the phase, open sections, and the chunk's place on its thread. Twice is fine. */
void probe_chunk_end(probe_chunk *chunk);
/* Fills in what was measured; everything else in record stays. Sections are borrowed from the chunk. False if memory
 * is out. */
bool probe_chunk_fill(probe_chunk *chunk, roast_chunk *record);
/* From any thread, ended or not. */
void probe_chunk_free(probe_chunk *chunk);

/* Enters a section of the innermost chunk of this thread; nothing happens if there is none. token stands for the
 * with-block: the exit with the same token ends the last entry that has not ended. bytes is what the file source has
 * read so far, for SECTION_BYTES. */
void probe_section_enter(probe_kind kind, roast_str name, const void *token, int64_t bytes);
void probe_section_exit(const void *token, int64_t bytes);
/* Adds to a section what somebody else has measured; ROAST_ABSENT adds nothing. */
void probe_section_add(probe_chunk *chunk, roast_str name, int64_t duration_ns, int64_t rss_delta, int64_t bytes);

/* For the sampler: a value of the resident memory of this process. */
void probe_chunks_update_peak(int64_t rss);

#endif
