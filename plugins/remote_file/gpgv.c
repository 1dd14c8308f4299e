/* SPDX-License-Identifier: Apache-2.0 */
/* gpgv - signatures of OpenPGP, which the program gpgv checks.
 *
 * It reads the file from its standard input, so that nobody can exchange it meanwhile; keyring and signature
 * are copies in a directory that only we can enter. Its exit status says too little: it is 0 for a key that
 * has expired or was revoked as well. What counts is what it reports (--status-fd; doc/DETAILS of GnuPG). */

#include "gpgv.h"

#include <rhost/dry-run.h>
#include <rhost/exec.h>
#include <rhost/path.h>

#include <openssl/evp.h>
#include <sys/mman.h>

#define PLACE "/tmp"

enum { TIMEOUT_MS = 600000, LONGEST_ID = 40 };

static const off_t largest = (off_t)1 << 30; /* bytes that go through memory */

struct folder {
    char path[sizeof PLACE "/rhost-signature.XXXXXX"];
};

static const char *
inside(rhost_ctx *ctx, const struct folder *f, const char *name)
{
    return rhost_fmt(ctx, "%s/%s", f->path, name);
}

static int32_t
folder_open(rhost_ctx *ctx, struct folder *f)
{
    memcpy(f->path, PLACE "/rhost-signature.XXXXXX", sizeof f->path);
    if (rhost_path_trusted(ctx, PLACE "/.") < 0)
        return rhost_fail_path(ctx, "cannot create a directory to check signatures in");
    return mkdtemp(f->path)
               ? 0
               : rhost_fail_errno(ctx, "cannot create a directory in '%s' to check signatures in", PLACE);
}

static void
folder_close(rhost_ctx *ctx, const struct folder *f)
{
    (void)unlink(inside(ctx, f, "keyring"));
    (void)unlink(inside(ctx, f, "signature"));
    (void)rmdir(f->path);
}

