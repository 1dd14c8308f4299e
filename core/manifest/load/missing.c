/* SPDX-License-Identifier: Apache-2.0 */
/* missing - what to do about a manifest that can't be read. */
#include "config.h"

#include "manifest/load/missing.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/suggest.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_EXAMINED = 10000 };

/* The nearest name in the folder, also with another ending: site.yml for site.yaml. */
static char *
nearest(const char *folder, const char *name)
{
    rh_autoclosedir DIR *d = opendir(folder);
    const char *dot = strrchr(name, '.');
    size_t stem = dot ? (size_t)(dot - name) : strlen(name);
    const struct dirent *e;
    struct rh_suggest near;
    bool same = false; /* but for the ending */
    char *best = NULL;

    rh_suggest_init(&near, name);
    for (int i = 0; d && !same && i < MOST_EXAMINED && (e = readdir(d)); i++) {
        size_t before = near.distance, n = strlen(e->d_name);
        bool manifest = (n > 5 && strcmp(e->d_name + n - 5, ".yaml") == 0)
                        || (n > 4 && strcmp(e->d_name + n - 4, ".yml") == 0)
                        || (n > 5 && strcmp(e->d_name + n - 5, ".json") == 0);

        if (!manifest)
            continue;
        same = strncmp(e->d_name, name, stem) == 0 && e->d_name[stem] == '.';
        rh_suggest_try(&near, e->d_name);
        if (near.distance == before && !same)
            continue;
        free(best);
        best = rh_xstrdup(e->d_name);
    }
    return best;
}

char *
rh_missing_hint(const char *file)
{
    rh_autofree char *folder = rh_xstrdup(file);
    rh_autofree char *best = NULL;
    char *slash = strrchr(folder, '/');
    struct stat st;

    if (stat(file, &st) == 0)
        return S_ISDIR(st.st_mode)
                   ? rh_printf("name the files in it: %s%s*.yaml", file, slash && !slash[1] ? "" : "/")
                   : NULL;
    if (!slash) {
        best = nearest(".", file);
        return rh_did_you_mean(best, NULL);
    }
    *slash = '\0';
    best = nearest(*folder ? folder : "/", slash + 1);
    return best ? rh_printf("did you mean '%s/%s'?", folder, best) : NULL;
}
