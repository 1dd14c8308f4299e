/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/abi.h - the contract between rhost and a provider plugin, major 1.
 *
 * A plugin is a shared object that exports one symbol, rhost_plugin_v1, and links to nothing of
 * the host: it reaches the host through a table of functions, which is the first word of every
 * handle that it is given. Include <rhost/provider.h> for the pleasant layer over this one.
 *
 * The rules, once for all:
 *
 *  - What a callback receives is borrowed until it returns; what it builds belongs to the call.
 *    Nobody frees.
 *  - 0 is success. -1 is failure, and only after saying why with fail(). A callback that returns
 *    anything else than its documentation allows, or -1 without a reason, fails its resources with
 *    a message that names the plugin.
 *  - Callbacks run one at a time, on one thread, in a process that may be the host or a worker; a
 *    plugin can't tell which. Memory running out ends that process.
 *  - Text is NUL-terminated UTF-8 unless a length stands beside it. Where a length may be given,
 *    RHOST_NUL means "up to the NUL".
 *  - Structs begin with their size and grow only at the end. Set struct_size by sizeof; leave what
 *    you don't know zero. Arrays of structs cross with the size of one element (a stride).
 *  - standard output belongs to the host. A plugin that prints, exits, or keeps descriptors or
 *    children is reported, and its resources fail where that can have harmed them.
 *
 * Names such as S43 or I61 point into the numbered reading of the Puppet Resource API
 * specification that the documentation carries. */
#ifndef RHOST_ABI_H
#define RHOST_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RHOST_ABI_MAJOR 1
#define RHOST_SDK_VERSION "0.1.0" /* of these headers */
#define RHOST_NUL ((size_t)-1)

#if defined(__cplusplus) && __cplusplus >= 201402L
#define RHOST_ZERO = {}
#else
#define RHOST_ZERO
#endif

struct rhost_host;

/* Handles. Only the first word is yours to read: it leads to the host's functions. What follows
 * it is the host's own business and may change with every version. */
typedef struct rhost_ctx {
    const struct rhost_host *host; /* one call */
} rhost_ctx;

typedef struct rhost_value {
    const struct rhost_host *host; /* one datum */
} rhost_value;

enum rhost_kind {
    RHOST_UNDEF,
    RHOST_BOOLEAN,
    RHOST_INTEGER,
    RHOST_FLOAT,
    RHOST_STRING,
    RHOST_BINARY,
    RHOST_ARRAY,
    RHOST_HASH,
    RHOST_UNKNOWN /* known only after something else has run; never reaches a provider yet */
};

enum rhost_level { RHOST_DEBUG, RHOST_INFO, RHOST_NOTICE, RHOST_WARNING, RHOST_ERR };

/* What is being done to a resource, for scope_begin() and did(). */
enum rhost_doing {
    RHOST_CREATING,
    RHOST_UPDATING,
    RHOST_DELETING,
    RHOST_PROCESSING,
    RHOST_FAILING
};

/* Behaviours of an attribute (S15 to S23). Without NAMEVAR, PARAMETER or READ_ONLY it is a
 * property: compared, and changed when different. A bit of 0 to 31 that the host does not know refuses the
 * load; one of 32 to 63 is for what an older host may ignore. */
#define RHOST_NAMEVAR UINT64_C(1)   /* part of the identity; several make a composite name */
#define RHOST_PARAMETER UINT64_C(2) /* steers the provider, is never read back or compared */
#define RHOST_READ_ONLY UINT64_C(4) /* reported by get, refused in a manifest */
#define RHOST_INIT_ONLY UINT64_C(8) /* may be given when the resource is created, not changed */
#define RHOST_UNORDERED UINT64_C(16) /* an array compared as a set */

/* Features of a provider: each of bit 0 to 31 changes what the host must do, so an unknown one refuses the
 * load; those of 32 to 63 are for what an older host may ignore. */
