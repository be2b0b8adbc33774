/* Where the files are: what chunks read from each server, and how quickly it answered. */
#ifndef ANALYSIS_STORAGE_H
#define ANALYSIS_STORAGE_H

#include "analysis/ledger.h"
#include "analysis/statistics.h"
#include "base/intern.h"
#include "run/reader.h"

/* Sums over the attempts at chunks of one server. What is a ratio has its terms from the same chunks. */
typedef struct server_tally {
    int64_t chunks, failed;
    int64_t bytes_read;                  /* ROAST_ABSENT until a chunk has measured it */
    int64_t reading_bytes, reading_ns;   /* of chunks that know how long they waited in process() */
    int64_t requested_bytes, n_requests; /* of chunks that count their requests */
    number_list open_seconds;            /* of each attempt that opened its file: exact percentiles need all */
} server_tally;

typedef struct storage_sums {
    intern names; /* number is the server's */
    server_tally *servers;
    size_t n_servers, capacity;
    uint32_t *of_file;
    size_t n_files;
} storage_sums;

/* The servers of the files that the run has by now; false if memory is out, as storage_add. */
bool storage_fit(storage_sums *sums, const roast_run *run);
bool storage_add(storage_sums *sums, const run_chunk *row, const ledger_attempt *attempt);
void storage_release(storage_sums *sums);

#endif
