/* SPDX-License-Identifier: Apache-2.0 */
/* extensions - the extensions that plugins may ask for; each has a header in sdk/rhost/. */
#ifndef RH_PROVIDER_EXTENSIONS_H
#define RH_PROVIDER_EXTENSIONS_H

#include <stdbool.h>

#include <rhost/abi.h>
#include <rhost/catalog.h>
#include <rhost/file.h>

struct rh_arena;
struct rh_runtime;
struct rh_value;
struct rhost_command;
struct rhost_exec;
struct rhost_file;
struct rhost_ids;
struct rhost_keep;
struct rhost_output;
struct rhost_overlap;
struct rhost_path;
struct rhost_plugin;
struct rhost_private;
struct rhost_programs;
struct rhost_upcoming;

/* ext-catalog.c: the extension rhost.catalog/1, see <rhost/catalog.h>. */

/* NULL where there is no catalog to be looked at. */
const struct rhost_catalog *rh_ext_catalog(rhost_ctx *ctx);

/* ext-exec.c: the extension rhost.exec/1, as <rhost/exec.h> promises it. */

/* The level at which commands are told of: that of debugging, and without the label of the block. */
enum { RH_LOG_COMMAND = 0x100 };

/* Who is told while a command runs; each may be NULL. */
struct rh_exec_watch {
    void (*alive)(rhost_ctx *ctx);                            /* again and again */
    void (*line)(rhost_ctx *ctx, const char *line, size_t n); /* of its output, the last one */
};

/* As run() of the extension does; `watch` may be NULL. `stopped`: it failed since the run is to end. */
int32_t rh_exec_run(rhost_ctx *ctx, const struct rhost_command *command, struct rhost_output *output,
                    const struct rh_exec_watch *watch, bool *stopped);

const struct rhost_exec *rh_ext_exec(void);

/* ext-file.c: the extension rhost.file/1, as <rhost/file.h> promises it. */

const struct rhost_file *rh_ext_file(void);

/* ext-ids.c: the extension rhost.ids/1: the numbers of users and groups, and their names. */

const struct rhost_ids *rh_ext_ids(void);

/* What was looked up is looked up again: with each request, and after each command, accounts may be others.
 */
void rh_ext_ids_forget(void);

/* ext-keep.c: the extension rhost.keep/1: words that the host keeps for a provider, by name. */

const struct rhost_keep *rh_ext_keep(void);

/* Releases all that is kept, once the provider is closed. */
void rh_ext_keep_open(struct rh_runtime *rt);
void rh_ext_keep_clear(struct rh_runtime *rt);

/* ext-overlap.c: the extension rhost.overlap/1: blocks that are open at the same time. */

const struct rhost_overlap *rh_ext_overlap(void);

/* ext-path.c: the extension rhost.path/1: reach what a path names, without being led astray. */

const struct rhost_path *rh_ext_path(void);

/* ext-private.c: the extension rhost.private/1: texts that are kept for a resource in the state directory. */

const struct rhost_private *rh_ext_private(void);

/* The resource is gone, and what was kept for it. */
void rh_ext_private_drop(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *name);

/* ext-program.c: the extension rhost.program/1, as <rhost/program.h> promises it. */

const struct rhost_programs *rh_ext_program(void);

/* Ends programs that were not stopped. */
void rh_ext_program_clear(struct rh_runtime *rt);

/* The same for those that the providers of a plugin share, when the last of them is closed. */
void rh_ext_program_leave(const struct rhost_plugin *plugin);

/* Descriptors that are open for programs: the host's own, and no provider's fault. */
int rh_ext_program_descriptors(void);

/* ext-upcoming.c: the extension rhost.upcoming/1: what a provider is going to be asked about. */

const struct rhost_upcoming *rh_ext_upcoming(void);

/* call-file.c: rhost.file/1 as a callback gets it. A secret decides the mode of the file that it is written
 * to, and the call notes whether a file was replaced. */

/* The extension rhost.file/1 for providers: ext-file.c, but a file whose content has a secret in it is
 * created with 0600, and never gets a wider mode that no manifest states. Where others can read it, a
 * warning says so. */
const struct rhost_file *rh_call_file(void);

/* Of flags that a plugin gives to an extension: the bits, whose they are, and our version. */
#define RH_UNKNOWN_FLAGS "unknown flags (bits 0x%llx) in %s: the plugin needs a newer rhost than %s"

#endif
