/* SPDX-License-Identifier: Apache-2.0 */
/* letter - the types: one for each way in which the specification lets a provider be written. */
#include "letter.h"

#include <fcntl.h>
#include <rhost/file.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NAMED(more)                                                                                          \
    { .name = "name", .type = "String[1]", .desc = "What it is called.", .behaviour = RHOST_NAMEVAR }, more
#define ENSURED                                                                                              \
    { .name = "ensure",                                                                                      \
      .type = "Enum[present, absent]",                                                                       \
      .desc = "Whether it is there.",                                                                        \
      .default_value = "\"present\"" },
#define PROPERTIES                                                                                           \
    { .name = "value", .type = "Optional[String]", .desc = "Any text." },                                    \
        { .name = "size", .type = "Optional[Integer]", .desc = "A number." },                                \
        { .name = "flag", .type = "Optional[Boolean]", .desc = "Yes or no." },                               \
        { .name = "given",                                                                                   \
          .type = "Optional[String]",                                                                        \
          .desc = "A text that has a default.",                                                              \
          .default_value = "\"by default\"" },                                                               \
        { .name = "kind",                                                                                    \
          .type = "Optional[String]",                                                                        \
          .desc = "What it stays for ever.",                                                                 \
          .behaviour = RHOST_INIT_ONLY },                                                                    \
        { .name = "seen",                                                                                    \
          .type = "Optional[Integer]",                                                                       \
          .desc = "What only the machine knows.",                                                            \
          .behaviour = RHOST_READ_ONLY },                                                                    \
        { .name = "secret", .type = "Optional[Sensitive[String]]", .desc = "Nobody's to see." },             \
        { .name = "hint",                                                                                    \
          .type = "Optional[String]",                                                                        \
          .desc = "How to do it.",                                                                           \
          .behaviour = RHOST_PARAMETER },                                                                    \
    {                                                                                                        \
        .name = "tell", .type = "Optional[Array[String]]", .desc = "What to say on the way.",                \
        .behaviour = RHOST_PARAMETER                                                                         \
    }

static const struct rhost_attr attrs[] = { NAMED(ENSURED) PROPERTIES };
static const struct rhost_attr bare_attrs[] = { NAMED() PROPERTIES };

/* The namevar of a SimpleProvider may have any name; and there may be two. */
static const struct rhost_attr id_attrs[] = {
    { .name = "id", .type = "String[1]", .desc = "What it is called.", .behaviour = RHOST_NAMEVAR },
    ENSURED PROPERTIES,
};
static const struct rhost_attr pair_attrs[] = {
    { .name = "package", .type = "String[1]", .desc = "What it is.", .behaviour = RHOST_NAMEVAR },
    { .name = "manager", .type = "String[1]", .desc = "Who has it.", .behaviour = RHOST_NAMEVAR },
    ENSURED PROPERTIES,
};
static const char *const pair_patterns[] = {
    "\\A(?<package>.*[^/])/(?<manager>[a-z].*)\\z",
    "\\A(?<package>.*)\\z",
    NULL,
};
static const char *const relations[] = {
    "autorequire letter_filter[$value]",
    "autobefore letter_bare[constant]",
    "autosubscribe letter_noop[$value]",
    "autonotify letter_canon[$value]",
    NULL,
};

/* Examples of data types that the specification itself uses. */
static const struct rhost_attr example_attrs[] = {
    { .name = "id",
      .type = "Variant[Pattern[/\\A(0x)?[0-9a-fA-F]{8}\\Z/], Pattern[/\\A(0x)?[0-9a-fA-F]{16}\\Z/],"
              " Pattern[/\\A(0x)?[0-9a-fA-F]{40}\\Z/]]",
      .desc = "The ID of the key you want to manage.",
      .behaviour = RHOST_NAMEVAR },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .desc = "Whether the key is there.",
      .default_value = "\"present\"" },
    { .name = "created",
      .type = "String",
      .desc = "Date the key was created, in ISO format.",
      .behaviour = RHOST_READ_ONLY },
};

