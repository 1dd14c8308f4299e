/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-sources - the files of apt with one source on a line: who else has the repository, and who mentions a
 * key. */
#include "plugin-input.h"

#include "../../plugins/apt_repository/others.c"

static rhost_value *
list(rhost_value *in, const char *name, const char *word)
{
    rhost_value *v = in->host->put_array(in, name);

    in->host->put_string(v, NULL, word, RHOST_NUL);
    in->host->put_string(v, NULL, "stable", RHOST_NUL);
    return v;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;
    struct question q = { .but = "other.list" };
    struct rhost_lines *l;
    rhost_value *all;
    int twins;

    rhost_fake_init(&fake);
    q.ctx = &fake.ctx;
    all = rhost_fake_hash(&fake);
    q.path = input_line(&fake.ctx, &in);
    q.types = list(all, "types", "deb");
    q.uris = list(all, "uris", input_line(&fake.ctx, &in));
    q.suites = list(all, "suites", input_line(&fake.ctx, &in));
    l = rhost_lines_from(in.at ? in.at : "", in.n);
    find_twin(&q, "a.list", l);
    find_path_user(&q, "a.list", l);
    rhost_lines_insert(l, 0, "deb [arch=amd64] https://a.example/ stable main", 47);
    fake.said_len = 0;
    q.uris = list(rhost_fake_hash(&fake), "uris", "https://a.example");
    find_twin(&q, "a.list", l);
    twins = fake.said && strstr(fake.said, "line 1 of 'a.list'");
    must(twins, "a repository that is there is found");
    rhost_lines_free(l);
    rhost_fake_clear(&fake);
    return 0;
}
