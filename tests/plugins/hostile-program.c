/* SPDX-License-Identifier: Apache-2.0 */
/* hostile-program - the same as hostile.c, as the program of an executable provider: it reads questions and
 * makes all attempts for each "get". */
#include "config.h"

#include "hostile-all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text after "key":" up to the quote; these have nothing to unescape. */
static char *
value_of(const char *line, const char *key)
{
    const char *at = strstr(line, key), *end;

    if (!at)
        return NULL;
    at += strlen(key);
    end = strchr(at, '"');
    return end ? strndup(at, (size_t)(end - at)) : NULL;
}

static void
answer(const char *line)
{
    char *path = value_of(line, "\"path\":\""), *at = value_of(line, "\"at\":\"");
    int rc = path && at ? hostile_try_all(at, path) : -1;

    (void)printf("{\"resource\":{\"path\":\"%s\",\"value\":\"%s\"}}\n", path ? path : "",
                 rc < 0 ? "failed" : "done");
    free(path);
    free(at);
}

int
main(void)
{
    char *line = NULL;
    size_t size = 0;

    while (getline(&line, &size, stdin) > 0) {
        if (strncmp(line, "{\"hello\":", 9) == 0) {
            (void)puts("{\"hello\":{\"protocol\":1}}");
        } else {
            if (strncmp(line, "{\"get\":", 7) == 0)
                answer(line);
            (void)puts("{\"done\":true}");
        }
        (void)fflush(stdout);
    }
    free(line);
    return 0;
}
