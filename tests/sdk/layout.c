/* SPDX-License-Identifier: Apache-2.0 */
/* layout - the ABI as numbers: where each member lies and what each name is worth, a line each. A
 * member that is added to a header is added here, and to abi-1.layout, in its own line. */
#include <rhost/bridge.h>
#include <rhost/catalog.h>
#include <rhost/exec.h>
#include <rhost/file.h>
#include <rhost/ids.h>
#include <rhost/keep.h>
#include <rhost/overlap.h>
#include <rhost/path.h>
#include <rhost/private.h>
#include <rhost/program.h>
#include <rhost/progress.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static size_t reached; /* behind the last member, to notice one that is missing in this file */
static int missing;

static void
member(const char *of, const char *name, size_t at, size_t size)
{
    /* Between two members lies no more than what aligning the second takes. */
    if (at - reached >= (size < 8 ? size : 8)) {
        (void)fprintf(stderr, "tests/sdk/layout.c lacks a member before %s.%s\n", of, name);
        missing = 1;
    }
    reached = at + size;
    (void)printf("%s.%s at %zu, %zu bytes\n", of, name, at, size);
}

static void
end(const char *of, size_t size)
{
    if (size - reached >= 8) {
        (void)fprintf(stderr, "tests/sdk/layout.c lacks a member at the end of %s\n", of);
        missing = 1;
    }
}

