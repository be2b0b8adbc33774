/* The container: header, keys, directories and records of a ROOT file. */
#ifndef SOURCE_ROOT_TFILE_H
#define SOURCE_ROOT_TFILE_H

#include "base/cursor.h"
#include "source/root/transport.h"

/* What stands in front of every record. */
typedef struct root_key {
    int64_t seek; /* where the record begins, this header included */
    int64_t nbytes, objlen, keylen;
    int32_t cycle;
    roast_str class_name, name, title;
} root_key;

/* False if the bytes are not a key. The strings are slices of them. */
bool root_key_parse(cursor *c, root_key *key);

/* The content of a record, unpacked. */
typedef struct root_record {
    const unsigned char *bytes;
    size_t len;
    size_t keylen; /* positions inside the content count from the beginning of the key */
} root_record;

typedef struct root_tfile {
    root_transport *transport;
    root_file *result;
    int64_t memory_left;            /* how much more may be taken: what files claim is not believed */
    bool refused_memory;            /* more than that was asked for */
    int64_t bytes_left;             /* of records that an honest file can still have: they do not overlap */
    int64_t top_seek, top_nbytes;   /* the keys of the top directory */
    int64_t info_seek, info_nbytes; /* how the classes in it are laid out */
} root_tfile;

/* Called for each key that is not a directory; path is that of the directory, "" at the top. */
typedef roast_code root_key_visitor(void *context, const root_key *key, roast_str path, roast_error *err);

/* Reads the header into the result. */
roast_code root_tfile_open(root_tfile *file, roast_error *err);
/* Visits the keys of all directories, depth first. */
roast_code root_tfile_walk(root_tfile *file, root_key_visitor *visit, void *context, roast_error *err);
/* "directory/name", or just the name at the top. */
roast_code root_path_join(root_tfile *file, roast_str directory_path, roast_str name, roast_str *out, roast_error *err);
/* Asks for memory for count things of size, before it is allocated: false if that is more than a file is given. */
bool root_tfile_spend(root_tfile *file, size_t count, size_t size);
/* Reads and unpacks a record into the memory of the result. */
roast_code root_tfile_record(root_tfile *file, root_record *out, const root_key *key, roast_error *err);
/* The same for nbytes without a key, which become len bytes. */
roast_code root_tfile_blob(root_tfile *file, root_record *out, int64_t seek, int64_t nbytes, int64_t len,
                           roast_error *err);

#endif