static int
folder_put(rhost_ctx *ctx, const struct folder *f, const char *name, const char *bytes, size_t n)
{
    int fd = open(inside(ctx, f, name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int result = fd < 0 ? -1 : 0;

    while (result == 0 && n) {
        ssize_t put = write(fd, bytes, n);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            result = -1;
        else {
            bytes += put;
            n -= (size_t)put;
        }
    }
    rhost_path_close(fd);
    return result;
}

/* --- Keyrings with armor. --------------------------------------------------------------------- */

/* The base64 of one block, from behind its first line, added to `to`. What follows; NULL: it is damaged. */
static const char *
dearmor(const char *at, unsigned char *to, size_t *n)
{
    EVP_ENCODE_CTX *base64 = EVP_ENCODE_CTX_new();
    int in_headers = 1, some, ok = base64 != NULL;

    if (ok)
        EVP_DecodeInit(base64);
    while (ok && *at && strncmp(at, "-----END", 8) != 0) {
        size_t len = strcspn(at, "\n"), text = len;

        while (text && strchr(" \t\r", at[text - 1]))
            text--;
        if (in_headers)
            in_headers = text != 0;
        else if (*at != '=' && text) { /* "=XXXX" is a checksum against damage alone */
            ok = EVP_DecodeUpdate(base64, to + *n, &some, (const unsigned char *)at, (int)text) >= 0;
            *n += (size_t)some;
        }
        at += len + (at[len] == '\n');
    }
    ok = ok && *at && EVP_DecodeFinal(base64, to + *n, &some) == 1;
    if (ok)
        *n += (size_t)some;
    EVP_ENCODE_CTX_free(base64);
    return ok ? at + strcspn(at, "\n") : NULL;
}

const char *
gpgv_keyring(rhost_ctx *ctx, const char *text, size_t *n)
{
    static const char begin[] = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
    const char *at = memchr(text, '\0', *n) ? NULL : strstr(text, begin);
    unsigned char *bytes;

    if (!at) /* a keyring in binary form: packets, or a keybox */
        return *n && (*text & 0x80 || (*n > 12 && memcmp(text + 8, "KBXf", 4) == 0)) ? text : NULL;
    bytes = rhost_alloc(ctx, *n + 1);
    for (*n = 0; at; at = strstr(at, begin)) {
        at = dearmor(at + strcspn(at, "\n") + (strchr(at, '\n') != NULL), bytes, n);
        if (!at)
            return NULL;
    }
    return *n ? (const char *)bytes : NULL;
}

/* --- The program. ----------------------------------------------------------------------------- */

int32_t
gpgv_find(rhost_ctx *ctx, const char *attribute)
{
    for (const char *at = RHOST_EXEC_PATH; *at;) {
        size_t n = strcspn(at, ":");
        const char *one = rhost_fmt(ctx, "%.*s/gpgv", (int)n, at);

        if (access(one, X_OK) == 0 || (rhost_noop(ctx) && rhost_will_exist(ctx, "file", one)))
            return 0;
        at += n + (at[n] == ':');
    }
    return rhost_fail_missing(ctx, attribute,
                              "program 'gpgv' does not exist; it checks signatures of OpenPGP (the package "
                              "'gpgv', or 'gnupg2')");
}

static int32_t
run(rhost_ctx *ctx, const struct folder *f, const void *bytes, size_t n, struct rhost_output *output)
{
    const char *const argv[] = { "gpgv",
                                 "--homedir",
                                 f->path,
                                 "--status-fd",
                                 "1",
                                 "--weak-digest",
                                 "SHA1",
                                 "--weak-digest",
                                 "RIPEMD160",
                                 "--keyring",
                                 inside(ctx, f, "keyring"),
                                 inside(ctx, f, "signature"),
                                 "-",
                                 NULL };
    const struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .input = bytes,
        .input_len = n,
        .umask = -1,
        .timeout = TIMEOUT_MS,
        .flags = RHOST_EXEC_READS,
    };

    if (rhost_run(ctx, &command, output) < 0)
        return -1;
    if (output->signal)
        return rhost_fail(ctx, "gpgv was killed by signal %d", (int)output->signal);
    return 0;
}

/* The last line that is not empty. */
static const char *
last_line(rhost_ctx *ctx, const char *text)
{
    size_t end = strlen(text), start;

    while (end && strchr(" \r\n", text[end - 1]))
        end--;
    for (start = end; start && text[start - 1] != '\n'; start--)
        ;
    return end > start ? rhost_copy(ctx, text + start, end - start) : "gpgv says nothing";
}

/* What a line of the report means where it is no good signature; NULL: nothing. */
static const char *
meaning(rhost_ctx *ctx, const char *word, const char *id)
{
    static const struct {
        const char *word, *format;
    } all[] = {
        { "BADSIG", "the signature is not one of this file, or was changed (key %s)" },
        { "EXPSIG", "the signature, by the key %s, has expired" },
        { "EXPKEYSIG", "the key %s, which it is signed with, has expired" },
        { "REVKEYSIG", "the key %s, which it is signed with, was revoked" },
        { "NO_PUBKEY", "it is signed with the key %s, which is not in 'keyring'" },
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(word, all[i].word) == 0)
            return rhost_fmt(ctx, "%.*s%s%s", (int)(strstr(all[i].format, "%s") - all[i].format),
                             all[i].format, id, strstr(all[i].format, "%s") + 2);
    return NULL;
}

/* Several may have signed: one good signature is enough, and none may be bad. */
static const char *
judge(rhost_ctx *ctx, const struct rhost_output *output)
{
    static const char mark[] = "[GNUPG:] ";
    const char *first = NULL;
    int good = 0, valid = 0;

    for (const char *at = output->out; *at;) {
        size_t n = strcspn(at, "\n");
        char word[16], id[LONGEST_ID + 1];
        const char *line = rhost_copy(ctx, at, n), *why;
        int parts = strncmp(line, mark, sizeof mark - 1) == 0
                        ? sscanf(line + sizeof mark - 1, "%15s %40[0-9A-Fa-f]", word, id)
                        : 0;

        at += n + (at[n] == '\n');
        if (parts < 1)
            continue;
        if (strcmp(word, "PLAINTEXT") == 0) /* it brings what it signs with it */
            return "the signature is not a detached one";
        good += parts == 2 && strcmp(word, "GOODSIG") == 0;
        valid += parts == 2 && strcmp(word, "VALIDSIG") == 0;
        why = parts == 2 ? meaning(ctx, word, id) : NULL;
        if (why && strcmp(word, "BADSIG") == 0)
            return why;
        first = first ? first : why;
    }
    if (good && valid && output->status == 0)
        return NULL;
    if (good && valid && first) /* the status is that of another signature */
        return NULL;
    return first ? first : rhost_fmt(ctx, "the signature cannot be checked: %s", last_line(ctx, output->err));
}

int32_t
gpgv_check(rhost_ctx *ctx, const struct gpgv *g, int fd, off_t size, const char **why)
{
    void *bytes = NULL;
    struct rhost_output output;
    struct folder f;
    int32_t result = -1;

    if (size > largest)
        return rhost_fail_attr(
            ctx, "keyring",
            "a file of more than %lld bytes is not checked with gpgv: this one has %lld; use "
            "'checksum', or minisign",
            (long long)largest, (long long)size);
    if (size)
        bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return rhost_fail_errno(ctx, "cannot read the new file");
    if (folder_open(ctx, &f) == 0) {
        if (folder_put(ctx, &f, "keyring", g->keyring, g->keyring_len) < 0
            || folder_put(ctx, &f, "signature", g->signature, g->signature_len) < 0)
            (void)rhost_fail_errno(ctx, "cannot write in '%s'", f.path);
        else
            result = run(ctx, &f, bytes, (size_t)size, &output);
        folder_close(ctx, &f);
    }
    if (bytes)
        (void)munmap(bytes, (size_t)size);
    if (result == 0)
        *why = judge(ctx, &output);
    return result;
}
