/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-push - what pushes read: frames, requests and files of a controller, records that a target keeps, and
 * files of targets. The first line of an input says which; the rest is what is read. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/log.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "reach/endpoint.h"
#include "reach/inventory.h"
#include "reach/push-record.h"
#include "reach/receive-parts.h"
#include "reach/wire.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[64];

static void
must(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "broken: %s\n", what);
    abort();
}

static void
put(const char *name, const char *text, size_t n)
{
    char path[200];
    int fd;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || (n && write(fd, text, n) != (ssize_t)n) || close(fd) < 0)
        abort();
}

/* Frames as they come, in parts: what is read of them, written again, is what came. */
static void
read_frames(const char *bytes, size_t n)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf again = { 0 };
    struct rh_wire w = { 0 };
    int rc = 0;

    for (size_t at = 0; at < n && rc >= 0; at += 7) {
        enum rh_wire_kind kind;
        const char *content;
        size_t len;

        rh_wire_take(&w, bytes + at, n - at < 7 ? n - at : 7);
        while ((rc = rh_wire_next(&w, &kind, &content, &len, &err)) > 0) {
            rh_autoerror struct rh_error why = { 0 };

            must(len <= RH_WIRE_LARGEST, "a frame is larger than frames are");
            if (!rh_wire_value(a, content, len, &why))
                must(why.message, "the content of a frame is refused without a message");
            if (len && len <= RH_WIRE_PART)
                rh_wire_add(&again, kind, content, len);
            else
                rh_buf_addn(&again, bytes + again.n, 5 + len);
        }
    }
    must(rc >= 0 || err.message, "a frame is refused without a message");
    must(again.n <= n && memcmp(again.s ? again.s : "", bytes, again.n) == 0,
         "frames differ when they are written again");
    rh_wire_clear(&w);
}

/* What a controller sends to a target, up to the start of the command. */
static void
receive(const char *bytes, size_t n)
{
    struct rh_receiver r = { .arena = rh_arena_new(NULL),
                             .site = RH_SCRATCH_SITE_INIT,
                             .record = RH_PUSH_RECORD_INIT,
                             .child = { .in = -1, .out = -1, .err = -1 },
                             .progress = -1 };
    rh_autoerror struct rh_error err = { 0 };
    enum rh_wire_kind kind;
    const char *content;
    size_t len;
    int rc = 0;

    rh_wire_take(&r.in, bytes, n);
    while (rc >= 0 && (rc = rh_wire_next(&r.in, &kind, &content, &len, &err)) > 0) {
        if (kind == RH_WIRE_GO)
            break;
        rc = rh_receive_frame(&r, kind, content, len, &err);
    }
    must(rc >= 0 || err.message, "what a controller sends is refused without a message");
    rh_scratch_site_close(&r.site);
    rh_push_record_close(&r.record);
    rh_wire_clear(&r.in);
    rh_buf_clear(&r.out);
    rh_arena_free(r.arena);
}

static void
read_record(const char *text, size_t n)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *list;

    put("received/20260101T000000.000-1.json", text, n);
    list = rh_push_records_earlier(a, folder);
    must(rh_value_count(list) == 1, "a record is not listed");
    must(rh_value_get_str(rh_value_at(list, 0), "file", NULL), "a record without its file");
    rh_push_records_forget(folder, list);
    if (!rh_value_get(rh_value_at(list, 0), "running"))
        must(rh_value_count(rh_push_records_earlier(a, folder)) == 0, "a record is not forgotten");
}

static void
read_targets(const char *text, size_t n)
{
    static const char *const words[] = { "all", "web*", "web&!db", "role=web", "a,b" };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    struct rh_inventory inv = { .arena = a, .complaints = &complaints, .passive = true };
    char path[200];

    put("targets.yaml", text, n);
    (void)snprintf(path, sizeof path, "%s/targets.yaml", folder);
    if (rh_inventory_read(&inv, path) < 0 || rh_inventory_resolve(&inv) < 0) {
        must(rh_complaints_count(&complaints) > 0, "a file of targets is refused without a complaint");
    } else {
        must(rh_complaints_count(&complaints) == 0, "a file of targets is taken with a complaint");
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            rh_autoerror struct rh_error err = { 0 };

            if (rh_inventory_select(&inv, words[i], &err) < 0)
                must(err.message, "a word is refused without a message");
        }
    }
    rh_inventory_clear(&inv);
    rh_complaints_clear(&complaints);
    rh_sources_clear(&sources);
}

static void
read_endpoint(const char *text, size_t n)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_endpoint e = { 0 };
    rh_autofree char *word = strndup(text, n);

    if (!word)
        abort();
    (void)rh_endpoint_is_uri(word);
    if (rh_endpoint_read(&e, a, word, &err) < 0)
        must(err.message, "a target is refused without a message");
    else
        must(e.text && (e.connector != RH_CONNECT_SSH || (e.place && *e.place && *e.place != '-')),
             "a target that ssh would take for an option, or for none");
}

static void
remove_folder(void)
{
    char path[200];

    (void)snprintf(path, sizeof path, "%s/targets.yaml", folder);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/received", folder);
    (void)rmdir(path);
    (void)rmdir(folder);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char path[80];

    (void)argc;
    (void)argv;
    (void)snprintf(folder, sizeof folder, "%s/rhost-fuzz.XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder))
        abort();
    rh_log_set_level(RH_ERR);
    (void)snprintf(path, sizeof path, "%s/received", folder);
    if (mkdir(path, 0700) < 0 || atexit(remove_folder) != 0)
        abort();
    return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        const char *name;
        void (*read)(const char *text, size_t n);
    } all[] = { { "frames\n", read_frames },
                { "receive\n", receive },
                { "record\n", read_record },
                { "targets\n", read_targets },
                { "endpoint\n", read_endpoint } };
    const char *text = (const char *)data;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        size_t n = strlen(all[i].name);

        if (size >= n && memcmp(text, all[i].name, n) == 0)
            all[i].read(text + n, size - n);
    }
    return 0;
}
