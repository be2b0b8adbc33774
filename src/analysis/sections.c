/* Sections: summed by name over all chunks. */
#include <math.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/error.h"

typedef struct section_tally {
    int64_t count, duration_ns, max_duration_ns, cpu_ns, bytes;
    moments mem_delta; /* MiB, per chunk */
    bool seen;
} section_tally;

typedef struct section_pass {
    section_tally *by_name; /* indexed by name */
    size_t names, sections;
} section_pass;

static roast_code see_section(void *context, const run_section *row)
{
    section_pass *pass = context;
    if (row->name >= pass->names)
        return ROAST_OK;
    section_tally *tally = &pass->by_name[row->name];
    const roast_section *section = &row->record;
    if (!tally->seen) {
        tally->seen = true;
        tally->duration_ns = tally->max_duration_ns = tally->cpu_ns = tally->bytes = ROAST_ABSENT;
        pass->sections++;
    }
    add_measured(&tally->count, section->count);
    add_measured(&tally->duration_ns, section->duration_ns);
    add_measured(&tally->cpu_ns, section->cpu_ns);
    add_measured(&tally->bytes, section->bytes);
    if (section->duration_ns > tally->max_duration_ns) /* absent is smaller than any */
        tally->max_duration_ns = section->duration_ns;
    if (section->rss_delta != ROAST_ABSENT)
        moments_add(&tally->mem_delta, mebibytes(section->rss_delta));
    return ROAST_OK;
}

static void fill_row(roast_summary *summary, size_t row, roast_str name, const section_tally *tally, double process)
{
    double seconds = clock_seconds(tally->duration_ns);
    summary_cell_text(summary, M_section_section, row, name);
    summary_cell_int(summary, M_section_count, row, tally->count);
    summary_cell_real(summary, M_section_total_duration, row, seconds);
    summary_cell_real(summary, M_section_mean_duration, row, ratio(seconds, (double)tally->count));
    summary_cell_real(summary, M_section_max_duration, row, clock_seconds(tally->max_duration_ns));
    summary_cell_real(summary, M_section_cpu_seconds, row, clock_seconds(tally->cpu_ns));
    summary_cell_real(summary, M_section_share_of_process_percent, row, ratio(seconds * 100, process));
    summary_cell_real(summary, M_section_mean_mem_delta_mb, row, moments_mean(&tally->mem_delta));
    summary_cell_real(summary, M_section_min_mem_delta_mb, row, moments_min(&tally->mem_delta));
    summary_cell_real(summary, M_section_max_mem_delta_mb, row, moments_max(&tally->mem_delta));
    summary_cell_int(summary, M_section_bytes, row, tally->bytes);
}

roast_code analyse_sections(analysis *a, roast_error *err)
{
    arena scratch = {0};
    section_pass pass = {.names = run_names(a->run)};
    pass.by_name = arena_alloc(&scratch, pass.names, sizeof *pass.by_name);
    roast_code code = pass.by_name ? run_each_section(a->run, RUN_MEASURES, see_section, &pass, err) : fail_memory(err);
    if (!code && !summary_add_rows(a->summary, ROAST_SCOPE_SECTION, pass.sections))
        code = fail_memory(err);
    double process = clock_seconds(a->all.attempted_ns); /* sections of failed attempts are there too */
    for (size_t name = 0, row = 0; !code && name < pass.names; name++)
        if (pass.by_name[name].seen)
            fill_row(a->summary, row++, run_name(a->run, (uint32_t)name), &pass.by_name[name], process);
    arena_release(&scratch);
    return code;
}
