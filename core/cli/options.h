/* SPDX-License-Identifier: Apache-2.0 */
/* options - the command line's words, the same wherever they are taken. */
#ifndef RH_CLI_OPTIONS_H
#define RH_CLI_OPTIONS_H

#include "base/cleanup.h"
#include "catalog/catalog.h"
#include "plugin/worker.h"
#include "run/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct rh_command;
struct rh_error;
struct rh_option;
struct rh_settings;

enum rh_option_group {
    RH_OPT_COMMON = 1,    /* where plugins and state are, how much is said */
    RH_OPT_RUN = 2,       /* applying: noop, lock, reports */
    RH_OPT_FORMAT = 4,    /* text or json */
    RH_OPT_YAML = 8,      /* text, json or yaml */
    RH_OPT_PROVIDER = 16, /* workers: isolation, strict, time limit */
    RH_OPT_LIST = 32,     /* --only, --tags */
    RH_OPT_NOOP = 64,
    RH_OPT_MANIFEST = 1024, /* how manifests are read */
    RH_OPT_FRONT = 128,     /* in front of the command only */
    RH_OPT_DATA_TYPE = 256,
    RH_OPT_CAPTURE = 512,      /* --only TYPES, --versions, --secrets, --files, --output */
    RH_OPT_LOCK = 2048,        /* --wait-lock */
    RH_OPT_WHICH = 4096,       /* --provider */
    RH_OPT_SUITS = 8192,       /* --suits */
    RH_OPT_DROP = 16384,       /* --drop, --drop-all */
    RH_OPT_DIFF = 32768,       /* --diff */
    RH_OPT_COUNT = 65536,      /* --count */
    RH_OPT_FACTS = 131072,     /* --facts-dir */
    RH_OPT_LEVEL = 262144,     /* --level */
    RH_OPT_ALL = 1048576,      /* --all */
    RH_OPT_VALIDATE = 2097152, /* --placeholder-secrets */
    RH_OPT_PAGE = 4194304,     /* --format, with pages */
    RH_OPT_HTML = 33554432,    /* text, json or html */
    RH_OPT_SARIF = 536870912,  /* text, json or sarif */
    RH_OPT_SHOW = 268435456,   /* all formats of a run and of a plan */
    RH_OPT_NEW = 8388608,      /* --style, --build, --templates */
    RH_OPT_TARGET = 16777216,  /* --target, --targets */
    RH_OPT_GRAPH = 1073741824, /* --format with pictures, --around, --depth, --why */
    RH_OPT_OUTPUT = 67108864,  /* --output of a plan */
    RH_OPT_AGE = 134217728,    /* --max-age */
    RH_OPT_CHECK = 524288, /* --allocations, --faults, --fixture, --only, --rounds, --seed, --time-limit */
};

/* Those for which the bits of an enum do not last. */
#define RH_OPT_UNDO (UINT64_C(1) << 32)    /* --force */
#define RH_OPT_APPLY (UINT64_C(1) << 33)   /* --rollback-on-failure, --confirm-within */
#define RH_OPT_KIT (UINT64_C(1) << 40)     /* --arch, --plugins, --from, --output */
#define RH_OPT_BUNDLE (UINT64_C(1) << 43)  /* of bundles that are made, and --key */
#define RH_OPT_SIGNERS (UINT64_C(1) << 44) /* --signers, --insecure */
#define RH_OPT_CHANNEL (UINT64_C(1) << 45) /* of channels that are made */
#define RH_OPT_AGENT (UINT64_C(1) << 46)   /* of the agent */
#define RH_OPT_CONFIRM (UINT64_C(1) << 34) /* --abort, --watch */
#define RH_OPT_PUSH (UINT64_C(1) << 41)    /* targets, and how they are reached */
#define RH_OPT_COLLECT (UINT64_C(1) << 50) /* of reports that are collected */
#define RH_OPT_FLEET (UINT64_C(1) << 51)   /* --db, --output */
#define RH_OPT_ROLLOUT (UINT64_C(1) << 54) /* of rollouts */
#define RH_OPT_NEEDS (UINT64_C(1) << 52)   /* --needs */
#define RH_OPT_INIT (UINT64_C(1) << 58)    /* --yes */
#define RH_OPT_MODULE (UINT64_C(1) << 59)  /* --site, --force */
#define RH_OPT_POLICY (UINT64_C(1) << 53)  /* uses plugins, though no workers; see RH_OPT_PROVIDER */
#define RH_OPT_PUSHED (UINT64_C(1) << 42)  /* options of apply that a push hands on to the targets */

