/* A sink that writes each record to a run. */
#ifndef RECORD_WRITER_SINK_H
#define RECORD_WRITER_SINK_H

#include "model/sink.h"
#include "run/writer.h"

/* The writer stays with the caller, and must outlive the sink. */
record_sink writer_sink(run_writer *writer);

#endif
