/* Records from programs whose header is older (a field shorter) or newer (a field longer) than the library's. */
#include <roast.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct newer_task {
    roast_task task;
    int64_t something_new;
} newer_task;

static roast_code check(void *context, const roast_task *task)
{
    int *seen = context;
    int older = task->thread == 1;
    ++*seen;
    /* what an older program does not know is absent; what follows its struct in memory is not taken */
    return older == (task->span.ptr == NULL) ? ROAST_OK : ROAST_CORRUPT;
}

int main(int argc, char **argv)
{
    roast_recorder *recorder;
    roast_run *run;
    roast_recorder_options options = {.overwrite = true};
    int seen = 0;
    if (argc != 2 || roast_recorder_open(&recorder, argv[1], &options, NULL))
        return 1;
    roast_task older = roast_task_none();
    newer_task newer = {.task = roast_task_none(), .something_new = 7};
    older.thread = 1;
    older.size = offsetof(roast_task, span);
    older.span = (roast_str){"not there", 9};
    newer.task.thread = 2;
    newer.task.size = sizeof newer;
    newer.task.span = (roast_str){"there", 5};
    if (roast_record_task(recorder, &older) || roast_record_task(recorder, &newer.task) ||
        roast_recorder_close(recorder, ROAST_FINISHED, NULL))
        return 2;
    if (roast_run_open(&run, argv[1], NULL, NULL) || roast_run_visit_tasks(run, check, &seen, NULL))
        return 3;
    roast_run_close(run);
    return seen == 2 ? 0 : 4;
}
