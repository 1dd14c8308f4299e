/* SPDX-License-Identifier: Apache-2.0 */
/* verify - what systemd would make of unit files, before any of them is in its place. */

#include "verify.h"

#include "../service-systemd/names.h"

#include <rhost/exec.h>
#include <rhost/path.h>

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COMPLAINTS = 10 };

int
verify_open(rhost_ctx *ctx, struct verify *v)
{
    const char *temporary = getenv("TMPDIR");

    /* Where another user can exchange the directory, what root writes into it could land anywhere. */
    if (!temporary || *temporary != '/' || rhost_path_trusted(ctx, rhost_fmt(ctx, "%s/.", temporary)) < 0)
        temporary = "/tmp";
    v->folder[0] = '\0';
    if (rhost_path_trusted(ctx, rhost_fmt(ctx, "%s/.", temporary)) < 0)
        return rhost_fail_path(ctx, "cannot create a directory to verify units in");
    if (snprintf(v->folder, sizeof v->folder, "%s/rhost-units.XXXXXX", temporary) < (int)sizeof v->folder
        && mkdtemp(v->folder))
        return 0;
    v->folder[0] = '\0';
    return rhost_fail_errno(ctx, "cannot create a directory to verify units in");
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    return remove(path);
}

void
verify_close(struct verify *v)
{
    if (v->folder[0])
        (void)nftw(v->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static int
write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");
    int r;

    if (!f)
        return -1;
    r = fputs(text, f) < 0 ? -1 : 0;
    return fclose(f) == 0 ? r : -1;
}

/* The unit that a drop-in is for, as it is. 0: there is none. */
static int
put_whole(struct verify *v, const char *unit)
{
    char from[PATH_MAX], to[2 * PATH_MAX], bytes[4096];
    FILE *in, *out;
    size_t n;
    int r = 1;

    snprintf(to, sizeof to, "%s/%s", v->folder, unit);
    if (access(to, F_OK) == 0)
        return 1; /* one of this batch */
    if (!names_file(unit, from, sizeof from))
        return 0;
    in = fopen(from, "re");
    out = in ? fopen(to, "we") : NULL;
    while (out && (n = fread(bytes, 1, sizeof bytes, in)) > 0)
        if (fwrite(bytes, 1, n, out) != n)
            r = 0;
    if (in)
        (void)fclose(in);
    return out && fclose(out) == 0 ? r : 0;
}

const char *
verify_put(rhost_ctx *ctx, struct verify *v, const char *unit, const char *dropin, const char *text)
{
    char path[2 * PATH_MAX];

    snprintf(path, sizeof path, "%s/%s%s", v->folder, unit, dropin ? ".d" : "");
    if (dropin) {
        size_t len = strlen(path);

        if (mkdir(path, 0700) < 0 && errno != EEXIST)
            return rhost_fmt(ctx, "cannot create '%s': %s", path, strerror(errno));
        snprintf(path + len, sizeof path - len, "/%s", dropin);
    }
    if (write_file(path, text) < 0)
        return rhost_fmt(ctx, "cannot write '%s': %s", path, strerror(errno));
    return NULL;
}

/* --- Without systemd-analyze. ----------------------------------------------------------------- */

static const char *
check_form(rhost_ctx *ctx, const char *text)
{
    unsigned number = 0;
    int going_on = 0, section = 0;

    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n"), start = strspn(line, " \t");
        const char *at = line + start, *end = line + len;
        int comment = *at == '#' || *at == ';';

        number++;
        while (end > at && strchr(" \t\r", end[-1]))
            end--;
        if (at < end && !comment && !going_on) {
            if (*at == '[' && end[-1] != ']')
                return rhost_fmt(ctx, "line %u: '%.*s' lacks its ']'", number, (int)(end - at), at);
            if (*at != '[' && !memchr(at, '=', (size_t)(end - at)))
                return rhost_fmt(ctx, "line %u: '%.*s' is not a setting: missing '='", number,
                                 (int)(end - at), at);
            if (*at != '[' && !section)
                return rhost_fmt(ctx, "line %u: '%.*s' stands in no section", number, (int)(end - at), at);
            section = section || *at == '[';
        }
        if (!comment)
            going_on = end > at && end[-1] == '\\';
        line += len;
        line += *line ? 1 : 0;
    }
    return NULL;
}

