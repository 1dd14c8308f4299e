/* SPDX-License-Identifier: Apache-2.0 */
/* bundle-main - the program that makes and reads bundles, for `rhost bundle` and for what applies bundles.
 * The libraries for archives and signatures are its own, and not the host's. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/standard.h"
#include "base/start.h"
#include "base/text.h"
#include "bundle/bundle.h"
#include "bundle/channel.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct settings {
    struct rh_bundle_request make;
    struct rh_channel_request channel;
    const char **hosts;
    size_t cap_hosts;
    const char *signers, *directory;
    bool json;
};

static int
refuse(struct rh_error *err)
{
    rh_autofree char *message = rh_safe_text(err->message);

    (void)fprintf(stderr, "rhost-bundle: %s%s%s%s\n", message, err->hint ? " (" : "",
                  err->hint ? err->hint : "", err->hint ? ")" : "");
    return 1;
}

static int
make(const struct settings *s, struct rh_error *err)
{
    rh_autobuf struct rh_buf path = { 0 };

    if (rh_bundle_make(&s->make, &path, err) < 0)
        return refuse(err);
    (void)printf("%s\n", rh_buf_text(&path));
    return 0;
}

static int
verify(const struct settings *s, const char *path, struct rh_error *err)
{
    rh_autobundle struct rh_bundle b = { 0 };
    rh_autofree char *signer = NULL;

    if (rh_bundle_open(&b, path, s->signers, err) < 0)
        return refuse(err);
    if (!b.described.signer) {
        (void)printf("%s: revision %lld, complete; the signature was not verified\n", path,
                     (long long)b.description.revision);
        return 0;
    }
    signer = rh_safe_text(b.described.signer);
    (void)printf("%s: revision %lld, signed by %s (%s)\n", path, (long long)b.description.revision, signer,
                 b.described.fingerprint);
    return 0;
}

static int
show(const struct settings *s, const char *path, struct rh_error *err)
{
    rh_autobundle struct rh_bundle b = { 0 };
    const struct rh_description *d = &b.description;
    rh_autofree char *commit = NULL, *min_rhost = NULL, *manifest = NULL;

    if (rh_bundle_open(&b, path, s->signers, err) < 0)
        return refuse(err);
    commit = d->commit ? rh_safe_text(d->commit) : NULL;
    min_rhost = d->min_rhost ? rh_safe_text(d->min_rhost) : NULL;
    manifest = rh_safe_text(d->manifest);
    if (s->json) {
        (void)fwrite(b.described.text, 1, b.described.n, stdout);
        return 0;
    }
    (void)printf("revision   %lld\n", (long long)d->revision);
    if (d->parent)
        (void)printf("parent     %lld\n", (long long)d->parent);
    if (d->commit)
        (void)printf("commit     %s\n", commit);
    if (d->min_rhost)
        (void)printf("min_rhost  %s\n", min_rhost);
    if (b.described.signer) {
        rh_autofree char *signer = rh_safe_text(b.described.signer);

        (void)printf("signed by  %s (%s)\n", signer, b.described.fingerprint);
    }
    (void)printf("manifest   %s\narchive    %s" RH_BUNDLE_SUFFIX
                 ", %lld bytes\nfiles      %lld, %lld bytes\n",
                 manifest, d->sha256, (long long)d->size, (long long)d->files, (long long)d->unpacked);
    for (size_t i = 0; i < b.files.n; i++) {
        rh_autofree char *shown = rh_safe_text(b.files.v[i].path);

        (void)printf("%10zu %c %s\n", b.files.v[i].n, b.files.v[i].executable ? 'x' : ' ', shown);
    }
    return 0;
}

static int
diff(const struct settings *s, const char *from, const char *to, struct rh_error *err)
{
    rh_autobundle struct rh_bundle a = { 0 };
    rh_autobundle struct rh_bundle b = { 0 };

    if (rh_bundle_open(&a, from, s->signers, err) < 0 || rh_bundle_open(&b, to, s->signers, err) < 0
        || rh_bundle_diff(&a, &b, err) < 0)
        return refuse(err);
    return 0;
}

/* Into a store that speaks S3, where channel.json is published as well: no directory is there to make it in.
 * S3 knows no empty names: a '/' at the end is left out. */
