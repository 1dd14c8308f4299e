/* SPDX-License-Identifier: Apache-2.0 */
/* sample - what few providers need, each once, in C++: the same plugin as examples/sample.rs of the Rust crate, so
 * that one test (sample.bash) tries both. */
#include <rhost/provider.hpp>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace {

std::string
path_of(rhost::value name)
{
    return name["path"].str();
}

/* What both types share: a log beside the file that is asked for first. */
struct connection {
    explicit connection(const std::string &path) : log(path.substr(0, path.rfind('/')) + "/log", std::ios::app)
    {
        if (!log)
            throw rhost::system_failure("cannot log");
        log << "connect" << std::endl;
    }
    ~connection() { log << "disconnect" << std::endl; }

    std::ofstream log;
};

void
connect(rhost::context ctx, const std::string &path)
{
    (void)ctx.shared<connection>("connection", [&] { return std::make_unique<connection>(path); });
}

/* False: there is no such file. */
bool
read(const std::string &path, std::string &text)
{
    std::ifstream in(path);
    std::ostringstream all;

    if (!in && errno == ENOENT)
        return false;
    if (!in || !(all << in.rdbuf()))
        throw rhost::system_failure("cannot read '" + path + "'");
    text = all.str();
    return true;
}

void
write(const std::string &path, const std::string &text, const std::string &otherwise)
{
    std::ofstream out(path);

    if (!out || !(out << text << std::flush))
        throw rhost::system_failure(otherwise);
}

void
write(const rhost::change &c)
{
    write(path_of(c.name()), c["text"].str(), "cannot write '" + path_of(c.name()) + "'");
}

