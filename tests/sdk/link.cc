/* SPDX-License-Identifier: Apache-2.0 */
/* link - the plugin of the same name once more, in C++: it passes the same tests. */

#include <rhost/file.h>
#include <rhost/provider.hpp>

#include <filesystem>

#include <unistd.h>

namespace {

namespace fs = std::filesystem;

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

    static bool
    load(rhost::context, rhost::value name, rhost::value should, rhost::builder current)
    {
        const std::string path = name["path"].str();
        std::error_code error;
        const fs::path target = fs::read_symlink(path, error);

        if (error == std::errc::no_such_file_or_directory)
            return false;
        if (error == std::errc::invalid_argument && (!should || should["force"].boolean()))
            return false; /* something else is there, which may be replaced */
        if (error == std::errc::invalid_argument)
            throw rhost::failure("'" + path + "' is there, and not a link");
        if (error)
            throw rhost::system_failure("cannot read link '" + path + "'", error.value());
        current.put("target", target.native());
        return true;
    }

    static void
    create(rhost::context ctx, const rhost::change &change)
    {
        const std::string path = change.name()["path"].str(), beside = path + ".rhost-new";

        (void)unlink(beside.c_str()); /* left by a run that was killed */
        fs::create_symlink(change.should()["target"].text_or(""), beside);
        if (rename(beside.c_str(), path.c_str()) < 0) {
            const int number = errno;

            (void)unlink(beside.c_str());
            throw rhost::system_failure("cannot put the link '" + path + "' in its place", number);
        }
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

        if (unlink(path.c_str()) < 0)
            throw rhost::system_failure("cannot remove '" + path + "'");
        rhost_touched(ctx.raw(), path.c_str());
    }
};

constexpr rhost_provider link_provider = rhost::provider<link>();

} // namespace

RHOST_PLUGIN(link, "1.0", &link_provider)