static int
publish_s3(const struct settings *s, const char *path, const char *to, struct rh_error *err)
{
    const char *slash = strrchr(path, '/');
    rh_autofree char *prefix = rh_xstrdup(to);
    rh_autobundle struct rh_bundle b = { 0 };
    size_t n = strlen(prefix);
    int rc;

    while (n && prefix[n - 1] == '/')
        prefix[--n] = '\0';
    if (strcmp(slash ? slash + 1 : path, RH_CHANNEL_FILE) == 0) {
        rc = rh_channel_publish_s3(path, s->signers, prefix, err);
        if (rc < 0)
            return refuse(err);
        (void)printf("s3:%s/" RH_CHANNEL_FILE "\n", prefix);
        return 0;
    }
    rc = rh_bundle_open(&b, path, s->signers, err);
    if (rc < 0 || rh_bundle_publish_s3(&b, path, prefix, err) < 0)
        return refuse(err);
    (void)printf("s3:%s/r%lld.json\n", prefix, (long long)b.description.revision);
    return 0;
}

static int
publish(const struct settings *s, const char *path, const char *directory, struct rh_error *err)
{
    rh_autobundle struct rh_bundle b = { 0 };
    int rc;

    if (strncmp(directory, "s3:", 3) == 0)
        return publish_s3(s, path, directory + 3, err);
    rc = rh_bundle_open(&b, path, s->signers, err);
    if (rc == 0)
        rc = strncmp(directory, "rsync:", 6) == 0 ? rh_bundle_publish_rsync(&b, path, directory + 6, err)
                                                  : rh_bundle_publish(&b, path, directory, err);
    if (rc < 0)
        return refuse(err);
    (void)printf("%s/r%lld.json\n", directory, (long long)b.description.revision);
    return 0;
}

/* Prints the revision, and in the next line where the manifest is. */
static int
unpack(const struct settings *s, const char *path, struct rh_error *err)
{
    rh_autobundle struct rh_bundle b = { 0 };
    rh_autobuf struct rh_buf manifest = { 0 };

    if (rh_bundle_open(&b, path, s->signers, err) < 0
        || rh_description_check_version(&b.description, PACKAGE_VERSION, err) < 0
        || rh_bundle_unpack(&b, s->directory, &manifest, err) < 0)
        return refuse(err);
    (void)printf("%lld\n%s\n", (long long)b.description.revision, rh_buf_text(&manifest));
    return 0;
}