enum rh_format {
    RH_FORMAT_TEXT,
    RH_FORMAT_JSON,
    RH_FORMAT_YAML,
    RH_FORMAT_MARKDOWN,
    RH_FORMAT_MAN,
    RH_FORMAT_HTML,
    RH_FORMAT_DOT,
    RH_FORMAT_SVG,
    RH_FORMAT_JUNIT,
    RH_FORMAT_PROMETHEUS,
    RH_FORMAT_OTLP,
    RH_FORMAT_SARIF,
};

enum rh_progress_mode { RH_PROGRESS_AUTO, RH_PROGRESS_NONE, RH_PROGRESS_JSON };

/* The values of an option that may be given several times. */
struct rh_words {
    const char **v;
    size_t n, cap;
};

/* An option as it was given: its place in the table, and its value or NULL. */
struct rh_pushed_option {
    const struct rh_option *option;
    const char *value;
};

struct rh_settings {
    struct rh_pushed_option *pushed; /* those of RH_OPT_PUSHED */
    size_t n_pushed, cap_pushed;
    char *const *command; /* of a push: what stands after "--"; NULL: nothing */
    size_t n_command;
    struct rh_words secret_files; /* of a push: NAME=FILE */
    const char *batch_share, *canary, *max_failures, *remote_rhost, *become, *become_password_file;
    unsigned jobs, connect_timeout; /* 0: the usual ones */
    unsigned ssh_persist;           /* seconds; with ssh_persist_specified */
    bool ssh_persist_specified;
    bool ask_become, detach, list_targets, last_push, resolv_conf;
    struct rh_words plugin_dirs, facts_dirs;
    bool no_installed_plugins;
    const char *state_dir; /* NULL: the usual one */
    struct rh_words only, drop;
    struct rh_words files;           /* further ones, to be captured */
    struct rh_words tags, skip_tags; /* lists with commas between */
    enum rh_duplicates duplicates;
    bool outside, unsafe_files, placeholder_secrets;
    const char *level; /* of the node's attributes; NULL: what is merged from all */
    const char *environment;
    struct rh_words roles, attributes, attribute_files;
    const char *reports[RH_REPORTS]; /* where each goes; NULL: it is not asked for */
    const char *otlp_headers;
    const char *events;   /* where events are written as they happen; or NULL */
    const char *revision; /* of what is applied, as the user says it; or NULL */
    char *bundled;        /* the same, where a bundle says it: a run that is refused is reported last */
    const char *aliases, *text;
    const char *targets, *target; /* a file of targets, and one of them; or NULL */
    const char *fixture;          /* of a check */
    uint64_t seed;                /* likewise; 0: any */
    const char *provider;         /* of the one type that the command is about; NULL: that which suits best */
    const char *style, *templates; /* of a new provider; NULL: the usual ones */
    const char *module_site;       /* NULL: the working directory */
    bool module_force;
    bool yes; /* write a first site without a question */
    enum rh_format format;
    bool graph_format;        /* the format of a graph was given */
    const char *around, *why; /* references to resources, of a graph; or NULL */
    unsigned depth;           /* likewise; 0: the usual one */
    enum rh_isolation isolation;
    bool has_isolation;                      /* by an option */
    bool confined;                           /* workers confine themselves to what their providers declare */
    bool confined_by_default;                /* neither an option nor the policy has chosen */
    const char *policy_file;                 /* NULL: the usual one */
    struct rh_policy_file *policy_read;      /* what was read, or NULL */
    const struct rh_provider_policy *policy; /* in it */
    enum rh_strict strict;
    unsigned max_age;        /* of a plan, in seconds; 0: any */
    unsigned confirm_within; /* seconds; 0: the run needs not be confirmed */
    unsigned time_limit, allocations, faults, rounds, wait_lock, count;
    enum rh_progress_mode progress;
    int progress_fd; /* of RH_PROGRESS_JSON */
    int colour;      /* -1: if it is a terminal */
    int verbose;
    bool abort, watch;                            /* of a run that waits to be confirmed */
    const char *arch, *chosen_plugins, *packages; /* of a kit that is made; or NULL */
    const char *bundle_revision, *parent, *commit, *min_rhost, *bundle_manifest; /* of a bundle; or NULL */
    const char *signing_key, *signers;                                           /* files; or NULL */
    const char *want, *other, *percent, *serial, *min_revision;                  /* of a channel; or NULL */
    unsigned expires;                                       /* likewise; 0: the usual time */
    struct rh_words hosts;                                  /* likewise */
    const char *collect_from, *database, *quarantine;       /* of a fleet; or NULL */
    struct rh_words canaries;                               /* of a rollout: a stage each */
    const char *max_silent, *authority, *request, *revoked; /* of a fleet; or NULL */
    const char *hint, *tls_ca, *tls_certificate, *tls_key;  /* likewise, of its broker */
    unsigned stage_wait, soak;                              /* likewise: seconds; 0: not given */
    unsigned retention, silent_after;                       /* seconds; 0: not given */
    const char *source, *devices, *interval, *agent_settings, *until, *reason; /* of the agent; or NULL */
    bool once, at_boot;                                                        /* once: also of 'collect' */
    bool insecure;                     /* bundles count without a signature */
    const char *from_kit, *kit_loader; /* this process was started from a kit; or NULL */
    bool drop_all, all;
    bool versions, secrets; /* are captured */
    const char *output;     /* of a capture (NULL: standard output), or where a plan is written */
    bool meson;
    bool passive; /* nothing is started or written, for an answer to be known at once: plugins, programs */
    bool runs;    /* the command may change something: the state directory is made */
    struct rh_words force;  /* references of resources, or "all" */
    uint64_t backup_limit;  /* bytes; 0: the usual one */
    unsigned backup_age;    /* seconds; 0: any */
    const char *backup_key; /* the file, or "none": it is lost; or NULL */
    bool no_backup, rollback;
    bool changes_only; /* reports and events list what there is something to say of, and count the rest */
    bool batch, fail_fast, noop, verify, no_verify, diff, detailed, suits, needs, quiet, help, version;
};