#define RHOST_SIMPLE_GET_FILTER UINT64_C(1) /* get() honours `names` (S67 to S73) */
#define RHOST_SUPPORTS_NOOP UINT64_C(2)     /* writing callbacks are called under noop (S74) */
#define RHOST_REMOTE_RESOURCE UINT64_C(4)   /* refuses to be run locally (S80) */
#define RHOST_FORGETS_WORLD UINT64_C(8) /* acting may change what any other provider has read */
/* A reading costs little, and has what a change did at once: what was changed is read again, and fails when it did not
 * hold, unless the manifest says verify: false. */
#define RHOST_READ_BACK UINT64_C(16)
/* One call for all costs much less than several. When the first of its resources has its turn, all others of the
 * provider that relations allow then come with it: the manifest's order alone does not keep them apart. Those with
 * several entries in the action list stay where they are. */
#define RHOST_GATHERS UINT64_C(32)
/* create() makes only what is not there: where something is, it leaves that as it is and fails with EEXIST. The host
 * then reads the resource again and goes by what it finds. So nothing is replaced unseen that came to be after the
 * reading, and what was read as absent is not read once more before it is created. */
#define RHOST_CREATES_NEW (UINT64_C(1) << 32)
/* canonicalize() and validate() go by the resource, and beside it only by what an extension answers to them: not by
 * files, accounts, the environment or the state of the provider. What was found before the run then holds in it, as
 * long as no extension was asked. */
#define RHOST_PURE_CANONICALIZE (UINT64_C(1) << 33)

/* Answers beside 0 and -1. What comes later has a value that no other answer has. */
#define RHOST_ABSENT 1 /* load(): the resource does not exist; a lookup or fact: there is none */
#define RHOST_DIFFERS 3 /* insync(): not in sync. 1, which it was before, still means it */
#define RHOST_DEFAULT_COMPARISON 2 /* insync(): compare as if there were no insync() */
/* The number of fail() for what lacks something that does not exist, as the message says. In load() under noop this,
 * like ENOENT, is no failure where something earlier in the run could create it: the state is unknown then. */
#define RHOST_MISSING (-1)

/* One resource to bring from `is` to `should`. */
struct rhost_change {
    size_t struct_size;
    const char *title;         /* for people: what stands between the brackets of type[title] */
    const rhost_value *name;   /* a hash of the namevars, however many there are */
    const rhost_value *is;     /* what get() or load() reported; NULL: absent now */
    const rhost_value *should; /* namevars, parameters, and the properties that are wanted; NULL, or
                                * with `ensure: absent` where the type has ensure: it must go */
};

/* What a plugin may call, reached through any handle. Functions that were appended after major 1
 * was frozen may be missing on an older host: test with RHOST_HAS (provider.h). */
struct rhost_host {
    size_t struct_size;
    const char *version; /* of the host, "0.1.0" */

    /* Reading. NULL, a missing key and a wrong kind all give the fallback, so that a chain of
     * questions needs one check at its end. Text and bytes live as long as the value. */
    int32_t (*kind)(const rhost_value *v); /* enum rhost_kind; UNDEF for NULL */
    int32_t (*sensitive)(const rhost_value *v); /* 1: must not be shown; the host never shows it */
    int32_t (*boolean)(const rhost_value *v, int32_t fallback);
    int64_t (*integer)(const rhost_value *v, int64_t fallback);
    double (*real)(const rhost_value *v, double fallback); /* integers too */
    const char *(*string)(const rhost_value *v, size_t *len); /* NULL if neither string nor binary;
                                                               * `len` may be NULL */
    size_t (*count)(const rhost_value *v); /* elements or entries; 0 for anything else */
    const rhost_value *(*at)(const rhost_value *v, size_t i, const char **key); /* `key` may be NULL */
    const rhost_value *(*get)(const rhost_value *hash, const char *key);
    int32_t (*equal)(const rhost_value *a, const rhost_value *b); /* 1: equal, hash order ignored */

