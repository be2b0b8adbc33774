/* Sections: summed by name over all chunks. One that was always entered from the same section is a part of that. */
#include <math.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/facts.h"

roast_code feed_section(void *context, const run_section *row)
{
    analysis *a = context;
    if (row->name >= a->n_names)
        return ROAST_OK;
    section_tally *tally = &a->sections[row->name];
    const roast_section *section = &row->record;
    if (!tally->seen) {
        tally->seen = true;
        tally->duration_ns = tally->max_duration_ns = tally->cpu_ns = tally->bytes = ROAST_ABSENT;
        tally->parent = row->parent;
    }
    if (tally->parent != row->parent)
        tally->parent = RUN_UNKNOWN;
    if (row->parent < a->n_names)
        saturated_add(&a->sections[row->parent].inner_ns, or_zero(section->duration_ns));
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

/* nested: some section is inside another; else their own time is their time. */
static void fill_row(const analysis *a, size_t row, uint32_t name, double process, bool nested)
{
    roast_summary *summary = a->summary;
    const section_tally *tally = &a->sections[name];
    double seconds = clock_seconds(tally->duration_ns);
    summary_cell_text(summary, M_section_section, row, run_name(a->run, name));
    if (tally->parent < a->n_names && a->sections[tally->parent].seen)
        summary_cell_text(summary, M_section_parent, row, run_name(a->run, tally->parent));
    if (nested)
        summary_cell_real(summary, M_section_self_duration, row, fmax(seconds - clock_seconds(tally->inner_ns), 0));
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
    size_t sections = 0, row = 0;
    bool nested = false;
    for (size_t name = 0; name < a->n_names; name++) {
        sections += a->sections[name].seen;
        nested |= a->sections[name].inner_ns > 0;
    }
    if (!summary_add_rows(a->summary, ROAST_SCOPE_SECTION, sections))
        return fail_memory(err);
    double process = clock_seconds(a->all.attempted_ns); /* sections of failed attempts are there too */
    for (size_t name = 0; name < a->n_names; name++)
        if (a->sections[name].seen)
            fill_row(a, row++, (uint32_t)name, process, nested);
    return ROAST_OK;
}