void rh_settings_clear(struct rh_settings *s);

/* Reads the options of `command` (NULL: those in front of the command) into `s`, and moves what are
 * no options to argv[*first]... Returns -1 after telling what is wrong on standard error. */
int rh_options_read(struct rh_settings *s, const struct rh_command *command, int argc, char **argv,
                    int *first);

/* One line for each option of these groups. */
void rh_options_help(FILE *to, uint64_t groups);

/* The error "rhost COMMAND: text", with where to read more; returns 1, the status for refusing. */
int rh_usage_error(const struct rh_command *command, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for an unknown word, with the hint "did you mean 'BEST'?", or `otherwise` where there is none. */
int rh_usage_unknown(const struct rh_command *command, const char *best, const char *otherwise,
                     const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Whether this is one of the words that a command begins with, which NULL ends; says otherwise that it is
 * unknown, with the nearest one. */
RH_CHECKED bool rh_usage_word(const struct rh_command *command, const char *const *words, const char *word);

/* The same with the message, the hint and the code of an error. */
RH_CHECKED int rh_usage_error_of(const struct rh_command *command, const struct rh_error *err);

/* option-table.c: each option: what it is called, and what becomes of its value. */

struct rh_option {
    const char *name, *argument, *help;
    const char *expected; /* of the argument; NULL when anything goes */
    uint64_t groups;
    char letter;
    /* -1: the value is no good. */
    int (*take)(const struct rh_option *o, struct rh_settings *s, const char *value);
    size_t at; /* the setting that it is about, where `take` asks for it */
};

/* How many there are; the compiler refuses another number. The same name may be there several times,
 * in groups that no command has together. */
enum { RH_OPTIONS = 169 };
extern const struct rh_option rh_option_table[RH_OPTIONS];

#endif