    /* Building. A tree grows from its root, so every node has one owner. In a hash `key` names the
     * entry and replaces what it had; in an array it must be NULL, and the value is appended. */
    rhost_value *(*new_hash)(rhost_ctx *ctx);
    rhost_value *(*put_hash)(rhost_value *in, const char *key);
    rhost_value *(*put_array)(rhost_value *in, const char *key);
    void (*put_undef)(rhost_value *in, const char *key);
    void (*put_boolean)(rhost_value *in, const char *key, int32_t b);
    void (*put_integer)(rhost_value *in, const char *key, int64_t i);
    void (*put_real)(rhost_value *in, const char *key, double d);
    void (*put_string)(rhost_value *in, const char *key, const char *s, size_t len);
    void (*put_binary)(rhost_value *in, const char *key, const void *p, size_t len);
    void (*put_copy)(rhost_value *in, const char *key, const rhost_value *v);
    void (*mark_sensitive)(rhost_value *in, const char *key); /* what stands there now */

    /* Answering. */

    /* get(): one resource that exists, a hash of attributes with all namevars in it. The host
     * copies it. Returns 0, or -1 when nothing may be emitted here.
     *
     * set(), create(), update(), remove(), converge() and act(): read-only attributes that only the change
     * knows, as the output of a command, for other resources that use the result of this one; with the
     * namevars where the call is about several. The others are read again. */
    int32_t (*emit)(rhost_ctx *ctx, const rhost_value *resource);

    /* converge(): do these attributes (n of them; 0: all) differ, with what is wanted set against
     * what was read once before? 1: they do and have been reported, act now; 0: they don't, or
     * this is noop (reported as well). On an absent resource that is wanted the answer is 1. Only
     * properties can differ: naming anything else is the provider's error. */
    int32_t (*changed)(rhost_ctx *ctx, const struct rhost_change *change,
                       const char *const *attributes, size_t n);

    /* insync(): why it differs, in the provider's own words; shown instead of from -> to. */
    int32_t (*explain)(rhost_ctx *ctx, const char *message);

    /* Says why the call, or the resource of the innermost open scope, fails. `number` is an errno
     * whose text is appended, or 0, or RHOST_MISSING. `attribute` names the one at fault, or is NULL; a path
     * into its value ("settings.work_mem", "options[2]") names the part of it. Returns -1. */
    int32_t (*fail)(rhost_ctx *ctx, int32_t number, const char *attribute, const char *message);

    /* Telling: the logging context of the specification (S91 to S116). `titles` are those of the
     * changes in this call; any other is the provider's error. n = 0 outside a scope speaks for the
     * whole type, inside one for the scope's resources. */
    void (*log)(rhost_ctx *ctx, int32_t level, const char *const *titles, size_t n,
                const char *message);

    /* Opens a block around work on these resources: logs the start, and at the end the outcome and
     * the time. `message` NULL: "Creating" and so on. `is` and `should` serve PROCESSING, which
     * reports their differences. Scopes nest. Returns a number for scope_end(). */
    uint64_t (*scope_begin)(rhost_ctx *ctx, int32_t doing, const char *const *titles, size_t n,
                            const rhost_value *is, const rhost_value *should, const char *message);
    void (*scope_end)(rhost_ctx *ctx, uint64_t scope); /* its resources fail if fail() was called
                                                        * within; those of FAILING always do */

    /* The same after the fact, without a block: created, updated, deleted, processed, failed. FAILING with
     * `message` NULL: for the reason that was last given to fail() in this call. */
    int32_t (*did)(rhost_ctx *ctx, int32_t doing, const char *const *titles, size_t n,
                   const rhost_value *is, const rhost_value *should, const char *message);
    int32_t (*unchanged)(rhost_ctx *ctx, const char *title, const char *message);