static void
note_change(rhost_ctx *ctx, const char *type, const char *what, const struct rhost_change *change)
{
    letter_note(type, "%s %s %s: %s -> %s%s", what, change->title, letter_show(ctx, change->name),
                letter_show(ctx, change->is), letter_show(ctx, change->should),
                rhost_noop(ctx) ? " (noop)" : "");
}

/* What the catalog has of letter_bare[looked at], where the environment asks for that. */
static void
look_around(rhost_ctx *ctx)
{
    if (getenv("LETTER_LOOKS"))
        letter_look(ctx, "letter_bare", "looked at", false);
}

static int32_t
do_open(rhost_ctx *ctx, const char *type)
{
    const char *needs = getenv("LETTER_NEEDS");
    int32_t *count = calloc(1, sizeof *count);

    letter_note(type, "open");
    look_around(ctx);
    if (!count)
        return rhost_fail_errno(ctx, "cannot remember anything");
    *ctx->host->state(ctx) = count;
    if (needs && access(needs, F_OK) < 0) {
        free(count);
        return rhost_fail_errno(ctx, "cannot work without '%s'", needs);
    }
    return 0;
}

static void
do_close(rhost_ctx *ctx, const char *type)
{
    int32_t *count = *ctx->host->state(ctx);

    letter_note(type, "close, after %d calls of get and set", (int)*count);
    look_around(ctx);
    free(count);
}

/* The state is the same one from open to close. */
static void
count_call(rhost_ctx *ctx)
{
    int32_t *count = *ctx->host->state(ctx);

    if (count)
        ++*count;
}

static int32_t
do_get(rhost_ctx *ctx, const char *type, const rhost_value *names)
{
    letter_note(type, "get %s", names ? letter_show(ctx, names) : "all");
    if (getenv("LETTER_WANTS"))
        letter_note(type, "wants%s%s%s", rhost_wants(ctx, "value") ? " value" : "",
                    rhost_wants(ctx, "size") ? " size" : "", rhost_wants(ctx, "seen") ? " seen" : "");
    count_call(ctx);
    look_around(ctx);
    if (letter_wrong(ctx, type, "get") < 0)
        return -1;
    letter_emit(ctx, type, names);
    return 0;
}

static int32_t
do_load(rhost_ctx *ctx, const char *type, const rhost_value *name, const rhost_value *should,
        rhost_value *current)
{
    letter_note(type, "load %s", letter_show(ctx, name));
    (void)should;
    if (letter_wrong(ctx, type, "load") < 0)
        return -1;
    return letter_fill(type, name, current) ? 0 : RHOST_ABSENT;
}

static int32_t
do_set(rhost_ctx *ctx, const char *type, const struct rhost_change *const *changes, size_t n)
{
    int32_t rc = 0;

    letter_note(type, "set %zu%s", n, rhost_noop(ctx) ? " (noop)" : "");
    count_call(ctx);
    for (size_t i = 0; i < n; i++)
        note_change(ctx, type, "change", changes[i]);
    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = letter_tell(ctx, changes[i]);
        if (!rhost_noop(ctx))
            letter_write(type, changes[i]);
    }
    return rc < 0 || letter_wrong(ctx, type, "set") < 0 ? -1 : 0;
}

/* A file that is all that creating changes. */
static int32_t
put_file(rhost_ctx *ctx, const char *path)
{
    struct rhost_new_file file = { .struct_size = sizeof file,
                                   .path = path,
                                   .content = "",
                                   .mode = -1,
                                   .uid = -1,
                                   .gid = -1,
                                   .flags = RHOST_FILE_ONLY_CHANGE };

    return rhost_replace_file(ctx, &file);
}

static int32_t
do_one(rhost_ctx *ctx, const char *type, const char *what, const struct rhost_change *change)
{
    note_change(ctx, type, what, change);
    if (strcmp(what, "create") == 0 && getenv("LETTER_FILE") && put_file(ctx, getenv("LETTER_FILE")) < 0)
        return -1;
    if (letter_tell(ctx, change) < 0 || letter_wrong(ctx, type, what) < 0)
        return -1;
    if (!rhost_noop(ctx))
        letter_write(type, change);
    return 0;
}

