/* SPDX-License-Identifier: Apache-2.0 */
/* identity - which machine this is and which of its runs.
 *
 * The number of the last run stands in the file `sequence` of the state directory: "N BOOT-ID", always as
 * long, so that it is written over in place. A run without reports does not wait for the disk. What
 * a power cut takes of the file is found again in the journals: they are looked at once after each boot. */
#include "config.h"

#include "run/identity.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/value.h"
#include "run/journal-read.h"
#include "run/stamp.h"
#include "run/state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <rhost/sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { ID = 16, BLOCK = 64, SUM = 32, LONGEST = 4096, BOOT = 36, RECORD = 20 + 1 + BOOT + 1 };

static const char host_file[] = "host.json";

/* The id of the machine. */

/* Sixteen bytes of 32 hexadecimal digits; false when it is something else, or nothing but zeros. */
static bool
read_id(const char *hex, unsigned char id[ID])
{
    unsigned any = 0;

    if (strspn(hex, "0123456789abcdefABCDEF") < 2 * ID)
        return false;
    for (int i = 0; i < ID; i++) {
        const char digits[] = { hex[2 * i], hex[2 * i + 1], '\0' };

        id[i] = (unsigned char)strtoul(digits, NULL, 16);
        any |= id[i];
    }
    return any && (!hex[2 * ID] || hex[2 * ID] == '\n');
}

static void
add_padded_key(const unsigned char key[ID], unsigned char pad, struct rhost_sha256 *sum)
{
    unsigned char block[BLOCK];

    for (int i = 0; i < BLOCK; i++)
        block[i] = (unsigned char)((i < ID ? key[i] : 0) ^ pad);
    rhost_sha256_init(sum);
    rhost_sha256_add(sum, block, sizeof block);
    explicit_bzero(block, sizeof block);
}

/* HMAC-SHA256 of the id of rhost with the id of the machine as the key, as a UUID of version 4: what
 * `systemd-id128 machine-id --app-specific=8b97bc24c27a49a48a8b58f9b93025f5` prints. */
static void
derive(const unsigned char machine[ID], char hex[RH_HOST_ID])
{
    /* rhost, as an application of systemd. It must never change. */
    static const unsigned char rhost[ID] = { 0x8b, 0x97, 0xbc, 0x24, 0xc2, 0x7a, 0x49, 0xa4,
                                             0x8a, 0x8b, 0x58, 0xf9, 0xb9, 0x30, 0x25, 0xf5 };
    struct rhost_sha256 sum;
    unsigned char inner[SUM], outer[SUM];

    add_padded_key(machine, 0x36, &sum);
    rhost_sha256_add(&sum, rhost, sizeof rhost);
    rhost_sha256_bytes(&sum, inner);
    add_padded_key(machine, 0x5c, &sum);
    rhost_sha256_add(&sum, inner, sizeof inner);
    rhost_sha256_bytes(&sum, outer);
    outer[6] = (unsigned char)((outer[6] & 0x0f) | 0x40);
    outer[8] = (unsigned char)((outer[8] & 0x3f) | 0x80);
    for (int i = 0; i < ID; i++)
        (void)snprintf(hex + 2 * (size_t)i, 3, "%02x", outer[i]);
}

void
rh_identity_of_machine(struct rh_identity *to)
{
    size_t n = 0;
    rh_autofree char *text = rh_read_file("/etc/machine-id", LONGEST, &n, NULL);
    struct utsname names = { 0 };
    unsigned char id[ID];

    *to = (struct rh_identity){ 0 };
    (void)uname(&names);
    (void)snprintf(to->name, sizeof to->name, "%s", names.nodename);
    if (text && read_id(text, id))
        derive(id, to->host);
}

/* The machine has no id: it gets one, by who has locked the sequence. */
static int
take_own_id(const char *state_dir, char hex[RH_HOST_ID], struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const struct rh_value *kept = rh_state_load(a, state_dir, host_file, err);
    const char *known = rh_value_get_str(kept, "id", "");
    unsigned char id[ID];
    struct rh_value *v;

    if (!kept)
        return -1;
    if (rh_value_count(kept) && (strlen(known) != 2 * ID || !read_id(known, id)))
        return rh_error_set(err, RH_EINPUT, "'%s/%s' has no id: remove it to give this machine another one",
                            state_dir, host_file);
    if (rh_value_count(kept)) {
        memcpy(hex, known, RH_HOST_ID);
        return 0;
    }
    if (getrandom(id, sizeof id, 0) != (ssize_t)sizeof id)
        return rh_error_system(err, errno, "cannot get random bytes");
    derive(id, hex); /* the same kind of id */
    v = rh_value_hash(a, 1);
    rh_value_put(v, "id", rh_value_string(a, hex));
    return rh_state_save(state_dir, host_file, v, err);
}

/* The number. */