    /* One attribute was changed. Must come before the action of that resource is reported. Within a
     * scope of one resource `title` may be NULL. `is`, `should` and `message` may be NULL. */
    int32_t (*attribute_changed)(rhost_ctx *ctx, const char *title, const char *attribute,
                                 const rhost_value *is, const rhost_value *should,
                                 const char *message);

    /* Surroundings. */
    int32_t (*noop)(rhost_ctx *ctx); /* 1: report what would be done, and change nothing */
    int32_t (*wants)(rhost_ctx *ctx, const char *attribute); /* get(), load(): will anybody look at
                                                              * it? What costs much can be left out */
    void **(*state)(rhost_ctx *ctx); /* a word that lives from open() to close() */
    void *(*alloc)(rhost_ctx *ctx, size_t n); /* zeroed memory that goes with the call */
    const void *(*transport)(rhost_ctx *ctx, const char *id); /* NULL: none, or not that interface */
    const void *(*extension)(rhost_ctx *ctx, const char *id); /* NULL: this host has it not */

    /* get(): what the names are asked for, also without RHOST_SIMPLE_GET_FILTER: an array of hashes, in the
     * order of `names`. Each has the namevars, and the parameters and desired properties that the manifest
     * gives; of a resource that must go, or that somebody only looks at, it may be the name alone. NULL when
     * all are listed, and outside of get(). */
    const rhost_value *(*asked)(rhost_ctx *ctx);

    /* get(): the resource of this name, a hash with all namevars in it, cannot be read, and why. It fails;
     * what is emitted of others counts. `number` and `attribute` as with fail(). Returns -1, but get() returns
     * 0 when it has gone on with the others. In a list it is left out, with a warning. */
    int32_t (*fail_name)(rhost_ctx *ctx, const rhost_value *name, int32_t number, const char *attribute,
                         const char *message);

    /* Long work, in any callback. All of these are cheap: what comes too often is left out. */

    /* The call may be silent for `seconds` from now (at most a day at once), beside the time limit. `text` says
     * what goes on, or what is waited for, for who watches the run; NULL: nothing new. */
    void (*busy)(rhost_ctx *ctx, double seconds, const char *text);

    /* So much is done, of `total` (0: not known), in `unit` ("files", or NULL): a sign of life, which is shown.
     * `title` is that of a change in this call; NULL: the only one, or that of the innermost scope. */
    void (*progress)(rhost_ctx *ctx, const char *title, uint64_t done, uint64_t total, const char *unit);

    /* 1: the run is to end (Ctrl-C, SIGTERM). The host waits until the callback returns, so that nothing is
     * left half done: finish what can't be left, fail() for what was not done, and return. */
    int32_t (*stopping)(rhost_ctx *ctx);

    /* Seconds until the host kills the worker: of the resource's `timeout`, or unless there is a sign of life
     * before (busy(), progress(), a report, an answer). 0: now; 1e9 without a limit. */
    double (*deadline)(rhost_ctx *ctx);
};

/* An attribute of a type (S4 to S9). */
struct rhost_attr {
    const char *name; /* lower case letter, then letters, digits, '_' */
    const char *type; /* a Puppet data type: "Optional[Integer[0, 65535]]"; also with names that
                       * the file NAME.types beside the plugin declares */
    const char *desc;
    uint64_t behaviour;        /* RHOST_NAMEVAR, ...; 0: an ordinary property */
    const char *default_value; /* JSON text, or NULL; wanted whenever the manifest is silent (S7) */
    const char *initial;       /* JSON text, or NULL; wanted only while creating: what nobody asked
                                * for is left alone on a resource that exists */
    const char *deprecated RHOST_ZERO; /* what to use instead, or NULL: who writes it is warned, with this text */
    const char *const *formerly RHOST_ZERO; /* NULL-terminated older names, or NULL: a manifest may still use them, with a
                                  * warning; the provider sees the new name alone */
};