/* Names and values are in lower case; "new hash" values are put as others of the same text, so that
 * what is put and what was edited in place is told apart by nobody. */
static int32_t
do_canonicalize(rhost_ctx *ctx, const char *type, rhost_value *resource)
{
    static const char *const keys[] = { "name", "value" };

    letter_note(type, "canonicalize %s", letter_show(ctx, resource));
    for (size_t k = 0; k < 2; k++) {
        const char *text = rhost_str(resource, keys[k]);
        char lower[256];
        size_t i = 0;

        if (!text)
            continue;
        for (; text[i] && i < sizeof lower - 1; i++)
            lower[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
        lower[i] = '\0';
        rhost_put_str(resource, keys[k], lower);
    }
    if (strcmp(rhost_str_or(resource, "hint", ""), "speak") == 0)
        rhost_warning(ctx, "canonicalize speaks");
    return letter_wrong(ctx, type, "canonicalize");
}

static int32_t
do_converge(rhost_ctx *ctx, const char *type, const struct rhost_change *change)
{
    note_change(ctx, type, "converge", change);
    if (rhost_changed(ctx, change, "ensure", "value", "size")) {
        letter_note(type, "changed %s", change->title);
        letter_write(type, change);
    }
    return 0;
}

/* Callbacks of a type, which know whose they are. */
#define READS(type)                                                                                          \
    static int32_t type##_open(rhost_ctx *ctx)                                                               \
    {                                                                                                        \
        return do_open(ctx, #type);                                                                          \
    }                                                                                                        \
    static void type##_close(rhost_ctx *ctx)                                                                 \
    {                                                                                                        \
        do_close(ctx, #type);                                                                                \
    }                                                                                                        \
    static int32_t type##_get(rhost_ctx *ctx, const rhost_value *names)                                      \
    {                                                                                                        \
        return do_get(ctx, #type, names);                                                                    \
    }
#define SETS(type)                                                                                           \
    READS(type)                                                                                              \
    static int32_t type##_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)           \
    {                                                                                                        \
        return do_set(ctx, #type, changes, n);                                                               \
    }
#define ONE(type, what)                                                                                      \
    static int32_t type##_##what(rhost_ctx *ctx, const struct rhost_change *change)                          \
    {                                                                                                        \
        return do_one(ctx, #type, #what, change);                                                            \
    }
#define SIMPLE(type) READS(type) ONE(type, create) ONE(type, update) ONE(type, remove)

SETS(letter_get)
SETS(letter_filter)
SETS(letter_bare)
SETS(letter_noop)
SETS(letter_canon)
SETS(letter_relate)
SETS(letter_late)
SETS(letter_remote)
SETS(letter_example)
SETS(letter_one)
SETS(letter_two)
SIMPLE(letter_simple)
SIMPLE(letter_pair)

static int32_t
letter_canon_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    return do_canonicalize(ctx, "letter_canon", resource);
}

static int32_t
letter_converge_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    return do_load(ctx, "letter_converge", name, should, current);
}

static int32_t
letter_converge_converge(rhost_ctx *ctx, const struct rhost_change *change)
{
    return do_converge(ctx, "letter_converge", change);
}

#define IT_SETS(type) .open = type##_open, .close = type##_close, .get = type##_get, .set = type##_set
#define IT_IS_SIMPLE(type)                                                                                   \
    .open = type##_open, .close = type##_close, .get = type##_get, .create = type##_create,                  \
    .update = type##_update, .remove = type##_remove

static const struct rhost_provider letter_get = {
    RHOST_PROVIDER("letter_get", "Reads everything, and writes in one call."),
    RHOST_ATTRS(attrs),
    IT_SETS(letter_get),
};
static const struct rhost_provider letter_filter = {
    RHOST_PROVIDER("letter_filter", "Reads what it is asked for."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SIMPLE_GET_FILTER,
    IT_SETS(letter_filter),
};
static const struct rhost_provider letter_bare = {
    RHOST_PROVIDER("letter_bare", "Has no ensure."),
    RHOST_ATTRS(bare_attrs),
    IT_SETS(letter_bare),
};
static const struct rhost_provider letter_noop = {
    RHOST_PROVIDER("letter_noop", "Can say what it would do."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SUPPORTS_NOOP,
    IT_SETS(letter_noop),
};
static const struct rhost_provider letter_canon = {
    RHOST_PROVIDER("letter_canon", "Has names and values in lower case."),
    RHOST_ATTRS(attrs),
    IT_SETS(letter_canon),
    .canonicalize = letter_canon_canonicalize,
};
static const struct rhost_provider letter_relate = {
    RHOST_PROVIDER("letter_relate", "Has relations of each kind."),
    RHOST_ATTRS(attrs),
    .relations = relations,
    IT_SETS(letter_relate),
};
static const struct rhost_provider letter_late = {
    RHOST_PROVIDER("letter_late", "Needs what another resource makes."),
    RHOST_ATTRS(attrs),
    IT_SETS(letter_late),
};
static const struct rhost_provider letter_example = {
    RHOST_PROVIDER("letter_example", "This type provides the capabilities to manage keys."),
    RHOST_ATTRS(example_attrs),
    IT_SETS(letter_example),
};
/* Two ways to manage one type. */
static const struct rhost_provider letter_one = {
    RHOST_PROVIDER_OF("letter_many", "letter_one", "One way to do it."),
    RHOST_ATTRS(attrs),
    IT_SETS(letter_one),
};
static const struct rhost_provider letter_two = {
    RHOST_PROVIDER_OF("letter_many", "letter_two", "Another way to do it."),
    RHOST_ATTRS(attrs),
    IT_SETS(letter_two),
};
/* The way to a device, which is a file, and the interface that its provider asks for. */
#define DEVICE_ID "letter.device/1"

struct device {
    char where[256], password[64];
};

struct device_api {
    struct device *device;
    void (*write)(struct device *device, const char *text);
};

static const struct rhost_attr wire_attrs[] = {
    { .name = "host", .type = "String[1]", .desc = "Where it is." },
    { .name = "port", .type = "Integer[1, 65535]", .desc = "Its port.", .default_value = "22" },
    { .name = "password", .type = "Optional[Sensitive[String]]", .desc = "Nobody's to see." },
};

static void
device_write(struct device *device, const char *text)
{
    letter_note("device", "%s gets %s", device->where, text);
}

/* As a program that a library keeps beside the connection: it ends with the process. */
static _Noreturn void
be_kept(void)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int fd = 0; fd < 64; fd++)
        (void)close(fd);
    for (int i = 0; i < 60; i++)
        (void)sleep(1);
    _exit(0);
}

static int32_t
wire_open(rhost_ctx *ctx, const rhost_value *info)
{
    struct device *device = calloc(1, sizeof *device);

    letter_note("device", "open %s", letter_show(ctx, info));
    if (!device)
        return rhost_fail_errno(ctx, "cannot remember anything");
    (void)snprintf(device->where, sizeof device->where, "%s:%d", rhost_str_or(info, "host", ""),
                   (int)rhost_int(info, "port", 0));
    if (getenv("LETTER_LEAK"))
        (void)snprintf(device->password, sizeof device->password, "%s", rhost_str_or(info, "password", ""));
    if (*device->password)
        rhost_notice(ctx, "the password is %s", device->password);
    *ctx->host->state(ctx) = device;
    (void)!open("/dev/null", O_RDONLY | O_CLOEXEC); /* as a library that it uses may keep one for good */
    if (fork() == 0)
        be_kept();
    return 0;
}

static void
wire_close(rhost_ctx *ctx)
{
    letter_note("device", "close");
    free(*ctx->host->state(ctx));
}

static int32_t
wire_verify(rhost_ctx *ctx)
{
    return letter_wrong(ctx, "device", "verify");
}

static int32_t
wire_facts(rhost_ctx *ctx)
{
    const struct device *device = *ctx->host->state(ctx);
    rhost_value *facts = ctx->host->new_hash(ctx);

    rhost_put_str(facts, "where", device->where);
    rhost_put_str(facts, "model", "a file");
    if (*device->password)
        rhost_put_fmt(facts, "login", "the password is %s", device->password);
    return letter_wrong(ctx, "device", "facts") < 0 ? -1 : ctx->host->emit(ctx, facts);
}

static const void *
wire_api(rhost_ctx *ctx, const char *id)
{
    struct device_api *api = rhost_alloc(ctx, sizeof *api);

    *api = (struct device_api){ .device = *ctx->host->state(ctx), .write = device_write };
    return strcmp(id, DEVICE_ID) == 0 ? api : NULL;
}

static const struct rhost_transport letter_wire = {
    .struct_size = sizeof letter_wire,
    .attr_stride = sizeof wire_attrs[0],
    .n_attrs = 3,
    .attrs = wire_attrs,
    .name = "letter_wire",
    .desc = "Reaches a device that is a file.",
    .open = wire_open,
    .close = wire_close,
    .verify = wire_verify,
    .facts = wire_facts,
    .api = wire_api,
};

/* Tells the device what is set, and under noop only what would be. */
static int32_t
letter_remote_set_all(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    const struct device_api *api = ctx->host->transport(ctx, DEVICE_ID);

    if (!api)
        return rhost_fail(ctx, "there is no device");
    if (ctx->host->transport(ctx, "other.device/1"))
        return rhost_fail(ctx, "that is another device");
    for (size_t i = 0; i < n && !rhost_noop(ctx); i++)
        api->write(api->device, changes[i]->title);
    if (*api->device->password) /* as who looks for a mistake may write it */
        return rhost_fail(ctx, "cannot log in: the password is %s", api->device->password);
    return letter_remote_set(ctx, changes, n);
}

static const struct rhost_provider letter_remote = {
    RHOST_PROVIDER("letter_remote", "Manages a device."),
    RHOST_ATTRS(attrs),
    .features = RHOST_REMOTE_RESOURCE | RHOST_SUPPORTS_NOOP,
    .open = letter_remote_open,
    .close = letter_remote_close,
    .get = letter_remote_get,
    .set = letter_remote_set_all,
};
static const struct rhost_provider letter_simple = {
    RHOST_PROVIDER("letter_simple", "Writes one after the other."),
    RHOST_ATTRS(id_attrs),
    IT_IS_SIMPLE(letter_simple),
};
static const struct rhost_provider letter_pair = {
    RHOST_PROVIDER("letter_pair", "Has a name of two parts."),
    RHOST_ATTRS(pair_attrs),
    .title_patterns = pair_patterns,
    IT_IS_SIMPLE(letter_pair),
};
static const struct rhost_provider letter_converge = {
    RHOST_PROVIDER("letter_converge", "Finds out by itself."),
    RHOST_ATTRS(attrs),
    .load = letter_converge_load,
    .converge = letter_converge_converge,
};

static const struct rhost_provider *const providers[] = {
    &letter_get,    &letter_filter, &letter_bare,   &letter_noop,     &letter_canon,
    &letter_relate, &letter_late,   &letter_remote, &letter_example,  &letter_one,
    &letter_two,    &letter_simple, &letter_pair,   &letter_converge, NULL,
};
static const struct rhost_transport *const transports[] = { &letter_wire, NULL };
static const struct rhost_plugin plugin = {
    .struct_size = sizeof plugin,
    .name = "letter",
    .version = "1.2",
    .providers = providers,
    .transports = transports,
};

RHOST_ENTRY const struct rhost_plugin *rhost_plugin_v1(void);

const struct rhost_plugin *
rhost_plugin_v1(void)
{
    return &plugin;
}
