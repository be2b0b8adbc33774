/* What to do about a finding, as numbers and names: the value to use, the file, worker, host, section or collection it
 * is about, and what it is not. src/view/advice_words.c has the words. */
#ifndef ANALYSIS_ADVICE_H
#define ANALYSIS_ADVICE_H

#include <roast.h>

/* What a placeholder of the words stands for. */
#define ADVICE_KEYS(X)                                                                                                 \
    X(TOGETHER, together)           /* so many tasks to be made one */                                                 \
    X(CHUNKSIZE, chunksize)         /* events per chunk to use */                                                      \
    X(NOW, now)                     /* events per chunk, as it was */                                                  \
    X(PER_FILE, per_file)           /* chunks that it makes of the usual file */                                       \
    X(CHUNKS, chunks)               /* chunks that it makes in all */                                                  \
    X(CLUSTER, cluster)             /* events of a cluster of the usual file */                                        \
    X(WORKERS, workers)             /* so many of them */                                                              \
    X(HOSTS, hosts)                 /* on so many machines */                                                          \
    X(LIFETIME, lifetime)           /* seconds that each of them lived */                                              \
    X(SECTION, section)             /* of the processor */                                                             \
    X(SECTION_SHARE, section_share) /* percent of what is told that is in it */                                        \
    X(COLLECTION, collection)       /* of the events, of which most bytes were read */                                 \
    X(SHARED, shared)               /* what slow chunks have in common */                                              \
    X(FILE, file)                                                                                                      \
    X(WORKER, worker)                                                                                                  \
    X(HOST, host)

typedef enum advice_key {
#define ADVICE_ENUM(name, id) ADVICE_##name,
    ADVICE_KEYS(ADVICE_ENUM)
#undef ADVICE_ENUM
        ADVICE_KEY_COUNT
} advice_key;

/* A name or a number; neither if it is not known. */
typedef struct advice_value {
    roast_str name;
    double number;
} advice_value;

/* What a finding could be mistaken for, and how it is measured. */
typedef enum suspect {
    SUSPECT_MEMORY,    /* highest memory, percent of the limit */
    SUSPECT_SPILLING,  /* bytes */
    SUSPECT_WAITING,   /* waiting in process(), percent of the time of chunks */
    SUSPECT_NO_CORE,   /* waiting for a core, the same */
    SUSPECT_SCHEDULER, /* cores idle while chunks waited, percent of the core time */
    SUSPECT_LOSSES,    /* workers that were lost */
    SUSPECT_ONE_HOST,  /* hosts that it is spread over */
    SUSPECT_COUNT
} suspect;

typedef struct acquittal {
    suspect of;
    double value;
} acquittal;

enum { MOST_ACQUITTALS = 4 };

typedef struct advice {
    advice_value values[ADVICE_KEY_COUNT];
    acquittal ruled_out[MOST_ACQUITTALS];
    size_t n_ruled_out;
    bool no_cluster; /* there is no client and no cluster that code could name */
    bool local;      /* nor a scheduler */
    bool of_tasks;   /* tasks are the work: there is no Runner, and there are no chunks */
} advice;

const char *advice_key_id(advice_key key);
bool advice_known(const advice_value *value);

#endif