/* An action beside plain convergence. */
struct rhost_action {
    const char *name, *desc;
    const char *overlay; /* a JSON hash laid over what is wanted: the action is converging with
                          * that; NULL: the provider's act() does it */
};

typedef int32_t rhost_change_fn(rhost_ctx *ctx, const struct rhost_change *change);

struct rhost_provider {
    size_t struct_size;
    size_t attr_stride, n_attrs;
    const struct rhost_attr *attrs;
    const char *type; /* what manifests say: "package" */
    const char *name; /* who does it: "apt"; usually equal to `type` */
    const char *desc;
    uint64_t features;
    const char *const *title_patterns; /* NULL-terminated regular expressions, tried in order, whose
                                        * named groups are namevars; or NULL */
    const char *const *relations; /* NULL-terminated, "autorequire file[$source]"; also autobefore,
                                   * autosubscribe, autonotify; or NULL (S10 to S12).
                                   * "autorequire directory[$path/..]" means the nearest directory
                                   * above that the manifest manages; "autorequire
                                   * role[$server:$owner]" names a title by several attributes
                                   * ("${name}rc" where a letter follows), and "autorequire
                                   * role[{server: $server, name: $owner}]" gives its namevars, but for
                                   * those that have their default. Between two resources that
                                   * are both to be absent, it is turned round. Also claims, "owns
                                   * path[$path] unless $follow", "edits content[$path]": the host
                                   * refuses a manifest in which two resources own the same, or one
                                   * owns what another edits. And "loses what is in it if $force": what
                                   * no undo brings back; "restores with membership=inclusive": a
                                   * parameter that an undo gives, so that what is desired is all that
                                   * there is */
    size_t action_stride, n_actions;
    const struct rhost_action *actions;
    const char *default_action; /* NULL: "converge" */
    const char *refresh_action; /* what notify and subscribe mean; NULL: nothing */

    /* How well does this provider fit the machine? 0: not at all (say why with fail(), which is
     * no failure here); more is better, and of equals the first by name is taken. Missing: 1.
     *
     * Where several providers serve the type, it is called while a manifest is read that does not say
     * which one is meant: nothing has been accepted yet, so it may only look (extensions behave as
     * under noop), and has ten seconds. A crash or a hang counts as 0. The type's only provider is
     * called right before open(), when earlier resources may have installed what it needs. At most
     * once each in a run; never for the provider of several that a manifest asks for by name. */
    int32_t (*suits)(rhost_ctx *ctx);

    /* Once before and after everything else in a transaction, as late as possible (S30 to S33): when
     * the first resource has its turn, so what earlier ones made is there. Only suits() and
     * canonicalize() may be called before. */
    int32_t (*open)(rhost_ctx *ctx);
    void (*close)(rhost_ctx *ctx);

    /* Brings the attributes of one resource into the form that get() uses, in place. Must be
     * idempotent, and leave what it doesn't know alone (S56 to S66). May see any subset. What it leaves
     * undef is not managed.
     *
     * Called for every resource of a manifest before the first one is applied, and again at its turn:
     * failing refuses the manifest, at the attribute that fail() names. Before the run, a failure with
     * a `number`, or while suits() of the type's only provider says 0, is left for its turn. */
    int32_t (*canonicalize)(rhost_ctx *ctx, rhost_value *resource);

    /* Own comparison of one property: 0 in sync, RHOST_DIFFERS, RHOST_DEFAULT_COMPARISON, or -1. Of a
     * resource that exists, and of which no property but `ensure` is wanted, `attribute` is "" once: is it
     * as it should be as a whole? */
    int32_t (*insync)(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute);