/* Empty where the kernel does not say: then there is one boot only. */
static void
read_boot(char boot[BOOT + 1])
{
    size_t n = 0;
    rh_autofree char *text = rh_read_file("/proc/sys/kernel/random/boot_id", LONGEST, &n, NULL);

    (void)snprintf(boot, BOOT + 1, "%-36.36s", text && n > BOOT ? text : "");
}

/* The highest number that a journal has. */
static uint64_t
highest_of_journals(const char *state_dir)
{
    rh_autoerror struct rh_error ignored = { 0 };
    struct rh_run_names names;
    uint64_t most = 0;

    if (rh_run_names_read(state_dir, &names, &ignored) < 0)
        return 0;
    for (size_t i = 0; i < names.n; i++) {
        uint64_t seq = rh_run_journal_number(state_dir, names.v[i]);

        most = seq > most ? seq : most;
    }
    rh_run_names_clear(&names);
    return most;
}

static int
open_sequence(const char *path, struct rh_error *err)
{
    rh_autoclose int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return rh_error_system(err, errno, "cannot open '%s'", path);
    if (!S_ISREG(st.st_mode))
        return rh_error_set(err, RH_EINPUT, "'%s' is not a regular file", path);
    while (flock(fd, LOCK_EX) < 0) /* for a moment only: the other one is just here as well */
        if (errno != EINTR)
            return rh_error_system(err, errno, "cannot lock '%s'", path);
    return rh_take_fd(&fd);
}

/* The number is 0, and the boot unknown, when the file has no record: the journals have the number. */
static int
read_record(int fd, const char *path, uint64_t *last, char boot[BOOT + 1], struct rh_error *err)
{
    char record[RECORD + 1];
    ssize_t n = pread(fd, record, sizeof record, 0);
    char *end;

    *last = 0;
    boot[0] = '\0';
    if (n < 0)
        return rh_error_system(err, errno, "cannot read '%s'", path);
    if (n == 0)
        return 0; /* it is new, or was when the power was cut */
    errno = 0;
    if (n == RECORD && record[0] >= '0' && record[0] <= '9' && record[RECORD - 1] == '\n') {
        record[RECORD - 1] = '\0';
        *last = strtoull(record, &end, 10);
        if (!errno && *last < INT64_MAX && end == record + 20 && *end == ' ') {
            memcpy(boot, end + 1, BOOT + 1);
            return 0;
        }
    }
    *last = 0;
    rh_log(RH_WARNING, "'%s' was damaged: runs are numbered from the journals on", path);
    return 0;
}

static int
take_number(int fd, const char *state_dir, const char *path, bool durable, uint64_t *number,
            struct rh_error *err)
{
    char boot[BOOT + 1], known[BOOT + 1], record[RECORD + 1];
    uint64_t last, seen;

    read_boot(boot);
    if (read_record(fd, path, &last, known, err) < 0)
        return -1;
    if (strcmp(boot, known) != 0 && (seen = highest_of_journals(state_dir)) > last)
        last = seen;
    (void)snprintf(record, sizeof record, "%020" PRIu64 " %s\n", last + 1, boot);
    if (rh_write_all_at(fd, record, RECORD, 0) < 0 || (!known[0] && ftruncate(fd, RECORD) < 0)
        || (durable && fdatasync(fd) < 0))
        return rh_error_system(err, errno, "cannot write '%s'", path);
    /* The run that made the file may not have waited for the disk. */
    if (durable && rh_sync_directory(state_dir, err) < 0)
        return -1;
    *number = last + 1;
    return 0;
}

int
rh_identity_take(const char *state_dir, bool durable, struct rh_identity *to, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/sequence", state_dir);
    rh_autoclose int fd = open_sequence(path, err);

    rh_identity_of_machine(to);
    if (fd < 0 || (!*to->host && take_own_id(state_dir, to->host, err) < 0)
        || take_number(fd, state_dir, path, durable, &to->seq, err) < 0)
        return rh_error_prefix(err, "cannot number this run");
    return 0;
}

/* The id of a run. */

void
rh_identity_run_at(const struct timespec *now, uint64_t number, char id[RH_RUN_ID], char started[RH_RUN_TIME])
{
    struct tm tm;

    rh_stamp_split(now, &tm);
    (void)snprintf(id, RH_RUN_ID, "%04d%02d%02dT%02d%02d%02d.%03ld-%" PRIu64, tm.tm_year + 1900,
                   tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, now->tv_nsec / 1000000,
                   number);
    rh_stamp_second(now, started);
}

void
rh_identity_new_run(char id[RH_RUN_ID], char started[RH_RUN_TIME])
{
    static const uint64_t least = 100000000000, most = 999999999999; /* twelve digits, to be short */
    struct timespec now = { 0 };
    uint64_t number = 0;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        number = (uint64_t)getpid() << 32 ^ (uint64_t)now.tv_nsec; /* a kernel that has none */
    rh_identity_run_at(&now, least + number % (most - least + 1), id, started);
}
