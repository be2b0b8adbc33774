/* The sampler: a thread that looks at the process a few times per second, without the interpreter. */
#ifndef PROBE_SAMPLER_H
#define PROBE_SAMPLER_H

#include "base/buf.h"

/* Starts it, or makes it faster if it runs; each start needs a stop. After a fork it starts again in the child with
 * the first chunk. */
roast_code sampler_start(double hz, roast_error *err);
void sampler_stop(void);
/* Starts it again if this is a forked child that should have one. */
void sampler_resume(void);
/* Packs what was seen since the last time and forgets it; nothing is appended if that is nothing. When nobody drains
 * it, the oldest samples go first. */
void sampler_drain(buf *out);

#endif