/* Two and a half seconds. */
template <class F>
void
for_a_while(F &&each)
{
    for (uint64_t tenth = 1; tenth <= 25; tenth++) {
        each(tenth);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

struct sample {
    static constexpr const char *type = "sample";
    static constexpr const char *desc = "Write a file in a way that the manifest names.";
    static constexpr uint64_t features = RHOST_SIMPLE_GET_FILTER | RHOST_GATHERS | RHOST_READ_BACK;
    static constexpr const char *needs[] = { "write[$path]", "read[/etc/passwd]", nullptr };
    static constexpr const char *irreversible = "what was in the file is not known";
    static constexpr const char *text_formerly[] = { "words", nullptr };
    static constexpr rhost_attr attrs[] = {
        { "path", "Pattern[/\\A\\//]", "The file.", RHOST_NAMEVAR, nullptr, nullptr, nullptr, nullptr },
        { "text", "String", "What is in it.", 0, nullptr, nullptr, nullptr, text_formerly },
        { "colour", "Optional[String]", "Nothing comes of it.", RHOST_PARAMETER, nullptr, nullptr, "use 'text'",
          nullptr },
        { "how", "String", "How it is written.", RHOST_PARAMETER, "\"did\"", nullptr, nullptr, nullptr },
    };

    static void
    validate(rhost::context, rhost::value resource)
    {
        if (resource["colour"].text() == "grey" && resource["text"].text() == "bright")
            throw rhost::failure("a bright text has no grey colour", "colour");
    }

    static void
    get(rhost::context ctx, rhost::value names)
    {
        for (auto [key, name] : names) {
            std::string text;

            (void)key;
            connect(ctx, path_of(name));
            if (!read(path_of(name), text))
                continue;
            rhost::builder one = ctx.hash();
            one.put("path", name["path"]).put("text", text);
            ctx.emit(one);
        }
    }

    static void
    write_in_a_block(rhost::context ctx, const rhost::change &c, const std::string &how)
    {
        if (how == "busy") {
            ctx.busy(60, "waiting for the ink to dry");
            for_a_while([](uint64_t) {});
        } else if (how == "counted") {
            for_a_while([&](uint64_t tenth) { ctx.progress(tenth, 25, "tenths"); });
        } else if (how == "until stopped") {
            ctx.log(RHOST_NOTICE, "begun");
            while (!ctx.stopping())
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
            throw rhost::failure("stopped by request");
        } else if (how == "deadline") {
            ctx.log(RHOST_NOTICE, std::to_string(static_cast<int>(ctx.deadline() + 0.5)) + " s left");
        } else if (how == "not at all") {
            return;
        } else {
            throw rhost::failure("there is no way '" + how + "'", "how");
        }
        write(c);
    }

    static void
    set(rhost::context ctx, rhost::changes changes)
    {
        ctx.log(RHOST_NOTICE, std::to_string(changes.size()) + " at once");
        for (rhost::change c : changes) {
            const std::string how = c["how"].str();

            if (how == "did") {
                write(c);
                ctx.attribute_changed(c, "text", "the text is another");
                ctx.did(c.is() ? RHOST_UPDATING : RHOST_CREATING, c, "It is written");
            } else if (how == "processed") {
                write(c);
                ctx.did(RHOST_PROCESSING, c);
            } else if (how == "unchanged") {
                ctx.unchanged(c, "it is good enough");
            } else if (how == "failed") {
                ctx.failed(c, "there is no ink", "text");
            } else if (how == "counted apart") {
                for_a_while([&](uint64_t tenth) { ctx.progress(tenth, 25, "tenths", c.title()); });
                write(c);
                ctx.did(RHOST_UPDATING, c);
            } else {
                rhost::scope(ctx, c).run([&] { write_in_a_block(ctx, c, how); });
            }
        }
    }
};

/* The other type with the same connection. What it does takes nothing. */
struct note {
    static constexpr const char *type = "sample_note";
    static constexpr const char *desc = "Look whether there is a file.";
    static constexpr const char *needs[] = { nullptr };
    static constexpr rhost_attr attrs[] = {
        { "path", "Pattern[/\\A\\//]", "The file.", RHOST_NAMEVAR, nullptr, nullptr, nullptr, nullptr },
    };

    static bool
    load(rhost::context ctx, rhost::value name, rhost::value, rhost::builder)
    {
        connect(ctx, path_of(name));
        return true;
    }
};

/* A device that is a directory, with a token in it. */
struct directory {
    static constexpr const char *name = "sample_dir";
    static constexpr const char *desc = "Reach a device that is a directory.";
    static constexpr const char *id = "sample.directory/1";
    static constexpr rhost_attr attrs[] = {
        { "directory", "Pattern[/\\A\\//]", "Where it is.", 0, nullptr, nullptr, nullptr, nullptr },
        { "token", "Sensitive[String]", "What is in its file 'token'.", 0, nullptr, nullptr, nullptr, nullptr },
    };

    directory(rhost::context ctx, rhost::value info) : path(info["directory"].str())
    {
        std::string token;

        ctx.log(RHOST_INFO, "connected");
        if (!read(path + "/token", token))
            throw rhost::system_failure("cannot reach the device", ENOENT);
        if (token != info["token"].str() + "\n")
            throw rhost::failure("wrong token", "token");
    }

    void
    verify(rhost::context)
    {
        std::string version;

        if (!read(path + "/version", version) || version != "1\n")
            throw rhost::failure("version " + version.substr(0, version.find('\n')) + " of the device is not known");
    }

    void
    facts(rhost::context, rhost::builder facts)
    {
        facts.put("model", std::string_view("a directory")).put("version", 1);
    }

    std::string path;
};

struct item {
    static constexpr const char *type = "sample_item";
    static constexpr const char *desc = "Keep an item on the device.";
    static constexpr uint64_t features = RHOST_REMOTE_RESOURCE;
    static constexpr rhost_attr attrs[] = {
        { "name", "Pattern[/\\A[a-z]{1,50}\\z/]", "What it is called.", RHOST_NAMEVAR, nullptr, nullptr, nullptr,
          nullptr },
        { "ensure", "Enum[present, absent]", "Whether it exists.", 0, "\"present\"", nullptr, nullptr, nullptr },
        { "value", "String[1]", "What it holds.", 0, nullptr, nullptr, nullptr, nullptr },
    };

    static std::string
    place(rhost::context ctx, rhost::value name)
    {
        return rhost::reached<directory>(ctx).path + "/items/" + name["name"].str();
    }

    static bool
    load(rhost::context ctx, rhost::value name, rhost::value, rhost::builder current)
    {
        std::string text;

        if (!read(place(ctx, name), text))
            return false;
        current.put("value", text);
        return true;
    }

    static void
    create(rhost::context ctx, const rhost::change &c)
    {
        write(place(ctx, c.name()), c["value"].str(), "the device refuses it");
    }

    static void
    update(rhost::context ctx, const rhost::change &c)
    {
        create(ctx, c);
    }

    static void
    remove(rhost::context ctx, const rhost::change &c)
    {
        if (unlink(place(ctx, c.name()).c_str()) < 0)
            throw rhost::system_failure("the device keeps it");
    }
};

bool
find_twice(rhost::context, rhost::value parameters, rhost::builder answer)
{
    const std::string word = parameters["word"].str();

    if (word.empty())
        return false;
    if (word == "bad")
        throw rhost::failure("it is a bad word", "word");
    answer.put("value", word + parameters["between"].str() + word);
    return true;
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

constexpr const char *nothing[] = { nullptr };

constexpr rhost_provider sample_provider = rhost::provider<sample>();
constexpr rhost_provider note_provider = rhost::provider<note>();
constexpr rhost_provider item_provider = rhost::provider<item>();
constexpr rhost_transport directory_transport = rhost::transport<directory>();
[[maybe_unused]] constexpr rhost_lookup twice =
    rhost::lookup<find_twice>("sample_twice", "A word, twice.", "String", twice_parameters, 2, nothing);
[[maybe_unused]] constexpr rhost_fact site =
    rhost::fact<read_site>("sample_site", "Where it is.", "String", nothing);

const rhost_provider *const all_providers[] = { &sample_provider, &note_provider, &item_provider, nullptr };
const rhost_transport *const all_transports[] = { &directory_transport, nullptr };

#ifdef SAMPLE_TRANSPORTS_ALONE
} // namespace

RHOST_PLUGIN_WITH_TRANSPORTS(sample, "1.0", all_providers, all_transports)
#else
const rhost_lookup *const all_lookups[] = { &twice, nullptr };
const rhost_fact *const all_facts[] = { &site, nullptr };

} // namespace

RHOST_PLUGIN_OF("sample", "1.0", RHOST_ONE_WORKER, all_providers, all_transports, all_lookups, all_facts)
#endif
