/* Runs a fuzz target over the files of a folder, without libFuzzer, so that what was found once stays found. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    size_t size = 0, capacity = 1 << 20;
    uint8_t *data = malloc(capacity);
    if (data)
        size = fread(data, 1, capacity, file);
    fclose(file);
    /* A copy of the exact size, so that a sanitizer sees a read beyond it. */
    uint8_t *exact = malloc(size ? size : 1);
    if (!data || !exact) {
        free(data);
        free(exact);
        return 1;
    }
    memcpy(exact, data, size);
    free(data);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 0;
}

int main(int argc, char **argv)
{
    size_t inputs = 0;
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        if (replay(path)) {
            closedir(folder);
            return 1;
        }
        inputs++;
    }
    closedir(folder);
    printf("%zu inputs\n", inputs);
    return inputs == 0;
}
