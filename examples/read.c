/* Reads a run from C: cc read.c -o read $(pkg-config --cflags --libs roast) && ./read run.roast */
#include <inttypes.h>
#include <roast.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    roast_error err;
    roast_run *run;
    roast_summary *summary;
    if (argc != 2 || roast_run_load(&run, argv[1], NULL, &err) != ROAST_OK)
        return fprintf(stderr, "read: %s\n", argc == 2 ? err.message : "say what: read RUN"), 1;
    if (roast_summarize(&summary, run, &err) != ROAST_OK)
        return fprintf(stderr, "read: %s\n", err.message), 1;

    roast_str name = roast_run_name(run);
    roast_value chunks = roast_summary_get(summary, "num_chunks", NULL);
    printf("%.*s: %" PRId64 " chunks\n", (int)name.len, name.ptr, chunks.kind == ROAST_INT ? chunks.as.integer : 0);

    for (size_t row = 0; row < roast_summary_rows(summary, ROAST_SCOPE_DATASET); row++) {
        roast_value dataset = roast_summary_cell(summary, ROAST_SCOPE_DATASET, row, "dataset");
        roast_value events = roast_summary_cell(summary, ROAST_SCOPE_DATASET, row, "total_events");
        printf("  %.*s: %" PRId64 " events\n", (int)dataset.as.text.len, dataset.as.text.ptr, events.as.integer);
    }
    roast_finding finding = {.size = sizeof finding};
    const roast_explanation *why = roast_summary_explanation(summary);
    for (size_t i = 0; why && roast_explanation_finding(why, i, &finding); i++)
        printf("  held back by %s (%s): %.3f core seconds\n", finding.id, finding.confidence, finding.core_seconds);

    roast_text text = {0}; /* what the command shows */
    if (roast_summary_render(&text, summary, ROAST_TERMINAL, NULL, &err) == ROAST_OK)
        puts(text.data);
    roast_text_release(&text);
    roast_summary_free(summary);
    roast_run_close(run);
    return 0;
}
