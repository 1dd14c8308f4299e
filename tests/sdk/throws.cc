/* SPDX-License-Identifier: Apache-2.0 */
/* throws - set() in C++, and everything that can be thrown: by what `how` says. */

#include <rhost/provider.hpp>

#include <vector>

namespace {

struct throws {
    static constexpr const char *type = "throws";
    static constexpr const char *desc = "Fails in the way it is told.";
    static constexpr uint64_t features = RHOST_SIMPLE_GET_FILTER;
    static constexpr rhost_attr attrs[] = {
        { "name", "String[1]", "What it is called.", RHOST_NAMEVAR, nullptr, nullptr },
        { "how", "String", "How it fails.", 0, nullptr, nullptr },
        { "values", "Hash[String, Scalar]", "Values of each kind.", 0, "{}", nullptr },
    };

    static void
    get(rhost::context ctx, rhost::value names)
    {
        std::size_t i = 0;

        for (auto [key, name] : names) {
            if (const rhost::value asked = ctx.asked(i++); asked["how"].text() == "unread") {
                ctx.fail_name(name, "it cannot be read: " + asked["how"].str());
                continue;
            }
            if (!key.empty())
                throw rhost::failure("an array has no keys");
            if (name["name"].text() == "unreadable")
                throw std::out_of_range("thrown while reading");
            rhost::builder one = ctx.hash();
            one.put("name", name["name"]).put("how", std::string_view("not yet"));
            one.hash("values").put("b", true).put("i", 7).put("r", 0.5).put("s", "text");
            ctx.emit(one);
        }
    }

    static void
    act(const std::string &how)
    {
        if (how == "attribute")
            throw rhost::failure("this is no way", "how");
        if (how == "system")
            throw rhost::system_failure("cannot do it", ENOSPC);
        if (how == "library")
            (void)std::vector<int>().at(3);
        if (how == "number")
            throw 42;
    }

    static void
    set(rhost::context ctx, rhost::changes changes)
    {
        for (rhost::change c : changes) {
            rhost::scope scope(ctx, c);

            scope.run([&] {
                if (c.is()["values"]["i"].integer() != 7 || !c.is()["values"]["b"].boolean())
                    throw rhost::failure("what was read is something else");
                act(c["how"].str());
            });
        }
    }
};

constexpr rhost_provider throws_provider = rhost::provider<throws>();

} // namespace

RHOST_PLUGIN(throws, "1.0", &throws_provider)