/* --- With it. --------------------------------------------------------------------------------- */

/* Whether a line is of this file in our folder, or begins with the name of the unit. */
static int
is_ours(const struct verify *v, const char *unit, const char *dropin, const char *line)
{
    size_t n = strlen(unit), folder = strlen(v->folder);
    const char *at_sign = strchr(unit, '@');
    char word[NAMES_MAX + 8], file[2 * NAMES_MAX + 8];

    snprintf(file, sizeof file, "%s%s%s:", unit, dropin ? ".d/" : "", dropin ? dropin : "");
    if (strncmp(line, v->folder, folder) == 0 && line[folder] == '/')
        return strncmp(line + folder + 1, file, strlen(file)) == 0;
    snprintf(word, sizeof word, "Unit %.*s", at_sign ? (int)(at_sign + 1 - unit) : (int)n, unit);
    return strncmp(line, word + 5, strlen(word + 5)) == 0 || strncmp(line, word, strlen(word)) == 0;
}

/* What systemd says in its own words: without the names of files and units, and without what it quotes, which
 * whoever wrote the unit has chosen. */
static const char *
own_words(rhost_ctx *ctx, const struct verify *v, const char *line)
{
    size_t folder = strlen(v->folder);
    char *text, *to, quote = '\0';

    if (strncmp(line, v->folder, folder) == 0)
        line += folder;
    else if (strncmp(line, "Unit ", 5) == 0)
        line += 5;
    line += strcspn(line, " ");
    text = to = (char *)rhost_alloc(ctx, strlen(line) + 1);
    for (char before = ' '; *line; before = *line++) {
        if (quote)
            quote = *line == quote ? '\0' : quote;
        else if ((*line == '\'' || *line == '"') && strchr(" (=", before))
            quote = *line;
        else
            *to++ = *line;
    }
    *to = '\0';
    return text;
}

/* A program may be installed later in the run. */
static int
is_missing_program(const char *words)
{
    return strstr(words, " is not executable: No such file or directory") != NULL;
}

/* What systemd does all the same, and only advises against. */
static int
is_advice(const char *said)
{
    static const char *const words[] = { "this is not safe", "is obsolete", "deprecated", "legacy directory",
                                         "This is unsafe" };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(said, words[i]))
            return 1;
    return 0;
}

static const char *
complaints(rhost_ctx *ctx, const struct verify *v, const char *unit, const char *dropin, char *text)
{
    const char *all = "", *words;
    size_t folder = strlen(v->folder);
    int n = 0;
    char *save = NULL;

    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (!is_ours(v, unit, dropin, line))
            continue;
        words = own_words(ctx, v, line);
        if (is_missing_program(words) || is_advice(words)) {
            rhost_warning(ctx, "%s", line);
            continue;
        }
        if (strncmp(line, v->folder, folder) == 0 && line[folder] == '/')
            line += folder + 1;
        if (n++ < COMPLAINTS)
            all = rhost_fmt(ctx, "%s%s%s", all, *all ? "\n" : "", line);
    }
    return *all ? all : NULL;
}

static const char *
analyze(void)
{
    static const char *const places[] = { "/usr/bin/systemd-analyze", "/bin/systemd-analyze" };

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

const char *
verify_run(rhost_ctx *ctx, struct verify *v, const char *unit, const char *dropin, const char *text)
{
    char path[2 * PATH_MAX];
    const char *argv[] = { analyze(), "verify", "--man=no", "--recursive-errors=no", path, NULL };
    struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .flags = RHOST_EXEC_READS | RHOST_EXEC_MERGE,
        .timeout = 60000,
    };
    struct rhost_output output;
    char *printed;

    if (!argv[0] || (dropin && !put_whole(v, unit)))
        return check_form(ctx, text);
    snprintf(path, sizeof path, "%s/%s", v->folder, unit);
    if (rhost_run(ctx, &command, &output) < 0)
        return "systemd-analyze could not be run";
    if (strstr(output.out, "unrecognized option")) { /* before systemd 250 */
        argv[3] = path;
        argv[4] = NULL;
        if (rhost_run(ctx, &command, &output) < 0)
            return "systemd-analyze could not be run";
    }
    printed = rhost_alloc(ctx, output.out_len + 1);
    memcpy(printed, output.out, output.out_len);
    return complaints(ctx, v, unit, dropin, printed);
}
