/* SPDX-License-Identifier: Apache-2.0 */
/* parts - what the files of this room share: the machine that is looked at, and what was found on it. */
#ifndef RH_CAPTURE_PARTS_H
#define RH_CAPTURE_PARTS_H

#include "base/cleanup.h"
#include "base/map.h"
#include "capture/capture.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct rh_dpkg;
struct rh_arena;
struct rh_value;

struct looking {
    struct rh_capture *capture;
    const struct rh_capture_options *options;
    struct rh_arena *arena;
    struct rh_dpkg *packages;
    struct rh_map files; /* paths that are captured, or are part of something that is */
    struct rh_map users; /* accounts that are captured */
    bool failed;
};

/* --- part.c: what was found. --- */

enum { RH_CAPTURE_PARTS = 64 };

/* One more resource; valid until the next one. NULL: its type is not wanted. */
struct rh_captured *rh_capture_add(struct looking *l, const char *heading, const char *type,
                                   struct rh_value *item);
void rh_capture_note(struct looking *l, const char *heading, const char *type, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* All resources of a type that its provider lists; an empty array where the type is not wanted. */
struct rh_value *rh_capture_list(struct looking *l, const char *type);

/* A copy of an item with only these attributes (a NULL-terminated list) that have a value. */
struct rh_value *rh_capture_item(struct looking *l, const struct rh_value *item,
                                 const char *const *attributes);

/* Whether the attribute is there, and true. */
bool rh_capture_is_true(const struct rh_value *item, const char *attribute);

/* --- source.c: files of the machine. --- */

/* The bytes of a regular file with a NUL behind them, the caller's to free; NULL with errno. Links that a
 * lesser user could have made are not followed, nor is one at the end. Of a file that has more than `limit`
 * bytes, or as many holes, nothing is read: EFBIG, and `st` is filled in. */
RH_CHECKED char *rh_capture_bytes(const char *path, size_t limit, size_t *len, struct stat *st);

/* The same in the arena, of a file that settings are read from. */
char *rh_capture_read(struct looking *l, const char *path, size_t *len, struct stat *st);

/* The names in a directory, sorted, without those that begin with a dot; 0 where there is none. */
size_t rh_capture_names(struct looking *l, const char *directory, const char ***names);
size_t rh_capture_all_names(struct looking *l, const char *directory, const char ***names); /* with those */

/* The next line of a text, without its end; NULL at the end. */
char *rh_capture_line(char **text);

/* Why what is read from the file is a secret; NULL: everybody may read it, or it is not there. */
const char *rh_capture_secret(const char *path);

bool rh_capture_ends_with(const char *s, const char *end);

/* --- dpkg.c: what packages brought. --- */

struct conffile {
    const char *path, *sum, *package;
    bool obsolete;
};

void rh_dpkg_open(struct looking *l);
void rh_dpkg_close(struct looking *l);
bool rh_dpkg_known(const struct looking *l); /* there is a database */
bool rh_dpkg_owns(struct looking *l, const char *path);
/* What a file of /bin, /sbin or /lib* is also called where these are links to /usr, or one of there; NULL: it
 * has no other name. */
const char *rh_dpkg_other_name(struct rh_arena *a, const char *path);
bool rh_dpkg_requires(const struct looking *l, const char *name);
const struct conffile *rh_dpkg_conffile(const struct looking *l, size_t i); /* NULL: there is none */
bool rh_dpkg_changed(const struct conffile *c);
/* Whether a package, or a file of systemd-sysusers, makes an account of this name. */
bool rh_dpkg_makes_account(struct looking *l, const char *name);

/* --- file.c: files as resources. --- */

/* The file, link or directory at `path`, unless it was captured already. -1: it is not there. */
int rh_capture_file(struct looking *l, const char *heading, const char *path);
/* `path` and the directories above it, where it is a directory that no package has. */
void rh_capture_directory(struct looking *l, const char *heading, const char *path);
/* Each file of a directory whose name ends with `suffix`, that no package has. */
void rh_capture_unowned(struct looking *l, const char *heading, const char *directory, const char *suffix);
/* All below a directory that no package has. */
RH_CHECKED int rh_capture_tree(struct looking *l, const char *path, struct rh_error *err);
bool rh_capture_is_taken(const struct looking *l, const char *path);
void rh_capture_take(struct looking *l, const char *path);

/* --- The parts of the machine, a file each. --- */

void rh_capture_sources(struct looking *l);
void rh_capture_packages(struct looking *l);
void rh_capture_accounts(struct looking *l);
void rh_capture_keys(struct looking *l);
void rh_capture_sysctl(struct looking *l);
void rh_capture_hosts(struct looking *l);
void rh_capture_mounts(struct looking *l);
void rh_capture_cron(struct looking *l);
void rh_capture_conffiles(struct looking *l);
void rh_capture_units(struct looking *l);
void rh_capture_services(struct looking *l);

/* --- preset.c: what systemd would enable. --- */

struct rh_presets;
struct rh_presets *rh_preset_read(struct looking *l);
bool rh_preset_enables(const struct rh_presets *p, const char *unit);

/* --- armor.c: keys of OpenPGP. --- */

/* Whether the bytes are a key that is not armored; its armored form, in the arena. */
bool rh_armor_is_binary_key(const char *bytes, size_t n);
const char *rh_armor_key(struct looking *l, const char *bytes, size_t n);

#endif
