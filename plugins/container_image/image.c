/* SPDX-License-Identifier: Apache-2.0 */
/* image - images of an engine: what is there, and getting what is not. */

#include "image.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>

const char *
image_whole_name(rhost_ctx *ctx, const char *name)
{
    const char *last = strrchr(name, '/');

    return strchr(name, '@') || strchr(last ? last : name, ':') ? name : rhost_fmt(ctx, "%s:latest", name);
}

int
image_inspect(const struct engine *e, const char *name, struct engine_answer *a)
{
    return engine_inspect(e, rhost_fmt(e->ctx, "/images/%s/json", name),
                          rhost_fmt(e->ctx, "image '%s'", name), "Id", a);
}

/* The status is that of the beginning: what goes wrong later is in the answer. */
int
image_pull(const struct engine *e, const char *name)
{
    ENGINE_ANSWER(a, e->ctx);

    if (engine_ask(e, "POST",
                   rhost_fmt(e->ctx, "/images/create?fromImage=%s", image_whole_name(e->ctx, name)), NULL, -1,
                   &a)
        < 0)
        return -1;
    return a.status == 200 && !a.error ? 0
                                       : engine_fail(e, &a, NULL, rhost_fmt(e->ctx, "pull image '%s'", name));
}

int
image_load(const struct engine *e, const char *path)
{
    ENGINE_ANSWER(a, e->ctx);
    struct stat st;
    int fd = rhost_path_open(e->ctx, path, RHOST_PATH_FOLLOW, O_RDONLY | O_NONBLOCK, 0), result;

    if (fd < 0)
        return rhost_fail_path(e->ctx, "cannot open '%s'", path);
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        result = rhost_fail_attr(e->ctx, "archive", "'%s' is not a regular file", path);
    else
        result = engine_ask(e, "POST", "/images/load", NULL, fd, &a);
    rhost_path_close(fd);
    if (result < 0)
        return -1;
    return a.status == 200 && !a.error ? 0
                                       : engine_fail(e, &a, "archive", rhost_fmt(e->ctx, "load '%s'", path));
}
