/* The recorder as sources see it: a sink. Threads may share it, so a live source can write into the recorder that
 * others write into, from a thread of its own. */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include "model/sink.h"
#include "run/writer.h"

/* Each call takes the recorder's lock; the recorder must outlive the sink. After a failure every call fails with the
 * first error, so that a source stops. */
record_sink recorder_sink(roast_recorder *recorder);
/* Turns a recorder that was opened at ":memory:" into the run that it recorded. Takes the recorder with it. */
roast_code recorder_into_run(roast_recorder *recorder, roast_run **out, roast_error *err);

#endif