    /* Reading. At least one of the two, save for converge, which may do without.
     * A provider with both is asked by load() for resources that are named, and by get() for a list.
     * get: emit() all that exist, or, with RHOST_SIMPLE_GET_FILTER, at least those of `names` (an
     *   array of hashes of namevars; NULL: all). What is not emitted does not exist. A `title` beside
     *   the attributes is held against the title patterns (what it leaves out has its default) and
     *   is what a list calls the resource; without patterns it is ignored. Failing makes
     *   the provider unavailable for the run (S35 to S39); fail_name() fails one resource.
     * load: fill in `current`, which has the namevars and parameters already, and no property: what
     *   is wanted of one stands in `should`, and what load does not fill in is unknown. RHOST_ABSENT
     *   if it does not exist; a resource without properties may exist all the same. `should` is what is wanted, or NULL when somebody only looks. Failing fails
     *   this resource alone. */
    int32_t (*get)(rhost_ctx *ctx, const rhost_value *names);
    int32_t (*load)(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should,
                    rhost_value *current);

    /* Writing. One of: set; any of create, update, remove; converge. Only called for what is out of
     * sync, except converge, which finds out itself with changed().
     * set: all of these, in any order; report by scopes, did() or nothing. On -1 what has not been
     *   reported yet fails; what has keeps its status (S40 to S49).
     * create, update, remove: one; the host opens the scope around it (S50 to S55). */
    int32_t (*set)(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n);
    rhost_change_fn *create, *update, *remove, *converge;

    /* Actions without an overlay. */
    int32_t (*act)(rhost_ctx *ctx, const struct rhost_change *change, const char *action);

    /* Does what a manifest says of one resource make sense, on whatever machine? What no data type states:
     * attributes that exclude or need each other. `resource` is canonical, with defaults, and may be without
     * values that the run finds out. It is pure: it looks at `resource` alone, and answers the same each time.
     * fail() for each mistake, whose `attribute` may be a path into a value: "settings.work_mem",
     * "options[2]".
     *
     * Called after canonicalize(), for every resource that is not just to be absent: before the first one is
     * applied, and at its turn. */
    int32_t (*validate)(rhost_ctx *ctx, const rhost_value *resource);

    /* What applying a resource takes, NULL-terminated; an empty list: nothing. NULL: it is not declared.
     *   "root"                     the rights of root
     *   "user[$user]"              those of the user that the attribute names, or root's
     *   "write[$path]"             to write to the path, to replace or remove it, and what is below it
     *   "read[/etc/passwd]"        to read the path, and what is below it
     *   "run[crontab]"             to run the program: a path, a name that is looked for in the directories of
     *                              the system, or "*" for what the manifest gives
     *   "socket[/run/x.sock]"      to connect to this Unix socket
     *   "dbus[org.freedesktop.systemd1]"  to call this service of the system bus
     *   "network[tcp:443]"         to connect to a port; "tcp" and "udp" are all ports
     *   "capability[chown fowner]" of capabilities(7), in the worker, when root applies
     * A path is absolute, or "~$user/.ssh", below the home of a user; attributes may stand in it, and one
     * that has no value, or gives no absolute path, is no need. " if $attribute" and " unless $attribute" may
     * follow, as after a claim. For "root", "user" and "write", but for paths that a namevar gives, the host warns
     * once, before the first resource, of all resources that need rights which the user does not have. */
    const char *const *needs;

    /* Why what it does can't be undone, as a sentence: "what a command has done is not known". `rhost plan` and
     * `rhost undo` say so. NULL: the host restores the attributes that get() or load() has reported. */
    const char *irreversible;
};

/* A way to reach a device; providers of remote resources ask for its interface by id. */
struct rhost_transport {
    size_t struct_size;
    size_t attr_stride, n_attrs;
    const struct rhost_attr *attrs; /* the shape of the connection info */
    const char *name, *desc;
    int32_t (*open)(rhost_ctx *ctx, const rhost_value *info);
    void (*close)(rhost_ctx *ctx);
    int32_t (*verify)(rhost_ctx *ctx);
    int32_t (*facts)(rhost_ctx *ctx); /* emit() one hash */
    const void *(*api)(rhost_ctx *ctx, const char *id);

