/* What a record means: asked here by everyone, so that two answers cannot differ. */
#ifndef MODEL_FACTS_H
#define MODEL_FACTS_H

#include <roast.h>

/* An attempt failed if its record names an error, by type or by text. */
bool chunk_failed(const roast_chunk *chunk);
/* Whether an error speaks of a connection, a timeout or a machine that went away: then the same may succeed later. */
bool error_is_transient(roast_str type, roast_str text);
/* Whether an error says that the attempt ended with its worker: what recorders write of it, as nobody could measure it.
 */
bool error_is_death(roast_str type);
/* Time from opening the file to returning the result; phases that were not measured count as 0. */
int64_t chunk_busy_ns(const roast_chunk *chunk);
/* The same chunk has the same identity, whichever attempt at it this is: file, tree, dataset, entries and round. */
uint64_t chunk_identity(const roast_chunk *chunk);
/* The same chunk in two runs: rounds do not count, and its file and dataset are numbers that the two runs share,
 * because they may name one file by two URLs. 64 bits tell a million chunks apart but for one chance in thirty million.
 */
uint64_t chunk_identity_across_runs(const roast_chunk *chunk, uint32_t file, uint32_t dataset);
/* Whether a record says which chunk it is about. */
bool chunk_is_named(const roast_chunk *chunk);

/* Whether an attempt, of a chunk or of a task, repeats another one. */
static inline bool is_retry(int64_t attempt)
{
    return attempt != ROAST_ABSENT && attempt > 1;
}

/* What a file is read from: "root://eos.cern.ch", with the port if its address names one; "local files" for paths. */
roast_str file_server(roast_str url);

/* The machine that a worker ran on: as it says, else as its address tells ("tcp://HOST:PORT"), else the address itself.
 */
roast_str worker_host(const roast_worker *worker);
/* "tcp://HOST:PORT" → HOST; absent if the address does not tell. */
roast_str address_host(roast_str address);
/* How a worker is called on every screen: "tcp://10.0.3.7:41022" differs from others after the slashes. */
roast_str without_scheme(roast_str address);
/* Whether it is known that no probe measured what ran there: then nobody knows what it did, and it was not idle. */
bool worker_not_measured(const roast_worker *worker);
/* A time that a worker's clock told, on the client's clock. worker may be NULL; absent stays absent. */
int64_t to_client_clock(const roast_worker *worker, int64_t t_ns);

int64_t or_zero(int64_t value);
double as_real(int64_t value); /* NAN if absent */

#endif
