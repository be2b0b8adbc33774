-- The run file, version 4. docs/format.md says what each column means.
-- Times are nanoseconds since 1970 UTC, durations nanoseconds, sizes bytes. NULL is "not measured".
-- A dollar and the name of a record stand for its columns, which include/roast_records.def lists.

CREATE TABLE run (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE worker (id INTEGER PRIMARY KEY, $worker);
CREATE TABLE sample ($sample);
CREATE TABLE worker_count ($worker_count);
CREATE TABLE dataset (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE file (id INTEGER PRIMARY KEY, $file);
CREATE TABLE branch (file INTEGER NOT NULL REFERENCES file, $branch, PRIMARY KEY (file, name)) WITHOUT ROWID;
CREATE TABLE branch_set (id INTEGER NOT NULL, name INTEGER NOT NULL REFERENCES name, PRIMARY KEY (id, name)) WITHOUT ROWID;
CREATE TABLE chunk (id INTEGER PRIMARY KEY, $chunk);
CREATE TABLE section (chunk INTEGER NOT NULL REFERENCES chunk, $section);
CREATE TABLE custom (chunk INTEGER NOT NULL REFERENCES chunk, name INTEGER NOT NULL REFERENCES name, value BLOB NOT NULL);
CREATE TABLE task (id INTEGER PRIMARY KEY, $task);
CREATE TABLE activity ($activity, PRIMARY KEY (context, prefix, activity, unit)) WITHOUT ROWID;
CREATE TABLE work ($work);
CREATE TABLE given (metric TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE document (kind TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE note (id INTEGER PRIMARY KEY, t_ns INTEGER NOT NULL, level TEXT NOT NULL, text TEXT NOT NULL);

-- For people who query by hand: names instead of numbers, seconds instead of nanoseconds.
CREATE VIEW attempts AS
    SELECT chunk.id AS chunk, dataset.name AS dataset, file.url AS file, file.tree AS tree, entry_start, entry_stop,
           events, attempt, worker.address AS worker, worker.host AS host, thread,
           t_start_ns / 1e9 AS t_start, duration_ns / 1e9 AS duration_s, open_ns / 1e9 AS open_s,
           events_ns / 1e9 AS events_s, return_ns / 1e9 AS return_s, cpu_ns / 1e9 AS cpu_s,
           (duration_ns - cpu_ns) / 1e9 AS noncpu_s, run_delay_ns / 1e9 AS run_delay_s,
           rss_before / 1048576.0 AS mem_before_mib, rss_after / 1048576.0 AS mem_after_mib,
           rss_peak / 1048576.0 AS mem_peak_mib, chunk.bytes_read, read_requests, branch_set, error_type, error,
           major_faults, storage_bytes_read, events_ns / 1e9 AS schema_s -- as it was called in version 1
      FROM chunk LEFT JOIN dataset ON dataset.id = chunk.dataset LEFT JOIN file ON file.id = chunk.file
                 LEFT JOIN worker ON worker.id = chunk.worker;
-- What roast show counts as chunks: attempts that succeeded.
CREATE VIEW chunks AS SELECT * FROM attempts WHERE error_type IS NULL AND error IS NULL;
CREATE VIEW sections AS
    SELECT section.chunk, dataset.name AS dataset, name.text AS section, outer_name.text AS parent, depth, count,
           section.duration_ns / 1e9 AS duration_s, section.cpu_ns / 1e9 AS cpu_s,
           rss_delta / 1048576.0 AS mem_delta_mib, bytes
      FROM section JOIN name ON name.id = section.name LEFT JOIN name AS outer_name ON outer_name.id = section.parent
                   JOIN chunk ON chunk.id = section.chunk LEFT JOIN dataset ON dataset.id = chunk.dataset;
CREATE VIEW workers AS
    SELECT id AS worker, address, name, host, pid, cores, memory_limit / 1048576.0 AS memory_limit_mib,
           joined_ns / 1e9 AS joined, left_ns / 1e9 AS "left", lost, reason, probe FROM worker;
CREATE VIEW samples AS
    SELECT worker.address AS worker, t_ns / 1e9 AS t, memory / 1048576.0 AS memory_mib, cpu AS cpu_percent, processing,
           executing, managed / 1048576.0 AS managed_mib, spilled / 1048576.0 AS spilled_mib, occupancy,
           net_read, net_write, disk_read, disk_write
      FROM sample JOIN worker ON worker.id = sample.worker;
CREATE VIEW files AS
    SELECT id AS file_id, url AS file, tree, uuid, entries, total_branches, compressed, uncompressed,
           1.0 * compressed / uncompressed AS compression_ratio, clusters, algorithm, level FROM file;
CREATE VIEW branches AS
    SELECT file.url AS file, name.text AS branch, branch.compressed, branch.uncompressed, baskets
      FROM branch JOIN file ON file.id = branch.file JOIN name ON name.id = branch.name;
CREATE VIEW branches_read AS
    SELECT branch_set.id AS branch_set, name.text AS branch FROM branch_set JOIN name ON name.id = branch_set.name;
CREATE VIEW tasks AS
    SELECT key, prefix_name.text AS prefix, worker.address AS worker, thread, start_ns / 1e9 AS start,
           (stop_ns - start_ns) / 1e9 AS duration_s, nbytes, state_name.text AS state, attempt
      FROM task LEFT JOIN name AS prefix_name ON prefix_name.id = task.prefix
                LEFT JOIN name AS state_name ON state_name.id = task.state LEFT JOIN worker ON worker.id = task.worker;
CREATE VIEW activities AS
    SELECT context_name.text AS context, prefix_name.text AS prefix, activity_name.text AS activity,
           unit_name.text AS unit, value
      FROM activity JOIN name AS context_name ON context_name.id = context JOIN name AS prefix_name ON prefix_name.id = prefix
                    JOIN name AS activity_name ON activity_name.id = activity JOIN name AS unit_name ON unit_name.id = unit;
CREATE VIEW failures AS
    SELECT error_type, dataset, file, worker, count(*) AS attempts, sum(duration_s) AS lost_s, min(error) AS example
      FROM attempts WHERE error_type IS NOT NULL OR error IS NOT NULL GROUP BY 1, 2, 3, 4;
-- What was asked for and is not in the result; without entries: a file that was never opened.
CREATE VIEW missing AS
    SELECT dataset.name AS dataset, file.url AS file, file.tree AS tree, entry_start, entry_stop, error_type, error
      FROM work JOIN file ON file.id = work.file LEFT JOIN dataset ON dataset.id = work.dataset;