    /* What reaching the device takes, as `needs` of struct rhost_provider; attributes of the connection info may
     * stand in them: "network[tcp:$port]". The providers that use the transport get it as well. NULL: it is not
     * declared, and the process that verifies the connection and reads the facts is not confined. */
    const char *const *needs RHOST_ZERO;
};

/* A question that expressions and recipes can ask: ${lookup("vault", "secret/db")}.
 *
 * All lookups and facts of a plugin are called in one worker, one at a time, and may only look: extensions
 * behave as under noop. state() is shared by them. rhost/keep.h keeps a connection from call to call, and
 * releases it when the worker ends. */
struct rhost_lookup {
    size_t struct_size;
    size_t attr_stride, n_attrs;
    const struct rhost_attr *attrs; /* the parameters, in the order in which an expression gives them. One
                                     * without a default, whose type refuses undef, is required. `behaviour`
                                     * and `initial` are not used */
    const char *name;               /* as an attribute's, or vendor::name */
    const char *desc;
    const char *type; /* of the answer: a Puppet data type; NULL: Any. "Sensitive[String]": the answer is
                       * a secret, which no report, journal or message shows */

    /* Puts the answer into `answer`, an empty hash, under the key "value"; or returns RHOST_ABSENT: there is
     * none, which expressions see as nil. `parameters` is a hash, checked and with the defaults. Called once
     * in a run for each set of parameters, when an expression asks; never by `rhost validate`, where the
     * answer is unknown. */
    int32_t (*find)(rhost_ctx *ctx, const rhost_value *parameters, rhost_value *answer);

    /* What answering takes, as `needs` of struct rhost_provider; parameters may stand in them. Not "root",
     * "user" and "write": it may only look. NULL: it is not declared, and none of the plugin's lookups and facts
     * is confined. */
    const char *const *needs RHOST_ZERO;
};

/* A fact about the machine, beside the built-in ones: node.NAME in expressions, and in `rhost facts`. */
struct rhost_fact {
    size_t struct_size;
    const char *name; /* as an attribute's; a built-in fact of this name is used instead */
    const char *type; /* a Puppet data type; NULL: Any */
    const char *desc;

    /* As find() of a lookup. Called at most once in a run, and only when the fact is read. Has ten
     * seconds. */
    int32_t (*read)(rhost_ctx *ctx, rhost_value *answer);
    const char *const *needs RHOST_ZERO; /* as `needs` of a lookup */
};

struct rhost_plugin {
    size_t struct_size;
    const char *name, *version;
    const struct rhost_provider *const *providers;   /* NULL-terminated, or NULL */
    const struct rhost_transport *const *transports; /* NULL-terminated, or NULL */
    const void *(*extension)(const char *id);        /* NULL: none */
    const struct rhost_lookup *const *lookups;       /* NULL-terminated, or NULL */
    const struct rhost_fact *const *facts;           /* NULL-terminated, or NULL */
    const char *built_with; /* RHOST_SDK_VERSION, which RHOST_PLUGIN sets; for people */
    uint64_t flags RHOST_ZERO; /* RHOST_ONE_WORKER, or 0. A bit of 0 to 31 that the host does not know refuses the
                                * load; one of 32 to 63 is for what an older host may ignore */
};

/* All providers of the plugin are in one process in a run, so that they can share a connection: rhost_keep_shared() in
 * rhost/keep.h. They are called one at a time. What ends the process ends it for all of them: after a crash none is
 * available in this run, and after a time limit all begin anew, with open(). Lookups and facts have a process of their
 * own. */
#define RHOST_ONE_WORKER UINT64_C(1)

/* What a plugin exports: a pure function that returns constant data and does nothing else. */
typedef const struct rhost_plugin *rhost_plugin_fn(void);
#define RHOST_PLUGIN_SYMBOL "rhost_plugin_v1"

#ifdef __cplusplus
}
#endif

#endif