#define SIZE(s)                                                                                              \
    do {                                                                                                     \
        reached = 0;                                                                                         \
        (void)printf("struct %s, %zu bytes\n", #s, sizeof(struct s));                                        \
    } while (0)
#define MEMBER(s, m) member(#s, #m, offsetof(struct s, m), sizeof(((struct s *)0)->m))
#define END(s) end(#s, sizeof(struct s))
#define VALUE(v) (void)printf("%s is %" PRIu64 "\n", #v, (uint64_t)(v))
#define TEXT(v) (void)printf("%s is \"%s\"\n", #v, v)

static void
structs(void)
{
    SIZE(rhost_ctx);
    MEMBER(rhost_ctx, host);
    END(rhost_ctx);
    SIZE(rhost_value);
    MEMBER(rhost_value, host);
    END(rhost_value);
    SIZE(rhost_change);
    MEMBER(rhost_change, struct_size);
    MEMBER(rhost_change, title);
    MEMBER(rhost_change, name);
    MEMBER(rhost_change, is);
    MEMBER(rhost_change, should);
    END(rhost_change);
    SIZE(rhost_host);
    MEMBER(rhost_host, struct_size);
    MEMBER(rhost_host, version);
    MEMBER(rhost_host, kind);
    MEMBER(rhost_host, sensitive);
    MEMBER(rhost_host, boolean);
    MEMBER(rhost_host, integer);
    MEMBER(rhost_host, real);
    MEMBER(rhost_host, string);
    MEMBER(rhost_host, count);
    MEMBER(rhost_host, at);
    MEMBER(rhost_host, get);
    MEMBER(rhost_host, equal);
    MEMBER(rhost_host, new_hash);
    MEMBER(rhost_host, put_hash);
    MEMBER(rhost_host, put_array);
    MEMBER(rhost_host, put_undef);
    MEMBER(rhost_host, put_boolean);
    MEMBER(rhost_host, put_integer);
    MEMBER(rhost_host, put_real);
    MEMBER(rhost_host, put_string);
    MEMBER(rhost_host, put_binary);
    MEMBER(rhost_host, put_copy);
    MEMBER(rhost_host, mark_sensitive);
    MEMBER(rhost_host, emit);
    MEMBER(rhost_host, changed);
    MEMBER(rhost_host, explain);
    MEMBER(rhost_host, fail);
    MEMBER(rhost_host, log);
    MEMBER(rhost_host, scope_begin);
    MEMBER(rhost_host, scope_end);
    MEMBER(rhost_host, did);
    MEMBER(rhost_host, unchanged);
    MEMBER(rhost_host, attribute_changed);
    MEMBER(rhost_host, noop);
    MEMBER(rhost_host, wants);
    MEMBER(rhost_host, state);
    MEMBER(rhost_host, alloc);
    MEMBER(rhost_host, transport);
    MEMBER(rhost_host, extension);
    MEMBER(rhost_host, asked);
    MEMBER(rhost_host, fail_name);
    MEMBER(rhost_host, busy);
    MEMBER(rhost_host, progress);
    MEMBER(rhost_host, stopping);
    MEMBER(rhost_host, deadline);
    END(rhost_host);
    SIZE(rhost_attr);
    MEMBER(rhost_attr, name);
    MEMBER(rhost_attr, type);
    MEMBER(rhost_attr, desc);
    MEMBER(rhost_attr, behaviour);
    MEMBER(rhost_attr, default_value);
    MEMBER(rhost_attr, initial);
    MEMBER(rhost_attr, deprecated);
    MEMBER(rhost_attr, formerly);
    END(rhost_attr);
    SIZE(rhost_action);
    MEMBER(rhost_action, name);
    MEMBER(rhost_action, desc);
    MEMBER(rhost_action, overlay);
    END(rhost_action);
    SIZE(rhost_provider);
    MEMBER(rhost_provider, struct_size);
    MEMBER(rhost_provider, attr_stride);
    MEMBER(rhost_provider, n_attrs);
    MEMBER(rhost_provider, attrs);
    MEMBER(rhost_provider, type);
    MEMBER(rhost_provider, name);
    MEMBER(rhost_provider, desc);
    MEMBER(rhost_provider, features);
    MEMBER(rhost_provider, title_patterns);
    MEMBER(rhost_provider, relations);
    MEMBER(rhost_provider, action_stride);
    MEMBER(rhost_provider, n_actions);
    MEMBER(rhost_provider, actions);
    MEMBER(rhost_provider, default_action);
    MEMBER(rhost_provider, refresh_action);
    MEMBER(rhost_provider, suits);
    MEMBER(rhost_provider, open);
    MEMBER(rhost_provider, close);
    MEMBER(rhost_provider, canonicalize);
    MEMBER(rhost_provider, insync);
    MEMBER(rhost_provider, get);
    MEMBER(rhost_provider, load);
    MEMBER(rhost_provider, set);
    MEMBER(rhost_provider, create);
    MEMBER(rhost_provider, update);
    MEMBER(rhost_provider, remove);
    MEMBER(rhost_provider, converge);
    MEMBER(rhost_provider, act);
    MEMBER(rhost_provider, validate);
    MEMBER(rhost_provider, needs);
    MEMBER(rhost_provider, irreversible);
    END(rhost_provider);
    SIZE(rhost_transport);
    MEMBER(rhost_transport, struct_size);
    MEMBER(rhost_transport, attr_stride);
    MEMBER(rhost_transport, n_attrs);
    MEMBER(rhost_transport, attrs);
    MEMBER(rhost_transport, name);
    MEMBER(rhost_transport, desc);
    MEMBER(rhost_transport, open);
    MEMBER(rhost_transport, close);
    MEMBER(rhost_transport, verify);
    MEMBER(rhost_transport, facts);
    MEMBER(rhost_transport, api);
    MEMBER(rhost_transport, needs);
    END(rhost_transport);
    SIZE(rhost_plugin);
    MEMBER(rhost_plugin, struct_size);
    MEMBER(rhost_plugin, name);
    MEMBER(rhost_plugin, version);
    MEMBER(rhost_plugin, providers);
    MEMBER(rhost_plugin, transports);
    MEMBER(rhost_plugin, extension);
    MEMBER(rhost_plugin, lookups);
    MEMBER(rhost_plugin, facts);
    MEMBER(rhost_plugin, built_with);
    MEMBER(rhost_plugin, flags);
    END(rhost_plugin);
    SIZE(rhost_lookup);
    MEMBER(rhost_lookup, struct_size);
    MEMBER(rhost_lookup, attr_stride);
    MEMBER(rhost_lookup, n_attrs);
    MEMBER(rhost_lookup, attrs);
    MEMBER(rhost_lookup, name);
    MEMBER(rhost_lookup, desc);
    MEMBER(rhost_lookup, type);
    MEMBER(rhost_lookup, find);
    MEMBER(rhost_lookup, needs);
    END(rhost_lookup);
    SIZE(rhost_fact);
    MEMBER(rhost_fact, struct_size);
    MEMBER(rhost_fact, name);
    MEMBER(rhost_fact, type);
    MEMBER(rhost_fact, desc);
    MEMBER(rhost_fact, read);
    MEMBER(rhost_fact, needs);
    END(rhost_fact);
    SIZE(rhost_command);
    MEMBER(rhost_command, struct_size);
    MEMBER(rhost_command, argv);
    MEMBER(rhost_command, env);
    MEMBER(rhost_command, cwd);
    MEMBER(rhost_command, user);
    MEMBER(rhost_command, group);
    MEMBER(rhost_command, input);
    MEMBER(rhost_command, input_len);
    MEMBER(rhost_command, output_limit);
    MEMBER(rhost_command, timeout);
    MEMBER(rhost_command, umask);
    MEMBER(rhost_command, flags);
    MEMBER(rhost_command, secret_args);
    MEMBER(rhost_command, read_only);
    MEMBER(rhost_command, read_write);
    END(rhost_command);
    SIZE(rhost_output);
    MEMBER(rhost_output, struct_size);
    MEMBER(rhost_output, status);
    MEMBER(rhost_output, signal);
    MEMBER(rhost_output, truncated);
    MEMBER(rhost_output, reserved);
    MEMBER(rhost_output, out);
    MEMBER(rhost_output, err);
    MEMBER(rhost_output, out_len);
    MEMBER(rhost_output, err_len);
    END(rhost_output);
    SIZE(rhost_exec);
    MEMBER(rhost_exec, struct_size);
    MEMBER(rhost_exec, run);
    END(rhost_exec);
    SIZE(rhost_new_file);
    MEMBER(rhost_new_file, struct_size);
    MEMBER(rhost_new_file, path);
    MEMBER(rhost_new_file, content);
    MEMBER(rhost_new_file, content_len);
    MEMBER(rhost_new_file, source);
    MEMBER(rhost_new_file, mode);
    MEMBER(rhost_new_file, uid);
    MEMBER(rhost_new_file, gid);
    MEMBER(rhost_new_file, flags);
    MEMBER(rhost_new_file, validate);
    MEMBER(rhost_new_file, validate_timeout);
    MEMBER(rhost_new_file, dir);
    MEMBER(rhost_new_file, seen);
    END(rhost_new_file);
    SIZE(rhost_file);
    MEMBER(rhost_file, struct_size);
    MEMBER(rhost_file, replace);
    MEMBER(rhost_file, touched);
    END(rhost_file);
    SIZE(rhost_file_seen);
    MEMBER(rhost_file_seen, struct_size);
    MEMBER(rhost_file_seen, exists);
    MEMBER(rhost_file_seen, reserved);
    MEMBER(rhost_file_seen, dev);
    MEMBER(rhost_file_seen, ino);
    MEMBER(rhost_file_seen, size);
    MEMBER(rhost_file_seen, mtime_sec);
    MEMBER(rhost_file_seen, mtime_nsec);
    MEMBER(rhost_file_seen, ctime_sec);
    MEMBER(rhost_file_seen, ctime_nsec);
    END(rhost_file_seen);
    SIZE(rhost_path);
    MEMBER(rhost_path, struct_size);
    MEMBER(rhost_path, open);
    MEMBER(rhost_path, parent);
    MEMBER(rhost_path, unsafe);
    MEMBER(rhost_path, symlink);
    MEMBER(rhost_path, own);
    MEMBER(rhost_path, trusted);
    MEMBER(rhost_path, hidden_mount);
    END(rhost_path);
    SIZE(rhost_ids);
    MEMBER(rhost_ids, struct_size);
    MEMBER(rhost_ids, number);
    MEMBER(rhost_ids, name);
    END(rhost_ids);
    SIZE(rhost_keep);
    MEMBER(rhost_keep, struct_size);
    MEMBER(rhost_keep, word);
    MEMBER(rhost_keep, shared);
    END(rhost_keep);
    SIZE(rhost_bridge);
    MEMBER(rhost_bridge, struct_size);
    MEMBER(rhost_bridge, open);
    END(rhost_bridge);
    SIZE(rhost_bridge_host);
    MEMBER(rhost_bridge_host, struct_size);
    MEMBER(rhost_bridge_host, refuse);
    MEMBER(rhost_bridge_host, check_file);
    END(rhost_bridge_host);
    SIZE(rhost_programs);
    MEMBER(rhost_programs, struct_size);
    MEMBER(rhost_programs, start);
    MEMBER(rhost_programs, say);
    MEMBER(rhost_programs, hear);
    MEMBER(rhost_programs, waits);
    MEMBER(rhost_programs, end);
    MEMBER(rhost_programs, stop);
    MEMBER(rhost_programs, wait);
    MEMBER(rhost_programs, share);
    END(rhost_programs);
    SIZE(rhost_run);
    MEMBER(rhost_run, struct_size);
    MEMBER(rhost_run, strict);
    MEMBER(rhost_run, noop);
    MEMBER(rhost_run, debug);
    END(rhost_run);
    SIZE(rhost_upcoming);
    MEMBER(rhost_upcoming, struct_size);
    MEMBER(rhost_upcoming, resources);
    MEMBER(rhost_upcoming, changes);
    END(rhost_upcoming);
    SIZE(rhost_overlap);
    MEMBER(rhost_overlap, struct_size);
    MEMBER(rhost_overlap, begin);
    MEMBER(rhost_overlap, end);
    END(rhost_overlap);
    SIZE(rhost_private);
    MEMBER(rhost_private, struct_size);
    MEMBER(rhost_private, get);
    MEMBER(rhost_private, put);
    MEMBER(rhost_private, digest);
    END(rhost_private);
    SIZE(rhost_progress);
    MEMBER(rhost_progress, struct_size);
    MEMBER(rhost_progress, alive);
    END(rhost_progress);
    SIZE(rhost_catalog);
    MEMBER(rhost_catalog, struct_size);
    MEMBER(rhost_catalog, find);
    MEMBER(rhost_catalog, all);
    MEMBER(rhost_catalog, below);
    END(rhost_catalog);
}

static void
values(void)
{
    VALUE(RHOST_UNDEF);
    VALUE(RHOST_BOOLEAN);
    VALUE(RHOST_INTEGER);
    VALUE(RHOST_FLOAT);
    VALUE(RHOST_STRING);
    VALUE(RHOST_BINARY);
    VALUE(RHOST_ARRAY);
    VALUE(RHOST_HASH);
    VALUE(RHOST_UNKNOWN);
    VALUE(RHOST_DEBUG);
    VALUE(RHOST_INFO);
    VALUE(RHOST_NOTICE);
    VALUE(RHOST_WARNING);
    VALUE(RHOST_ERR);
    VALUE(RHOST_CREATING);
    VALUE(RHOST_UPDATING);
    VALUE(RHOST_DELETING);
    VALUE(RHOST_PROCESSING);
    VALUE(RHOST_FAILING);
    VALUE(RHOST_ABI_MAJOR);
    VALUE(RHOST_NAMEVAR);
    VALUE(RHOST_PARAMETER);
    VALUE(RHOST_READ_ONLY);
    VALUE(RHOST_INIT_ONLY);
    VALUE(RHOST_UNORDERED);
    VALUE(RHOST_SIMPLE_GET_FILTER);
    VALUE(RHOST_SUPPORTS_NOOP);
    VALUE(RHOST_REMOTE_RESOURCE);
    VALUE(RHOST_FORGETS_WORLD);
    VALUE(RHOST_READ_BACK);
    VALUE(RHOST_GATHERS);
    VALUE(RHOST_CREATES_NEW);
    VALUE(RHOST_PURE_CANONICALIZE);
    VALUE(RHOST_ONE_WORKER);
    VALUE(RHOST_ABSENT);
    VALUE(RHOST_DIFFERS);
    VALUE(RHOST_MISSING);
    VALUE(RHOST_DEFAULT_COMPARISON);
    VALUE(RHOST_EXEC_READS);
    VALUE(RHOST_EXEC_MERGE);
    VALUE(RHOST_EXEC_TAIL);
    VALUE(RHOST_EXEC_UMASK_0);
    VALUE(RHOST_EXEC_STOPPABLE);
    VALUE(RHOST_EXEC_SHOW_OUTPUT);
    VALUE(RHOST_EXEC_NO_NETWORK);
    VALUE(RHOST_EXEC_PRIVATE_TMP);
    VALUE(RHOST_EXEC_NO_NEW_PRIVILEGES);
    VALUE(RHOST_FILE_FOLLOW);
    VALUE(RHOST_FILE_DEFERRED_SYNC);
    VALUE(RHOST_FILE_SECRET);
    VALUE(RHOST_FILE_AT);
    VALUE(RHOST_FILE_ONLY_CHANGE);
    VALUE(RHOST_FILE_MODE_0);
    VALUE(RHOST_FILE_CHANGED);
    VALUE(RHOST_PATH_FOLLOW);
    VALUE(RHOST_PATH_REPLACE);
    TEXT(RHOST_PLUGIN_SYMBOL);
    TEXT(RHOST_EXEC_ID);
    TEXT(RHOST_FILE_ID);
    TEXT(RHOST_PATH_ID);
    VALUE(RHOST_IDS_USER);
    VALUE(RHOST_IDS_GROUP);
    TEXT(RHOST_IDS_ID);
    TEXT(RHOST_KEEP_ID);
    TEXT(RHOST_OVERLAP_ID);
    TEXT(RHOST_PRIVATE_ID);
    TEXT(RHOST_CATALOG_ID);
    TEXT(RHOST_BRIDGE_ID);
    TEXT(RHOST_SERVED_ID);
    TEXT(RHOST_RUN_ID);
    TEXT(RHOST_UPCOMING_ID);
    TEXT(RHOST_PROGRAM_ID);
    TEXT(RHOST_PROGRESS_ID);
}

int
main(void)
{
    structs();
    values();
    return missing || fflush(stdout) != 0;
}
