/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-type - the file type.yaml of a provider that is a program. */
#include "plugin-input.h"

#include "bridge/text.h"
#include "bridge/tree.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* What is kept until the process ends is freed after each input here. */
static void *kept[1 << 16];
static size_t n_kept;

static void *
fuzz_need(size_t n)
{
    if (n_kept == sizeof kept / sizeof *kept)
        exit(0);
    return kept[n_kept++] = need(n);
}

static const char *text;
static size_t text_size;

static int
fuzz_open(void)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);

    if (fd < 0 || (text_size && write(fd, text, text_size) != (ssize_t)text_size)
        || lseek(fd, 0, SEEK_SET) < 0)
        abort();
    return fd;
}

#define need(n) fuzz_need(n)
#define open(path, flags) fuzz_open()
#include "../../plugins/bridge/keep.c"
#include "../../plugins/bridge/open.c"
#include "../../plugins/bridge/type.c"
#undef open
#undef need

static int refused;

static void
refuse_it(const struct rhost_bridge_host *host, int32_t passing, const char *message)
{
    (void)host;
    (void)passing;
    must(message && *message, "it is refused with a reason");
    refused = 1;
}

static int32_t
trust_it(const struct rhost_bridge_host *host, const char *path)
{
    (void)host;
    must(*path == '/', "a file that is executed has an absolute path");
    return 0;
}

static void
check(const struct rhost_plugin *plugin)
{
    size_t n = 0;

    for (const struct rhost_provider *const *p = plugin->providers; p && *p; p++, n++) {
        must((*p)->type && (*p)->desc && (*p)->name && (*p)->n_attrs > 0, "what must be there is there");
        for (size_t i = 0; i < (*p)->n_attrs; i++)
            must((*p)->attrs[i].name && (*p)->attrs[i].type, "an attribute has a name and a type");
        must(((const struct served *)*p)->of->argv[0] != NULL, "the program has a name");
    }
    for (const struct rhost_transport *const *t = plugin->transports; t && *t; t++)
        must((*t)->name && (*t)->desc, "a transport has a name and a description");
    for (const struct rhost_lookup *const *l = plugin->lookups; l && *l; l++, n++)
        must((*l)->name && (*l)->desc, "a lookup has a name and a description");
    for (const struct rhost_fact *const *f = plugin->facts; f && *f; f++, n++)
        must((*f)->name && (*f)->desc, "a fact has a name and a description");
    must(n > 0, "something is served");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct rhost_bridge_host host = { sizeof host, refuse_it, trust_it };
    const struct rhost_plugin *plugin;

    text = (const char *)data;
    text_size = size;
    refused = 0;
    plugin = type_open(&host, "/folder/type.yaml");
    must((plugin != NULL) == !refused, "what is not refused is served");
    if (plugin)
        check(plugin);
    all_opened = NULL;
    while (n_kept)
        free(kept[--n_kept]);
    return 0;
}
