
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Runs a fuzz target over files, so that its corpus is a test: each argument
 * is a file or a folder; TAP on standard output, one line per file.
 */


#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <dirent.h>
#include <sys/stat.h>


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path);
static int replay_folder(const char *path);


static int  count;
static int  failed;


int
main(int argc, char **argv)
{
    int          i, rc;
    struct stat  sb;

    setvbuf(stdout, NULL, _IOLBF, 0);

    /* the empty input belongs to every corpus */

    (void) LLVMFuzzerTestOneInput((const uint8_t *) "", 0);
    printf("ok %d - empty input\n", ++count);

    for (i = 1; i < argc; i++) {

        rc = stat(argv[i], &sb);

        if (rc == 0 && S_ISDIR(sb.st_mode)) {
            rc = replay_folder(argv[i]);

        } else if (rc == 0) {
            rc = replay(argv[i]);
        }

        if (rc != 0) {
            failed++;
            printf("not ok %d - cannot read %s\n", ++count, argv[i]);
        }
    }

    printf("1..%d\n", count);

    return failed ? 1 : 0;
}


static int
replay_folder(const char *path)
{
    int              i, n, rc;
    char             name[4096];
    struct dirent  **list;

    n = scandir(path, &list, NULL, alphasort);
    if (n == -1) {
        return -1;
    }

    rc = 0;

    for (i = 0; i < n; i++) {

        if (list[i]->d_name[0] != '.') {
            snprintf(name, sizeof(name), "%s/%s", path, list[i]->d_name);
            rc |= replay(name);
        }

        free(list[i]);
    }

    free(list);

    return rc;
}


static int
replay(const char *path)
{
    FILE         *f;
    size_t        size;
    uint8_t      *data;
    struct stat   sb;

    f = fopen(path, "rb");
    if (f == NULL) {
        return -1;
    }

    /* exactly as long as the file, so that a sanitizer sees overruns */

    if (fstat(fileno(f), &sb) == -1
        || (data = malloc(sb.st_size ? sb.st_size : 1)) == NULL)
    {
        fclose(f);
        return -1;
    }

    size = fread(data, 1, sb.st_size, f);
    fclose(f);

    (void) LLVMFuzzerTestOneInput(data, size);

    free(data);

    printf("ok %d - %s\n", ++count, path);

    return 0;
}
