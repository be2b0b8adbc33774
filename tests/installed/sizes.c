/* Records from programs whose header is older (a field shorter) or newer (a field longer) than the library's, those in
 * lists of other records too, and whether they are recorded or packed first. The last field that a program knows, or
 * what it has beyond the library's, is filled with what must not be taken for anything else. */
#include <inttypes.h>
#include <roast.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { OLDER, SAME, NEWER, VERSIONS, PARTS = 3 };

static roast_str text(const char *s)
{
    return (roast_str){s, strlen(s)};
}

/* The record that the program of a version has: NEWER ends in 16 bytes more, OLDER before its last field. */
#define RECORD(record, last)                                                                                           \
    typedef struct newer_##record {                                                                                    \
        roast_##record known;                                                                                          \
        int64_t more[2];                                                                                               \
    } newer_##record;                                                                                                  \
    static size_t record##_size(int version)                                                                           \
    {                                                                                                                  \
        const size_t sizes[] = {offsetof(roast_##record, last), sizeof(roast_##record), sizeof(newer_##record)};       \
        return sizes[version];                                                                                         \
    }                                                                                                                  \
    static roast_##record *record##_at(void *list, int version, size_t index)                                          \
    {                                                                                                                  \
        char *place = (char *)list + index * record##_size(version);                                                   \
        memset(place, 0x5a, record##_size(version));                                                                   \
        roast_##record##_init((roast_##record *)place, record##_size(version));                                        \
        return (roast_##record *)place;                                                                                \
    }

RECORD(section, bytes)
RECORD(branch, baskets)
RECORD(chunk, storage_bytes_read)
RECORD(file, bytes_read)
RECORD(task, span)

/* ---- Recording what programs of each version would ----------------------------------------------------------- */

static const char *names[VERSIONS] = {"older", "same", "newer"};
static const char *parts[PARTS] = {"read", "select", "fill"};

static roast_code record_chunk(roast_recorder *recorder, int version, roast_text *packed)
{
    newer_section sections[PARTS];
    newer_chunk place;
    roast_chunk *chunk = chunk_at(&place, version, 0);
    for (size_t i = 0; i < PARTS; i++) {
        roast_section *section = section_at(sections, version, i);
        section->name = text(parts[i]);
        section->duration_ns = (int64_t)(i + 1) * 1000;
        section->rss_delta = (int64_t)i * 4096;
        if (i)
            section->parent = text(parts[i - 1]), section->depth = (int64_t)i;
        if (version != OLDER)
            section->bytes = (int64_t)i + 7;
    }
    chunk->dataset = text(names[version]);
    chunk->uid = (uint64_t)(version * 2 + (packed != NULL) + 1);
    chunk->events = 100 + version;
    chunk->major_faults = 5;
    if (version != OLDER)
        chunk->storage_bytes_read = 9;
    chunk->sections = &sections[0].known;
    chunk->n_sections = PARTS;
    if (!packed)
        return roast_record_chunk(recorder, chunk);
    roast_pack_chunk(packed, chunk);
    return packed->code;
}

static roast_code record_file(roast_recorder *recorder, int version, roast_text *packed)
{
    char url[64];
    newer_branch branches[PARTS];
    newer_file place;
    roast_file *file = file_at(&place, version, 0);
    for (size_t i = 0; i < PARTS; i++) {
        roast_branch *branch = branch_at(branches, version, i);
        branch->name = text(parts[i]);
        branch->compressed = (int64_t)i + 10;
        branch->uncompressed = (int64_t)i + 20;
        if (version != OLDER)
            branch->baskets = (int64_t)i + 30;
    }
    snprintf(url, sizeof url, "%s%s.root", packed ? "packed-" : "", names[version]);
    file->url = text(url);
    file->level = 4;
    file->branches = &branches[0].known;
    file->n_branches = PARTS;
    if (!packed)
        return roast_record_file(recorder, file);
    roast_pack_file(packed, file);
    return packed->code;
}

static roast_code record_task(roast_recorder *recorder, int version, roast_text *packed)
{
    newer_task place;
    roast_task *task = task_at(&place, version, 0);
    (void)packed;
    task->thread = version;
    if (version != OLDER)
        task->span = text("there");
    return roast_record_task(recorder, task);
}

static roast_code record_all(roast_recorder *recorder, int version)
{
    roast_code (*const makers[])(roast_recorder *, int, roast_text *) = {record_chunk, record_file};
    roast_code code = record_task(recorder, version, NULL);
    for (size_t i = 0; i < 2 && !code; i++) {
        roast_text packed = {0};
        code = makers[i](recorder, version, NULL);
        if (!code)
            code = makers[i](recorder, version, &packed);
        if (!code)
            code = roast_record_packed(recorder, (roast_str){packed.data, packed.len}, text("w"), NULL);
        roast_text_release(&packed);
    }
    return code;
}

/* ---- Reading it ---------------------------------------------------------------------------------------------- */

static int wrong, seen[4];

static void expect(bool fact, const char *what, int64_t which)
{
    if (!fact)
        wrong += fprintf(stderr, "%s %" PRId64 " is not as it was recorded\n", what, which) > 0;
}

static bool is(roast_str a, const char *b)
{
    return b ? a.ptr && a.len == strlen(b) && !memcmp(a.ptr, b, a.len) : !a.ptr;
}

static int version_of[2 * VERSIONS + 1]; /* of a chunk, by its number */

static roast_code check_chunk(void *context, int64_t number, const roast_chunk *chunk)
{
    int version = (int)chunk->events - 100;
    (void)context;
    seen[0]++;
    version_of[number] = version;
    expect(is(chunk->dataset, names[version]) && chunk->major_faults == 5 &&
               chunk->storage_bytes_read == (version == OLDER ? ROAST_ABSENT : 9),
           "chunk", number);
    return ROAST_OK;
}

static roast_code check_section(void *context, int64_t chunk, const roast_section *section)
{
    int64_t i = section->depth;
    (void)context;
    seen[1]++;
    expect(i >= 0 && i < PARTS && is(section->name, parts[i]) && is(section->parent, i ? parts[i - 1] : NULL) &&
               section->duration_ns == (i + 1) * 1000 && section->rss_delta == i * 4096 &&
               section->bytes == (version_of[chunk] == OLDER ? ROAST_ABSENT : i + 7),
           "a section of chunk", chunk);
    return ROAST_OK;
}

static roast_code check_branch(void *context, const roast_file *file, const roast_branch *branch)
{
    int64_t i = branch->compressed - 10;
    bool older = is(file->url, "older.root") || is(file->url, "packed-older.root");
    (void)context;
    seen[2]++;
    expect(i >= 0 && i < PARTS && is(branch->name, parts[i]) && branch->uncompressed == i + 20 &&
               branch->baskets == (older ? ROAST_ABSENT : i + 30) && file->level == 4,
           "branch", i);
    return ROAST_OK;
}

static roast_code check_task(void *context, const roast_task *task)
{
    (void)context;
    seen[3]++;
    expect(is(task->span, task->thread == OLDER ? NULL : "there"), "task", task->thread);
    return ROAST_OK;
}

/* ---- Options ------------------------------------------------------------------------------------------------- */

/* Whether an existing file is replaced if the options are of this size: a program that does not know of a field has not
 * set it, whatever is in memory there. */
static bool replaces(const char *path, size_t size)
{
    struct {
        roast_recorder_options known;
        int64_t more;
    } options = {{.size = size, .overwrite = true}, -1};
    roast_recorder *recorder;
    bool opened = roast_recorder_open(&recorder, path, &options.known, NULL) == ROAST_OK;
    roast_recorder_close(recorder, ROAST_FINISHED, NULL);
    return opened;
}

int main(int argc, char **argv)
{
    roast_recorder *recorder;
    roast_run *run;
    if (argc != 2 || roast_recorder_open(&recorder, argv[1], NULL, NULL))
        return 1;
    for (int version = 0; version < VERSIONS; version++)
        if (record_all(recorder, version))
            return 2;
    if (roast_recorder_close(recorder, ROAST_FINISHED, NULL) || roast_run_open(&run, argv[1], NULL, NULL))
        return 3;
    if (roast_run_visit_chunks(run, check_chunk, NULL, NULL) ||
        roast_run_visit_sections(run, check_section, NULL, NULL) ||
        roast_run_visit_branches(run, check_branch, NULL, NULL) || roast_run_visit_tasks(run, check_task, NULL, NULL))
        return 4;
    roast_run_close(run);
    expect(seen[0] == 2 * VERSIONS, "the number of chunks", seen[0]);
    expect(seen[1] == 2 * VERSIONS * PARTS, "the number of sections", seen[1]);
    expect(seen[2] == 2 * VERSIONS * PARTS, "the number of branches", seen[2]);
    expect(seen[3] == VERSIONS, "the number of tasks", seen[3]);
    expect(!replaces(argv[1], offsetof(roast_recorder_options, overwrite)), "options of size", OLDER);
    expect(replaces(argv[1], sizeof(roast_recorder_options) + sizeof(int64_t)), "options of size", NEWER);
    expect(replaces(argv[1], 0), "options without a size", 0);
    roast_gate_options gate = roast_gate_defaults();
    expect(gate.size == sizeof gate && !gate.metrics && gate.noise == 0.03 && gate.alpha == 0.05, "options of a gate",
           0);
    return wrong ? 5 : 0;
}
