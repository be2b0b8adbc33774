/* The sampler: a thread that looks at the process a few times per second, without the interpreter. */
#ifndef PROBE_SAMPLER_H
#define PROBE_SAMPLER_H

#include "base/buf.h"

/* Starts it again if this is a forked child that should have one. */
void sampler_resume(void);

#endif
