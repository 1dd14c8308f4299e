/* SPDX-License-Identifier: Apache-2.0 */
/* link - the plugin of the same name once more, in C++: it passes the same tests. */

#include <rhost/file.h>
#include <rhost/path.h>
#include <rhost/posix.h>
#include <rhost/provider.hpp>

#include <climits>

namespace {

struct link {
    static constexpr const char *type = "link";
    static constexpr const char *desc = "Keep symbolic links pointing where they should.";
    static constexpr rhost_attr attrs[] = {
        { "path", "Pattern[/\\A\\//]", "Absolute path of the link.", RHOST_NAMEVAR, nullptr, nullptr },
        { "ensure", "Enum[present, absent]", "Whether the link should exist.", 0, "\"present\"", nullptr },
        { "target", "String[1]", "What the link points at, word for word.", 0, nullptr, nullptr },
        { "force", "Boolean", "Whether a file may give way to the link.", RHOST_PARAMETER, "false",
          nullptr },
    };

    static void
    canonicalize(rhost::context ctx, rhost::builder resource)
    {
        rhost_tidy_path(ctx.raw(), resource.raw(), "path");
    }

    /* With the part of the path that is not safe, if that is why. */
    [[noreturn]] static void
    throw_failure(rhost::context ctx, const std::string &what)
    {
        const int number = errno;
        const char *unsafe = rhost_path_unsafe(ctx.raw());

        if (unsafe)
            throw rhost::failure(what + ": " + unsafe);
        throw rhost::system_failure(what, number);
    }

    static bool
    load(rhost::context ctx, rhost::value name, rhost::value should, rhost::builder current)
    {
        const std::string path = name["path"].str();
        char target[PATH_MAX];
        struct stat st;

        if (rhost_path_readlink(ctx.raw(), path.c_str(), target, sizeof target) >= 0) {
            current.put("target", target);
            return true;
        }
        if (errno == ENOENT)
            return false;
        if (errno == EINVAL && rhost_path_stat(ctx.raw(), path.c_str(), 0, &st) == 0 && S_ISDIR(st.st_mode))
            throw rhost::failure("'" + path + "' is a directory, not a link");
        if (errno == EINVAL && (!should || should["force"].boolean()))
            return false; /* something else is there, which may be replaced */
        if (errno == EINVAL)
            throw rhost::failure("'" + path + "' exists, but is not a link");
        throw_failure(ctx, "cannot read link '" + path + "'");
    }

    static void
    create(rhost::context ctx, const rhost::change &change)
    {
        const std::string path = change.name()["path"].str(), target = change.should()["target"].str();

        if (rhost_path_symlink(ctx.raw(), target.c_str(), path.c_str(),
                               change.should()["force"].boolean() ? RHOST_PATH_REPLACE : 0) < 0)
            throw_failure(ctx, "cannot create the link '" + path + "'");
        rhost_touched(ctx.raw(), path.c_str());
    }

    static void
    update(rhost::context ctx, const rhost::change &change)
    {
        create(ctx, change);
    }

    static void
    remove(rhost::context ctx, const rhost::change &change)
    {
        const std::string path = change.name()["path"].str();

        if (rhost_path_unlink(ctx.raw(), path.c_str(), 0) < 0)
            throw_failure(ctx, "cannot remove '" + path + "'");
        rhost_touched(ctx.raw(), path.c_str());
    }
};

constexpr rhost_provider link_provider = rhost::provider<link>();

} // namespace

RHOST_PLUGIN(link, "1.0", &link_provider)
