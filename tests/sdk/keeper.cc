/* SPDX-License-Identifier: Apache-2.0 */
/* keeper - a file with a password that is written and never read, several at once; as examples/keeper.rs of the Rust
 * crate, so that one test (sample.bash) tries both. */
#include <rhost/provider.hpp>

#include <filesystem>
#include <fstream>
#include <strings.h>
#include <unistd.h>
#include <vector>

namespace {

std::string
path_of(const rhost::change &c)
{
    return c.name()["path"].str();
}

struct keeper {
    static constexpr const char *type = "keeper";
    static constexpr const char *desc = "Keep a file with a password that nobody reads.";
    static constexpr rhost_attr attrs[] = {
        { "path", "Pattern[/\\A\\//]", "The file.", RHOST_NAMEVAR, nullptr, nullptr, nullptr, nullptr },
        { "ensure", "Enum[present, absent]", "Whether it is there.", 0, "\"present\"", nullptr, nullptr, nullptr },
        { "password", "Optional[Sensitive[String]]", "What is in it.", 0, nullptr, nullptr, nullptr, nullptr },
        { "note", "Optional[String]", "What is kept beside it; its case does not matter.", 0, nullptr, nullptr,
          nullptr, nullptr },
    };
    static constexpr rhost_action actions[] = {
        { "count", "Say how often it was written.", nullptr },
        { "forget", "Keep nothing of it.", nullptr },
        { "refuse", "Fail.", nullptr },
    };
    static constexpr const char *refresh_action = "count";

    static bool
    load(rhost::context ctx, rhost::value name, rhost::value, rhost::builder current)
    {
        const auto note = rhost::private_state(ctx, name).get("note");

        if (!std::filesystem::exists(name["path"].str()))
            return false;
        if (note)
            current.put("note", *note);
        return true;
    }

    static rhost::compare
    insync(rhost::context ctx, const rhost::change &c, std::string_view attribute)
    {
        if (attribute == "password")
            return rhost::private_insync(ctx, c, attribute);
        if (attribute != "note" || !c.is()["note"])
            return rhost::compare::by_default;
        if (strcasecmp(c.is()["note"].str().c_str(), c.should()["note"].str().c_str()) == 0)
            return rhost::compare::in_sync;
        return ctx.differs("the note is another, whatever its case");
    }

    static void
    write(rhost::context ctx, const rhost::change &c)
    {
        const rhost::private_state kept(ctx, c);
        const std::string path = path_of(c);

        if (c.gone()) {
            if (unlink(path.c_str()) < 0)
                throw rhost::system_failure("cannot remove '" + path + "'");
            return;
        }
        std::ofstream out(path);
        if (!out || !(out << c.should()["password"].str() << std::flush))
            throw rhost::system_failure("cannot write '" + path + "'");
        if (const auto note = c.should()["note"].text())
            kept.put("note", std::string(*note));
        kept.put("written", std::to_string(std::stoi(std::string(kept.get("written").value_or("0"))) + 1));
        rhost::private_written(ctx, c, "password");
    }

    /* All are begun before the first one ends; the last one ends first. */
    static void
    set(rhost::context ctx, rhost::changes changes)
    {
        std::vector<std::pair<rhost::block, rhost::change>> begun;

        for (rhost::change c : changes)
            begun.emplace_back(rhost::block(ctx, RHOST_PROCESSING, c, "Writing"), c);
        for (; !begun.empty(); begun.pop_back())
            begun.back().first.finish([&] { write(ctx, begun.back().second); });
    }

    static void
    act(rhost::context ctx, const rhost::change &c, std::string_view action)
    {
        const rhost::private_state kept(ctx, c);

        if (ctx.noop())
            return;
        if (action == "forget")
            kept.remove("written");
        if (action == "refuse")
            throw rhost::failure("it is refused", "path");
        ctx.log(RHOST_NOTICE, "written " + std::string(kept.get("written").value_or("never")));
    }
};

bool
find_twice(rhost::context, rhost::value parameters, rhost::builder answer)
{
    const std::string word = parameters["word"].str();

    if (word == "panic")
        throw std::runtime_error("there is no such word");
    if (!word.empty())
        answer.put("value", word + parameters["between"].str() + word);
    return !word.empty();
}

bool
read_site(rhost::context, rhost::builder answer)
{
    answer.put("value", std::string_view("berlin"));
    return true;
}

constexpr rhost_attr twice_parameters[] = {
    { "word", "String", "The word.", 0, nullptr, nullptr, nullptr, nullptr },
    { "between", "String", "What stands between.", 0, "\"-\"", nullptr, nullptr, nullptr },
};

constexpr rhost_provider keeper_provider = rhost::provider<keeper>();
constexpr rhost_lookup twice = rhost::lookup<find_twice>("twice", "A word, twice.", "String", twice_parameters, 2);
constexpr rhost_fact site = rhost::fact<read_site>("keeper_site", "Where it is.", "String");

const rhost_provider *const all_providers[] = { &keeper_provider, nullptr };
const rhost_lookup *const all_lookups[] = { &twice, nullptr };
const rhost_fact *const all_facts[] = { &site, nullptr };

} // namespace

RHOST_PLUGIN_OF("keeper", "1.0", 0, all_providers, nullptr, all_lookups, all_facts)
