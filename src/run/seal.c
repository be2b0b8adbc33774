/* Page checksums. The first page is sealed last: a seal that was cut short by a crash reads as "not sealed". */
#include "run/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/cursor.h"
#include "base/error.h"
#include "run/database.h"

enum { HEADER_BYTES = 100, BLOCK_BYTES = 1 << 20 };

/* A database file that is looked at page by page, in blocks of many pages. */
typedef struct paged_file {
    const char *path;
    int fd;
    size_t page_size, pages_per_block;
    uint64_t pages;        /* in the file */
    uint64_t header_pages; /* that the header claims */
    unsigned char *block;
} paged_file;

static roast_code fail_io(const paged_file *file, const char *doing, roast_error *err)
{
    return fail(err, ROAST_IO, "%s: %s failed: %s", file->path, doing, strerror(errno));
}

static roast_code read_header(paged_file *file, roast_error *err)
{
    unsigned char header[HEADER_BYTES];
    struct stat info;
    if (fstat(file->fd, &info) != 0 || pread(file->fd, header, sizeof header, 0) != (ssize_t)sizeof header)
        return fail_io(file, "reading", err);
    cursor c = cursor_over(header, sizeof header);
    cursor_seek(&c, 16);
    uint16_t page_size = cursor_be16(&c);
    file->page_size = page_size == 1 ? 65536 : page_size;
    cursor_seek(&c, 20);
    uint8_t reserved = cursor_u8(&c);
    cursor_seek(&c, 28);
    file->header_pages = cursor_be32(&c);
    if (file->page_size < 512 || (file->page_size & (file->page_size - 1)) || reserved != RUN_SEAL_BYTES)
        return fail(err, ROAST_CORRUPT, "%s: damaged in its header (pages of %zu bytes, %d reserved)", file->path,
                    file->page_size, reserved);
    file->pages = (uint64_t)info.st_size / file->page_size;
    if (file->pages < file->header_pages || (uint64_t)info.st_size % file->page_size)
        return fail(err, ROAST_CORRUPT, "%s: cut short: %llu of %llu pages; what can be read: --salvage", file->path,
                    (unsigned long long)file->pages, (unsigned long long)file->header_pages);
    return ROAST_OK;
}

static void paged_close(paged_file *file)
{
    free(file->block);
    if (file->fd >= 0)
        close(file->fd);
}

static roast_code paged_open(paged_file *file, const char *path, int flags, roast_error *err)
{
    *file = (paged_file){.path = path, .fd = open(path, flags | O_CLOEXEC)};
    if (file->fd < 0)
        return fail_io(file, "opening", err);
    roast_code code = read_header(file, err);
    if (code)
        return code;
    file->pages_per_block = BLOCK_BYTES / file->page_size;
    file->block = malloc(BLOCK_BYTES);
    return file->block ? ROAST_OK : fail_memory(err);
}

/* Reads the block that starts at a page; gives the number of pages in it, 0 for an error. */
static size_t read_block(paged_file *file, uint64_t first_page)
{
    uint64_t left = file->pages - first_page;
    size_t pages = left < file->pages_per_block ? (size_t)left : file->pages_per_block;
    size_t bytes = pages * file->page_size;
    ssize_t got = pread(file->fd, file->block, bytes, (off_t)(first_page * file->page_size));
    return got == (ssize_t)bytes ? pages : 0;
}

/* Seeded with the page's number, so that exchanged pages are found too. Never 0, which means "no seal". */
static uint64_t page_checksum(const paged_file *file, const unsigned char *page, uint64_t number)
{
    uint64_t sum = XXH3_64bits_withSeed(page, file->page_size - RUN_SEAL_BYTES, number + 1);
    return sum ? sum : 1;
}

static uint64_t stored_seal(const paged_file *file, const unsigned char *page)
{
    cursor c = cursor_over(page + file->page_size - RUN_SEAL_BYTES, RUN_SEAL_BYTES);
    return cursor_le64(&c);
}

static void store_seal(const paged_file *file, unsigned char *page, uint64_t sum)
{
    for (size_t i = 0; i < RUN_SEAL_BYTES; i++)
        page[file->page_size - RUN_SEAL_BYTES + i] = (unsigned char)(sum >> 8 * i);
}

static roast_code seal_block(paged_file *file, uint64_t first_page, roast_error *err)
{
    size_t pages = read_block(file, first_page);
    if (!pages)
        return fail_io(file, "reading", err);
    for (size_t i = 0; i < pages; i++) {
        unsigned char *page = file->block + i * file->page_size;
        store_seal(file, page, page_checksum(file, page, first_page + i));
    }
    ssize_t bytes = (ssize_t)(pages * file->page_size);
    if (pwrite(file->fd, file->block, (size_t)bytes, (off_t)(first_page * file->page_size)) != bytes)
        return fail_io(file, "writing", err);
    return ROAST_OK;
}

roast_code seal_write(const char *path, roast_error *err)
{
    paged_file file;
    roast_code code = paged_open(&file, path, O_RDWR, err);
    if (!code && file.pages) {
        uint64_t last_block = (file.pages - 1) / file.pages_per_block;
        for (uint64_t block = last_block + 1; !code && block-- > 0;)
            code = seal_block(&file, block * file.pages_per_block, err);
    }
    paged_close(&file);
    return code;
}

roast_code seal_check(const char *path, seal_state *state, roast_error *err)
{
    *state = SEAL_ABSENT;
    paged_file file;
    roast_code code = paged_open(&file, path, O_RDONLY, err);
    uint64_t broken = 0, first_broken = 0;
    bool sealed = false;
    for (uint64_t at = 0; !code && at < file.pages; at += file.pages_per_block) {
        size_t pages = read_block(&file, at);
        if (!pages)
            code = fail_io(&file, "reading", err);
        if (at == 0 && pages)
            sealed = stored_seal(&file, file.block) != 0;
        if (!sealed)
            break;
        for (size_t i = 0; i < pages; i++) {
            const unsigned char *page = file.block + i * file.page_size;
            if (stored_seal(&file, page) != page_checksum(&file, page, at + i) && broken++ == 0)
                first_broken = at + i + 1;
        }
    }
    if (!code && sealed)
        *state = broken ? SEAL_BROKEN : SEAL_INTACT;
    if (!code && broken)
        code = fail(err, ROAST_CORRUPT,
                    "%s: damaged: %llu of %llu pages do not match their checksum, the first is page %llu; what can be "
                    "read: --salvage",
                    path, (unsigned long long)broken, (unsigned long long)file.pages, (unsigned long long)first_broken);
    paged_close(&file);
    return code;
}
