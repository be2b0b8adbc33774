/* Many files. Threads take the next path that is free and leave what they read in a ring of slots; the caller empties
 * the ring in order. A thread that is a ring ahead waits, so memory does not grow with the number of files. */
#include "source/root/many.h"

#include <glob.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"

enum { MOST_JOBS = 64, USUAL_JOBS = 8, SLOTS_PER_JOB = 4 };

/* ---- Paths -------------------------------------------------------------------------------------------------- */

static roast_code add_path(root_paths *paths, roast_str path, roast_error *err)
{
    if (paths->count == paths->capacity) {
        size_t capacity = paths->capacity ? paths->capacity * 2 : 64;
        const char **items = arena_alloc(&paths->memory, capacity, sizeof *items);
        if (!items)
            return fail_memory(err);
        if (paths->count > 0)
            memcpy(items, paths->items, paths->count * sizeof *items);
        paths->items = items;
        paths->capacity = capacity;
    }
    roast_str copy = arena_str(&paths->memory, path);
    if (str_absent(copy))
        return fail_memory(err);
    paths->items[paths->count++] = copy.ptr;
    return ROAST_OK;
}

static roast_code add_matches(root_paths *paths, const char *pattern, roast_error *err)
{
    glob_t found = {0};
    int result = glob(pattern, GLOB_BRACE | GLOB_TILDE, NULL, &found);
    roast_code code = ROAST_OK;
    if (result == GLOB_NOMATCH)
        code = fail(err, ROAST_MISSING, "%s: no file matches", pattern);
    else if (result != 0)
        code = result == GLOB_NOSPACE ? fail_memory(err) : fail(err, ROAST_IO, "%s: cannot be searched", pattern);
    for (size_t i = 0; i < found.gl_pathc && !code; i++)
        code = add_path(paths, str_from(found.gl_pathv[i]), err);
    globfree(&found);
    return code;
}

roast_code root_paths_add(root_paths *paths, const char *pattern, roast_error *err)
{
    bool remote = strstr(pattern, "://") && strncmp(pattern, "file://", 7) != 0;
    const char *local = strncmp(pattern, "file://", 7) == 0 ? pattern + 7 : pattern;
    if (!remote && strpbrk(local, "*?[{") && access(local, F_OK) != 0)
        return add_matches(paths, local, err);
    return add_path(paths, str_from(pattern), err);
}

roast_code root_paths_add_list(root_paths *paths, FILE *list, const char *name, roast_error *err)
{
    char *line = NULL;
    size_t capacity = 0, before = paths->count;
    ssize_t len;
    roast_code code = ROAST_OK;
    while (!code && (len = getline(&line, &capacity, list)) >= 0) {
        roast_str text = str_trim((roast_str){line, (size_t)len});
        if (text.len == 0 || text.ptr[0] == '#')
            continue;
        line[text.ptr - line + (ssize_t)text.len] = '\0';
        code = root_paths_add(paths, text.ptr, err);
    }
    if (!code && ferror(list))
        code = fail(err, ROAST_IO, "%s: cannot be read", name);
    if (!code && paths->count == before)
        code = fail(err, ROAST_MISSING, "%s: the list names no file", name);
    free(line);
    return code;
}

void root_paths_release(root_paths *paths)
{
    arena_release(&paths->memory);
    *paths = (root_paths){0};
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

typedef struct slot {
    root_file *file;
    roast_error why;
    bool ready;
} slot;

typedef struct pool {
    const root_paths *paths;
    const root_options *options;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    slot *slots;
    size_t n_slots;
    size_t next, done; /* to be taken; to be visited */
    bool stop;
} pool;

static void *work(void *context)
{
    pool *p = context;
    pthread_mutex_lock(&p->lock);
    while (true) {
        while (!p->stop && p->next < p->paths->count && p->next >= p->done + p->n_slots)
            pthread_cond_wait(&p->changed, &p->lock);
        if (p->stop || p->next >= p->paths->count)
            break;
        size_t index = p->next++;
        slot *s = &p->slots[index % p->n_slots];
        pthread_mutex_unlock(&p->lock);
        s->why = (roast_error){0};
        (void)root_open(&s->file, p->paths->items[index], p->options, &s->why);
        pthread_mutex_lock(&p->lock);
        s->ready = true;
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static roast_code visit_in_order(pool *p, root_visitor *visit, void *context, roast_error *err)
{
    roast_code code = ROAST_OK;
    for (size_t i = 0; i < p->paths->count && !code; i++) {
        slot *s = &p->slots[i % p->n_slots];
        pthread_mutex_lock(&p->lock);
        while (!s->ready)
            pthread_cond_wait(&p->changed, &p->lock);
        pthread_mutex_unlock(&p->lock);
        code = visit(context, p->paths->items[i], s->file, &s->why, err);
        root_close(s->file);
        pthread_mutex_lock(&p->lock);
        s->file = NULL;
        s->ready = false;
        p->done = i + 1;
        pthread_cond_broadcast(&p->changed);
        pthread_mutex_unlock(&p->lock);
    }
    return code;
}

/* Without threads, or with one file. */
static roast_code read_one_by_one(const root_paths *paths, const root_options *options, root_visitor *visit,
                                  void *context, roast_error *err)
{
    roast_code code = ROAST_OK;
    for (size_t i = 0; i < paths->count && !code; i++) {
        root_file *file;
        roast_error why = {0};
        (void)root_open(&file, paths->items[i], options, &why);
        code = visit(context, paths->items[i], file, &why, err);
        root_close(file);
    }
    return code;
}

static size_t choose_jobs(size_t jobs, size_t files)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (jobs == 0)
        jobs = processors < 1 ? 1 : processors > USUAL_JOBS ? USUAL_JOBS : (size_t)processors;
    if (jobs > MOST_JOBS)
        jobs = MOST_JOBS;
    return jobs < files ? jobs : files;
}

static roast_code read_in_threads(pool *p, size_t jobs, root_visitor *visit, void *context, roast_error *err)
{
    pthread_t threads[MOST_JOBS];
    size_t started = 0;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    while (started < jobs && pthread_create(&threads[started], NULL, work, p) == 0)
        started++;
    roast_code code = started > 0 ? visit_in_order(p, visit, context, err)
                                  : read_one_by_one(p->paths, p->options, visit, context, err);
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < p->n_slots; i++)
        root_close(p->slots[i].file);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    return code;
}

roast_code root_read_many(const root_paths *paths, const root_options *options, size_t jobs, root_visitor *visit,
                          void *context, roast_error *err)
{
    jobs = choose_jobs(jobs, paths->count);
    if (jobs <= 1)
        return read_one_by_one(paths, options, visit, context, err);
    pool p = {.paths = paths, .options = options, .n_slots = jobs * SLOTS_PER_JOB};
    p.slots = calloc(p.n_slots, sizeof *p.slots);
    if (!p.slots)
        return fail_memory(err);
    roast_code code = read_in_threads(&p, jobs, visit, context, err);
    free(p.slots);
    return code;
}
