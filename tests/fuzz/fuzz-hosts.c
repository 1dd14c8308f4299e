/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-hosts - a file of hosts(5), read, edited, and read again. */
#include "plugin-input.h"

#include "host/hosts.h"

#include <fcntl.h>
#include <unistd.h>

static void
store(const char *path, const char *text, size_t n)
{
    FILE *f = fopen(path, "we");

    if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0)
        abort();
}

static struct hosts *
read_file(const char *path, size_t more)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct hosts *h = hosts_read(path, fd, more);

    if (fd >= 0)
        (void)close(fd);
    return h;
}

static void
try_file(const char *path, const char *name, const char *ip)
{
    struct hosts *h = read_file(path, 2);
    char canonical[INET6_ADDRSTRLEN];
    struct hosts_line *line;
    size_t at, len = 0;
    char *text;

    if (!h)
        return;
    line = hosts_find(h, name, *ip ? ip : NULL, &at);
    must(!line || at < line->n_names, "the name that was found is there");
    hosts_remove(h, name, NULL);
    must(!hosts_find(h, name, NULL, &at), "a name that was removed is gone");
    if (hosts_canonical_ip(ip, canonical, sizeof canonical) == 0 && *name) {
        line = hosts_add(h);
        must(line != NULL, "there is room for a line");
        snprintf(line->ip, sizeof line->ip, "%s", canonical);
        line->names = (const char *[]){ name };
        line->n_names = 1;
        line->comment = "";
        line->changed = 1;
        text = hosts_write(h, &len);
        line->n_names = 0;
    } else {
        text = hosts_write(h, &len);
    }
    must(text != NULL, "it can be written");
    store(path, text, len);
    free(text);
    hosts_free(h);
    h = read_file(path, 0);
    if (h && hosts_canonical_ip(ip, canonical, sizeof canonical) == 0 && *name)
        must(hosts_find(h, name, canonical, &at) != NULL, "a name that was added is found");
    hosts_free(h);
}

/* What can be a host name in a manifest. */
static int
is_name(const char *s)
{
    return *s && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789.-_") == strlen(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;
    const char *name, *ip;

    snprintf(path, sizeof path, "/dev/shm/fuzz-hosts.%d", (int)getpid());
    rhost_fake_init(&fake);
    name = input_line(&fake.ctx, &in);
    ip = input_line(&fake.ctx, &in);
    if (is_name(name)) {
        store(path, in.at, in.n);
        try_file(path, name, ip);
        (void)unlink(path);
    }
    rhost_fake_clear(&fake);
    return 0;
}
