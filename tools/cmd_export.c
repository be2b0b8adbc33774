/* roast export: a run in another format, to stdout, to a file, or as a folder of tables. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/str.h"
#include "command.h"
#include "console.h"
#include "output.h"
#include "runs.h"

static const char *const CSV_TABLES[] = {"run",        "datasets", "sections",        "files",          "branches",
                                         "storage",    "workers",  "errors",          "failures",       "missing",
                                         "activities", "ledger",   "ledger_datasets", "ledger_workers", "chunks"};

enum { CSV_TABLE_COUNT = sizeof CSV_TABLES / sizeof CSV_TABLES[0] };

static const char *csv_table_at(size_t index)
{
    return index < CSV_TABLE_COUNT ? CSV_TABLES[index] : NULL;
}

enum { TO, OUTPUT, ONLY, SALVAGE };
const option EXPORT_OPTIONS[] = {
    [TO] = {"to", "FORMAT", "json, csv, openmetrics or perfetto", "json csv openmetrics perfetto", 't'},
    [OUTPUT] = {"output", "PATH", "file to write, or folder for the tables of CSV; - is standard output", NULL, 'o'},
    [ONLY] = {"only", "TABLES", "tables of CSV, separated by commas:", NULL, 0, csv_table_at, .several = true},
    [SALVAGE] = OPTION_SALVAGE,
    {.name = NULL},
};

typedef struct export
{
    const char *path;
    roast_run *run;
    roast_summary *summary;
    bool wanted[CSV_TABLE_COUNT];
    size_t n_wanted;
}
export;

/* ---- Texts of a summary ---------------------------------------------------------------------------------------- */

static roast_code export_form(const export *e, roast_form form, const char *table, const char *path, roast_error *err)
{
    buf text = {0};
    roast_look look = {.size = sizeof look, .only = table};
    return output_text(path, roast_summary_render(&text, e->summary, form, &look, err), &text, err);
}

static roast_code export_json(const export *e, roast_error *err)
{
    return export_form(e, ROAST_JSON, NULL, e->path, err);
}

static roast_code export_openmetrics(const export *e, roast_error *err)
{
    return export_form(e, ROAST_OPENMETRICS, NULL, e->path, err);
}

/* ---- Texts that are written as the run is read ----------------------------------------------------------------- */

typedef struct part_target {
    output *out;
    roast_error *err;
} part_target;

static roast_code write_part(void *context, roast_str part)
{
    part_target *target = context;
    return output_write(target->out, part, target->err);
}

typedef roast_code (*part_source)(const export *e, roast_write sink, void *context, roast_error *err);

static roast_code export_parts(const export *e, part_source source, const char *path, roast_error *err)
{
    output out;
    roast_code code = output_open(&out, path, err);
    if (code)
        return code;
    roast_error of_writing = {0};
    code = source(e, write_part, &(part_target){&out, &of_writing}, err);
    if (of_writing.code && err)
        *err = of_writing;
    else if (code && !err->message[0])
        fail(err, code, "%s", roast_code_text(code));
    return output_finish(&out, code, err);
}

static roast_code chunk_parts(const export *e, roast_write sink, void *context, roast_error *err)
{
    return roast_run_write_chunks(e->run, sink, context, err);
}

static roast_code trace_parts(const export *e, roast_write sink, void *context, roast_error *err)
{
    return roast_run_write_trace(e->run, e->summary, sink, context, err);
}

static roast_code export_perfetto(const export *e, roast_error *err)
{
    return export_parts(e, trace_parts, e->path, err);
}

/* ---- CSV ----------------------------------------------------------------------------------------------------- */

static roast_code export_table(const export *e, const char *table, const char *path, roast_error *err)
{
    return strcmp(table, "chunks") == 0 ? export_parts(e, chunk_parts, path, err)
                                        : export_form(e, ROAST_CSV, table, path, err);
}

static roast_code export_folder(const export *e, roast_error *err)
{
    if (mkdir(e->path, 0777) != 0 && errno != EEXIST)
        return fail(err, ROAST_IO, "%s: the folder cannot be made: %s", e->path, strerror(errno));
    roast_code code = ROAST_OK;
    buf path = {0};
    for (size_t i = 0; i < CSV_TABLE_COUNT && !code; i++) {
        if (!e->wanted[i])
            continue;
        buf_clear(&path);
        buf_format(&path, "%s/%s.csv", e->path, CSV_TABLES[i]);
        code = path.code ? fail_memory(err) : export_table(e, CSV_TABLES[i], path.data, err);
    }
    buf_release(&path);
    return code;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return path && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static roast_code export_csv(const export *e, roast_error *err)
{
    if (e->n_wanted > 1 || is_folder(e->path))
        return export_folder(e, err);
    for (size_t i = 0; i < CSV_TABLE_COUNT; i++)
        if (e->wanted[i])
            return export_table(e, CSV_TABLES[i], e->path, err);
    return ROAST_OK;
}

/* ---- The command --------------------------------------------------------------------------------------------- */

static void want(export *e, roast_str name)
{
    for (size_t i = 0; i < CSV_TABLE_COUNT; i++)
        if (str_equal(name, str_from(CSV_TABLES[i]))) {
            e->n_wanted += !e->wanted[i];
            e->wanted[i] = true;
        }
}

static int choose_tables(export *e, const char *only)
{
    roast_str rest = str_from(only);
    for (size_t i = 0; !only && i < CSV_TABLE_COUNT; i++)
        want(e, str_from(CSV_TABLES[i]));
    while (!str_absent(rest))
        want(e, str_trim(str_split(&rest, ',')));
    if (e->n_wanted > 1 && (!e->path || strcmp(e->path, "-") == 0))
        return complain("several tables go into a folder: -o FOLDER; or one of them: --only chunks");
    return EXIT_FINE;
}

static const struct export_format {
    const char *name;
    roast_code (*run)(const export *e, roast_error *err);
} FORMATS[] = {
    {"json", export_json},
    {"csv", export_csv},
    {"openmetrics", export_openmetrics},
    {"perfetto", export_perfetto},
};

static const struct export_format *find_format(const char *name)
{
    const struct export_format *format = FORMATS; /* the options have checked that it is one of them */
    while (strcmp(format->name, name) != 0)
        format++;
    return format;
}

int cmd_export(const invocation *call)
{
    const char *name = call->values[TO], *run = call->operands[0];
    if (!name)
        return complain("say in which format: --to json, csv, openmetrics or perfetto");
    const struct export_format *format = find_format(name);
    bool csv = format->run == export_csv;
    export e = {.path = call->values[OUTPUT]};
    if (!csv && call->values[ONLY])
        return complain("--only chooses tables of CSV; the other formats are always the whole run");
    int status = csv ? choose_tables(&e, call->values[ONLY]) : EXIT_FINE;
    if (status != EXIT_FINE)
        return status;
    roast_error err = {0};
    roast_code code = run_argument_summarize(&e.summary, &e.run, run, call->values[SALVAGE], &err);
    if (!code)
        code = format->run(&e, &err);
    roast_summary_free(e.summary);
    roast_run_close(e.run);
    return code ? complain_of(&err) : EXIT_FINE;
}