static void
print_time(const char *what, int64_t when)
{
    time_t t = (time_t)when;
    struct tm tm;
    char text[64] = "";

    if (gmtime_r(&t, &tm))
        (void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    (void)printf("%-13s %s\n", what, text);
}

static void
print_channel(const struct rh_channel *c)
{
    (void)printf("serial        %lld\n", (long long)c->serial);
    print_time("issued", c->issued);
    print_time("expires", c->expires);
    (void)printf("revision      %lld for %d %% of the machines%s\n", (long long)c->want, c->percent,
                 c->n_hosts ? ", and for these:" : "");
    for (size_t i = 0; i < c->n_hosts; i++) {
        rh_autofree char *shown = rh_safe_text(c->hosts[i]);

        (void)printf("              %s\n", shown);
    }
    if (c->other != c->want)
        (void)printf("otherwise     %lld\n", (long long)c->other);
    (void)printf("min_revision  %lld\n", (long long)c->min_revision);
}

static int
show_channel(const struct settings *s, const char *directory, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autofree char *path = rh_printf("%s/" RH_CHANNEL_FILE, directory);
    rh_autosigned struct rh_signed file = { 0 };
    struct rh_channel c;

    if (rh_signed_open(&file, path, RH_CHANNEL_BYTES, RH_CHANNEL_NAMESPACE, s->signers, err) < 0)
        return refuse(err);
    if (rh_channel_read(a, file.text, file.n, &c, err) < 0) {
        rh_discard(rh_error_prefix(err, "'%s' is no channel", path));
        return refuse(err);
    }
    if (s->json) {
        (void)fwrite(file.text, 1, file.n, stdout);
        return 0;
    }
    print_channel(&c);
    if (file.signer) {
        rh_autofree char *signer = rh_safe_text(file.signer);

        (void)printf("signed by     %s (%s)\n", signer, file.fingerprint);
    }
    return 0;
}

/* Without a revision it is shown. */
static int
channel(struct settings *s, const char *directory, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_channel made;

    if (!s->channel.want)
        return show_channel(s, directory, err);
    s->channel.directory = directory;
    s->channel.signers = s->signers;
    s->channel.hosts = s->hosts;
    if (rh_channel_make(a, &s->channel, &made, err) < 0)
        return refuse(err);
    print_channel(&made);
    return 0;
}

static bool
take_channel(struct settings *s, int option, const char *value)
{
    int64_t percent = 0;

    switch (option) {
    case 'w':
        return rh_text_number(value, 1, &s->channel.want);
    case 'e':
        return rh_text_number(value, 1, &s->channel.other);
    case 'n':
        return rh_text_number(value, 1, &s->channel.serial);
    case 'l':
        return rh_text_number(value, 1, &s->channel.min_revision);
    case 'x':
        return rh_text_number(value, 1, &s->channel.lasts);
    case 'k':
        s->channel.key = value;
        return true;
    case '%':
        if (strcmp(value, "0") != 0 && !rh_text_number(value, 1, &percent))
            return false;
        s->channel.percent = percent <= 100 ? (int)percent : 100;
        return true;
    case 'h':
        s->hosts = rh_xgrow(s->hosts, &s->cap_hosts, s->channel.n_hosts, sizeof *s->hosts);
        s->hosts[s->channel.n_hosts++] = value;
        return true;
    default:
        return false;
    }
}

/* False: the option is none, or its value is no good. */
static bool
take(struct settings *s, int option, const char *value)
{
    switch (option) {
    case 'o':
        s->make.output = value;
        return true;
    case 'm':
        s->make.manifest = value;
        return true;
    case 'r':
        return rh_text_number(value, 1, &s->make.revision);
    case 'p':
        return rh_text_number(value, 1, &s->make.parent);
    case 'v':
        s->make.min_rhost = value;
        return true;
    case 'c':
        s->make.commit = value;
        return true;
    case 't':
        s->make.types = value;
        return true;
    case 's':
        s->signers = value;
        return true;
    case 'd':
        s->directory = value;
        return true;
    case 'j':
        s->json = true;
        return true;
    default:
        return take_channel(s, option, value);
    }
}

int
main(int argc, char **argv)
{
    static const struct option options[] = {
        { "output", required_argument, NULL, 'o' },
        { "manifest", required_argument, NULL, 'm' },
        { "revision", required_argument, NULL, 'r' },
        { "parent", required_argument, NULL, 'p' },
        { "min-rhost", required_argument, NULL, 'v' },
        { "commit", required_argument, NULL, 'c' },
        { "types", required_argument, NULL, 't' },
        { "signers", required_argument, NULL, 's' },
        { "directory", required_argument, NULL, 'd' },
        { "json", no_argument, NULL, 'j' },
        { "to", required_argument, NULL, 'w' },
        { "else", required_argument, NULL, 'e' },
        { "percent", required_argument, NULL, '%' },
        { "host", required_argument, NULL, 'h' },
        { "serial", required_argument, NULL, 'n' },
        { "min-revision", required_argument, NULL, 'l' },
        { "expires", required_argument, NULL, 'x' },
        { "key", required_argument, NULL, 'k' },
        { 0 },
    };
    struct settings s = { .make = { .manifest = "site.yaml", .output = "." },
                          .channel = { .percent = -1, .lasts = 30 * 24 * 3600 } };
    rh_autoerror struct rh_error err = { 0 };
    const char *what;
    int option, status, n;

    rh_alloc_tune();
    if (rh_program_start() < 0)
        return 71;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
        if (!take(&s, option, optarg))
            return 64;
    what = optind < argc ? argv[optind] : "";
    argv += optind + 1;
    n = argc - optind - 1;
    if (strcmp(what, "make") == 0 && n == 1) {
        s.make.directory = argv[0];
        status = make(&s, &err);
    } else if (strcmp(what, "verify") == 0 && n == 1) {
        status = verify(&s, argv[0], &err);
    } else if (strcmp(what, "show") == 0 && n == 1) {
        status = show(&s, argv[0], &err);
    } else if (strcmp(what, "diff") == 0 && n == 2) {
        status = diff(&s, argv[0], argv[1], &err);
    } else if (strcmp(what, "publish") == 0 && n == 2) {
        status = publish(&s, argv[0], argv[1], &err);
    } else if (strcmp(what, "unpack") == 0 && n == 1 && s.directory) {
        status = unpack(&s, argv[0], &err);
    } else if (strcmp(what, "channel") == 0 && n == 1 && (!s.channel.want || s.channel.key)) {
        status = channel(&s, argv[0], &err);
    } else {
        (void)fputs("rhost-bundle is started by 'rhost bundle', and does nothing by itself\n", stderr);
        return 64;
    }
    free(s.hosts);
    return rh_standard_close() < 0 ? 1 : status;
}
