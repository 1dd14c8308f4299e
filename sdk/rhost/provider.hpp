/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/provider.hpp - a thin layer over <rhost/provider.h> for C++17 and later. All of it is inline.
 *
 *   struct link {
 *       static constexpr const char *type = "link";
 *       static constexpr const char *desc = "Keep symbolic links pointing where they should.";
 *       static constexpr rhost_attr attrs[] = { ... };
 *
 *       static bool load(rhost::context ctx, rhost::value name, rhost::value should, rhost::builder current);
 *       static void create(rhost::context ctx, const rhost::change &change);
 *       static void update(rhost::context ctx, const rhost::change &change);
 *       static void remove(rhost::context ctx, const rhost::change &change);
 *   };
 *   static constexpr rhost_provider link_provider = rhost::provider<link>();
 *   RHOST_PLUGIN(link, "1.0", &link_provider)
 *
 * The callbacks that the class has are those that the provider has; get, set, converge, canonicalize,
 * open, close and suits are others. What they throw ends at the boundary, and is why the resource
 * fails: throw rhost::failure, or let what the library throws go on. */
#ifndef RHOST_PROVIDER_HPP
#define RHOST_PROVIDER_HPP

#include <rhost/provider.h>

#include <cstring>
#include <exception>
#include <optional>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace rhost {

/* Why something fails; with an attribute, the one at fault. */
class failure : public std::runtime_error {
public:
    explicit failure(const std::string &message, const std::string &attribute = {})
        : std::runtime_error(message), attribute_(attribute)
    {
    }

    const std::string &
    attribute() const noexcept
    {
        return attribute_;
    }

private:
    std::string attribute_;
};

/* The same with the system's reason behind it: throw rhost::system_failure("cannot open '" + path + "'"). */
class system_failure : public failure {
public:
    explicit system_failure(const std::string &message, int number = errno)
        : failure(message), number_(number)
    {
    }

    int
    number() const noexcept
    {
        return number_;
    }

private:
    int number_;
};

/* A datum of the host, which lives until the callback returns. One that is not there is false, and
 * gives the fallback of each question. */
class value {
public:
    class iterator;

    value(const rhost_value *v = nullptr) noexcept : v_(v) {}

    const rhost_value *
    raw() const noexcept
    {
        return v_;
    }

    explicit
    operator bool() const noexcept
    {
        return kind() != RHOST_UNDEF;
    }

    int32_t
    kind() const noexcept
    {
        return v_ ? v_->host->kind(v_) : static_cast<int32_t>(RHOST_UNDEF);
    }

    bool
    sensitive() const noexcept
    {
        return v_ && v_->host->sensitive(v_) != 0;
    }

    /* Of a hash by key, of an array by index. */
    value
    operator[](const char *key) const noexcept
    {
        return rhost_get(v_, key);
    }

    value
    at(size_t i, const char **key = nullptr) const noexcept
    {
        return rhost_at(v_, i, key);
    }

    size_t
    size() const noexcept
    {
        return rhost_count(v_);
    }

    /* The view ends where the text does, and has a NUL behind it; bytes of a binary are views as well. */
    std::optional<std::string_view>
    text() const noexcept
    {
        size_t len = 0;
        const char *s = v_ ? v_->host->string(v_, &len) : nullptr;

        return s ? std::optional<std::string_view>({ s, len }) : std::nullopt;
    }

    std::string_view
    text_or(std::string_view fallback) const noexcept
    {
        return text().value_or(fallback);
    }

    std::string
    str(std::string_view fallback = {}) const
    {
        return std::string(text_or(fallback));
    }

    int64_t
    integer(int64_t fallback = 0) const noexcept
    {
        return v_ ? v_->host->integer(v_, fallback) : fallback;
    }

    double
    real(double fallback = 0) const noexcept
    {
        return v_ ? v_->host->real(v_, fallback) : fallback;
    }

    bool
    boolean(bool fallback = false) const noexcept
    {
        return v_ ? v_->host->boolean(v_, fallback) != 0 : fallback;
    }

    bool
    operator==(value other) const noexcept
    {
        return v_ == other.v_ || (v_ && other.v_ && v_->host->equal(v_, other.v_) != 0);
    }

    bool
    operator!=(value other) const noexcept
    {
        return !(*this == other);
    }

    inline iterator begin() const noexcept;
    inline iterator end() const noexcept;

private:
    const rhost_value *v_;
};

/* for (auto [key, element] : v); the key is empty in an array. */
class value::iterator {
public:
    struct entry {
        std::string_view key;
        value element;
    };

    iterator(value v, size_t i) noexcept : v_(v), i_(i) {}

    entry
    operator*() const noexcept
    {
        const char *key = nullptr;
        value element = v_.at(i_, &key);

        return { key ? key : std::string_view(), element };
    }

    iterator &
    operator++() noexcept
    {
        i_++;
        return *this;
    }

    bool
    operator!=(const iterator &other) const noexcept
    {
        return i_ != other.i_;
    }

private:
    value v_;
    size_t i_;
};

inline value::iterator
value::begin() const noexcept
{
    return { *this, 0 };
}

inline value::iterator
value::end() const noexcept
{
    return { *this, size() };
}

/* A hash or an array that is being built. put() is of a hash, add() of an array. */
class builder {
public:
    explicit builder(rhost_value *v) noexcept : v_(v) {}

    rhost_value *
    raw() const noexcept
    {
        return v_;
    }

    operator value() const noexcept
    {
        return v_;
    }

    template <class T>
    builder &
    put(const char *key, const T &what)
    {
        put_any(key, what);
        return *this;
    }

    template <class T>
    builder &
    add(const T &what)
    {
        put_any(nullptr, what);
        return *this;
    }

    builder
    hash(const char *key = nullptr)
    {
        return builder(v_->host->put_hash(v_, key));
    }

    builder
    array(const char *key = nullptr)
    {
        return builder(v_->host->put_array(v_, key));
    }

    /* What stands there now must not be shown. */
    void
    mark_sensitive(const char *key) noexcept
    {
        v_->host->mark_sensitive(v_, key);
    }

private:
    template <class T>
    void
    put_any(const char *key, const T &what)
    {
        if constexpr (std::is_same_v<T, bool>)
            v_->host->put_boolean(v_, key, what);
        else if constexpr (std::is_same_v<T, std::nullptr_t>)
            v_->host->put_undef(v_, key);
        else if constexpr (std::is_same_v<T, value> || std::is_same_v<T, builder>)
            rhost_put_copy(v_, key, what.raw());
        else if constexpr (std::is_integral_v<T>)
            v_->host->put_integer(v_, key, static_cast<int64_t>(what));
        else if constexpr (std::is_floating_point_v<T>)
            v_->host->put_real(v_, key, static_cast<double>(what));
        else
            put_text(key, what);
    }

    void
    put_text(const char *key, std::string_view text)
    {
        v_->host->put_string(v_, key, text.data() ? text.data() : "", text.size());
    }

    rhost_value *v_;
};

/* One resource to bring from `is` to `should`. */
class change {
public:
    explicit change(const rhost_change *c) noexcept : c_(c) {}

    const rhost_change *
    raw() const noexcept
    {
        return c_;
    }

    const char *
    title() const noexcept
    {
        return c_->title;
    }

    value
    name() const noexcept
    {
        return c_->name;
    }

    value
    is() const noexcept
    {
        return c_->is;
    }

    value
    should() const noexcept
    {
        return c_->should;
    }

    /* What an attribute is to be once this is done: what is wanted, or else what is there. */
    value
    operator[](const char *attribute) const noexcept
    {
        return rhost_value_of(c_, attribute);
    }

    bool
    gone() const noexcept
    {
        return rhost_gone(c_) != 0;
    }

private:
    const rhost_change *c_;
};

/* The call that a callback is in. */
class context {
public:
    explicit context(rhost_ctx *ctx) noexcept : ctx_(ctx) {}

    rhost_ctx *
    raw() const noexcept
    {
        return ctx_;
    }

    bool
    noop() const noexcept
    {
        return rhost_noop(ctx_) != 0;
    }

    bool
    wants(const char *attribute) const noexcept
    {
        return rhost_wants(ctx_, attribute) != 0;
    }

    void
    log(rhost_level level, const std::string &message) const
    {
        ctx_->host->log(ctx_, level, nullptr, 0, message.c_str());
    }

    builder
    hash() const
    {
        return builder(ctx_->host->new_hash(ctx_));
    }

    /* Before work that is silent for so long. */
    void
    busy(double seconds, const std::string &text) const
    {
        rhost_busy(ctx_, seconds, "%s", text.c_str());
    }

    /* So much of it is done; total 0: of how much is not known. */
    void
    progress(uint64_t done, uint64_t total = 0, const char *unit = nullptr, const char *title = nullptr) const
    {
        rhost_progress(ctx_, title, done, total, unit);
    }

    /* Whether the run is to end: finish what can't be left, and return. */
    bool
    stopping() const noexcept
    {
        return rhost_stopping(ctx_) != 0;
    }

    /* Seconds that the host still waits for a sign of life. */
    double
    deadline() const noexcept
    {
        return rhost_deadline(ctx_);
    }

    /* get(): what is wanted of the i-th name, or only the name. */
    [[nodiscard]] value
    asked(std::size_t i) const noexcept
    {
        return value(rhost_asked(ctx_, i));
    }

    /* get(): the resource of this name fails, and get() goes on. */
    void
    fail_name(const value &name, const std::string &message) const noexcept
    {
        (void)rhost_fail_name(ctx_, name.raw(), "%s", message.c_str());
    }

    /* get(): one resource that there is. */
    void
    emit(value resource) const
    {
        if (ctx_->host->emit(ctx_, resource.raw()) < 0)
            throw failure("the host did not take what was emitted");
    }

    /* converge(): whether any of its properties differs, and is to be changed now. */
    bool
    changed(const change &c) const noexcept
    {
        return rhost_changed_any(ctx_, c.raw()) > 0;
    }

    bool
    changed(const change &c, const char *attribute) const noexcept
    {
        return ctx_->host->changed(ctx_, c.raw(), &attribute, 1) > 0;
    }

    /* Says why, without throwing; what is thrown ends here. */
    int32_t
    fail(const std::string &message, int number = 0, const char *attribute = nullptr) const noexcept
    {
        return ctx_->host->fail(ctx_, number, attribute, message.c_str());
    }

    /* Runs it, and turns what it throws into fail(); 0 or -1. */
    template <class F>
    int32_t
    guard(F &&f) const noexcept
    {
        try {
            return std::forward<F>(f)();
        } catch (const system_failure &e) {
            return ctx_->host->fail(ctx_, e.number(), nullptr, e.what());
        } catch (const failure &e) {
            return ctx_->host->fail(ctx_, 0, e.attribute().empty() ? nullptr : e.attribute().c_str(),
                                    e.what());
        } catch (const std::exception &e) {
            return ctx_->host->fail(ctx_, 0, nullptr, e.what());
        } catch (...) {
            return ctx_->host->fail(ctx_, 0, nullptr, "an exception that is no std::exception");
        }
    }

private:
    rhost_ctx *ctx_;
};

/* A block around work on one resource, in set(). It ends with the variable; work within run() may
 * throw, which fails this resource and no other. */
class scope {
public:
    scope(context ctx, rhost_doing doing, const char *title)
        : ctx_(ctx), scope_(rhost_begin(ctx.raw(), doing, title))
    {
    }

    scope(context ctx, const change &c)
        : scope(ctx, c.gone() ? RHOST_DELETING : c.is() ? RHOST_UPDATING : RHOST_CREATING, c.title())
    {
    }

    ~scope() { rhost_end(ctx_.raw(), scope_); }

    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

    template <class F>
    bool
    run(F &&f) const noexcept
    {
        return ctx_.guard([&] {
            std::forward<F>(f)();
            return 0;
        }) == 0;
    }

private:
    context ctx_;
    uint64_t scope_;
};

/* The changes of a set(): for (rhost::change c : changes). */
class changes {
public:
    class iterator {
    public:
        explicit iterator(const rhost_change *const *at) noexcept : at_(at) {}
        change operator*() const noexcept { return change(*at_); }
        iterator &operator++() noexcept { at_++; return *this; }
        bool operator!=(const iterator &other) const noexcept { return at_ != other.at_; }

    private:
        const rhost_change *const *at_;
    };

    changes(const rhost_change *const *list, size_t n) noexcept : list_(list), n_(n) {}
    size_t size() const noexcept { return n_; }
    iterator begin() const noexcept { return iterator(list_); }
    iterator end() const noexcept { return iterator(list_ + n_); }

private:
    const rhost_change *const *list_;
    size_t n_;
};

/* --- From a class to what the host calls. -------------------------------------------------- */

namespace detail {

/* Whether a class has a member of this name. */
#define RHOST_HAS_MEMBER(member)                                                                   \
    template <class T, class = void> struct has_##member : std::false_type {};                     \
    template <class T> struct has_##member<T, std::void_t<decltype(&T::member)>> : std::true_type {}

RHOST_HAS_MEMBER(suits);
RHOST_HAS_MEMBER(open);
RHOST_HAS_MEMBER(close);
RHOST_HAS_MEMBER(canonicalize);
RHOST_HAS_MEMBER(validate);
RHOST_HAS_MEMBER(get);
RHOST_HAS_MEMBER(load);
RHOST_HAS_MEMBER(set);
RHOST_HAS_MEMBER(create);
RHOST_HAS_MEMBER(update);
RHOST_HAS_MEMBER(remove);
RHOST_HAS_MEMBER(converge);
RHOST_HAS_MEMBER(features);
RHOST_HAS_MEMBER(irreversible);
RHOST_HAS_MEMBER(needs);
RHOST_HAS_MEMBER(relations);
RHOST_HAS_MEMBER(title_patterns);
#undef RHOST_HAS_MEMBER

template <void (*callback)(context, const change &)>
int32_t
write(rhost_ctx *raw, const rhost_change *c)
{
    return context(raw).guard([&] {
        callback(context(raw), change(c));
        return 0;
    });
}

} // namespace detail

/* The descriptor of a class. Its optional members: features, a number; irreversible, a text;
 * relations, title_patterns and needs, arrays that end with nullptr. Actions and insync are set in what this returns. */
template <class T>
constexpr rhost_provider
provider()
{
    rhost_provider p = {};

    p.struct_size = sizeof p;
    p.type = T::type;
    p.name = T::type;
    p.desc = T::desc;
    p.attrs = T::attrs;
    p.n_attrs = sizeof T::attrs / sizeof T::attrs[0];
    p.attr_stride = sizeof T::attrs[0];
    if constexpr (detail::has_features<T>::value)
        p.features = T::features;
    if constexpr (detail::has_relations<T>::value)
        p.relations = T::relations;
    if constexpr (detail::has_needs<T>::value)
        p.needs = T::needs;
    if constexpr (detail::has_irreversible<T>::value)
        p.irreversible = T::irreversible;
    if constexpr (detail::has_title_patterns<T>::value)
        p.title_patterns = T::title_patterns;
    if constexpr (detail::has_suits<T>::value)
        p.suits = [](rhost_ctx *raw) -> int32_t {
            int32_t how_well = 0;
            int32_t status = context(raw).guard([&] {
                how_well = T::suits(context(raw));
                return 0;
            });

            return status < 0 ? 0 : how_well;
        };
    if constexpr (detail::has_open<T>::value)
        p.open = [](rhost_ctx *raw) -> int32_t {
            return context(raw).guard([&] {
                T::open(context(raw));
                return 0;
            });
        };
    if constexpr (detail::has_close<T>::value)
        p.close = [](rhost_ctx *raw) {
            (void)context(raw).guard([&] {
                T::close(context(raw));
                return 0;
            });
        };
    if constexpr (detail::has_canonicalize<T>::value)
        p.canonicalize = [](rhost_ctx *raw, rhost_value *resource) -> int32_t {
            return context(raw).guard([&] {
                T::canonicalize(context(raw), builder(resource));
                return 0;
            });
        };
    if constexpr (detail::has_validate<T>::value)
        p.validate = [](rhost_ctx *raw, const rhost_value *resource) -> int32_t {
            return context(raw).guard([&] {
                T::validate(context(raw), value(resource));
                return 0;
            });
        };
    if constexpr (detail::has_get<T>::value)
        p.get = [](rhost_ctx *raw, const rhost_value *names) -> int32_t {
            return context(raw).guard([&] {
                T::get(context(raw), value(names));
                return 0;
            });
        };
    if constexpr (detail::has_load<T>::value)
        p.load = [](rhost_ctx *raw, const rhost_value *name, const rhost_value *should,
                    rhost_value *current) -> int32_t {
            return context(raw).guard([&] {
                return T::load(context(raw), value(name), value(should), builder(current))
                           ? 0
                           : RHOST_ABSENT;
            });
        };
    if constexpr (detail::has_set<T>::value)
        p.set = [](rhost_ctx *raw, const rhost_change *const *list, size_t n) -> int32_t {
            return context(raw).guard([&] {
                T::set(context(raw), changes(list, n));
                return 0;
            });
        };
    if constexpr (detail::has_create<T>::value)
        p.create = detail::write<T::create>;
    if constexpr (detail::has_update<T>::value)
        p.update = detail::write<T::update>;
    if constexpr (detail::has_remove<T>::value)
        p.remove = detail::write<T::remove>;
    if constexpr (detail::has_converge<T>::value)
        p.converge = detail::write<T::converge>;
    return p;
}

/* A lookup that is Find: it puts the answer under "value" and returns true, or returns false: there is none. */
template <bool (*Find)(context, value parameters, builder answer)>
inline rhost_lookup lookup(const char *name, const char *desc, const char *type, const rhost_attr *parameters,
                           size_t n)
{
    rhost_lookup l = {};

    l.struct_size = sizeof l;
    l.attr_stride = sizeof(rhost_attr);
    l.n_attrs = n;
    l.attrs = parameters;
    l.name = name;
    l.desc = desc;
    l.type = type;
    l.find = [](rhost_ctx *raw, const rhost_value *parameters_given, rhost_value *answer) -> int32_t {
        return context(raw).guard([&] {
            return Find(context(raw), value(parameters_given), builder(answer)) ? 0 : RHOST_ABSENT;
        });
    };
    return l;
}

/* A fact that is Read, likewise. */
template <bool (*Read)(context, builder answer)>
inline rhost_fact fact(const char *name, const char *desc, const char *type)
{
    rhost_fact f = {};

    f.struct_size = sizeof f;
    f.name = name;
    f.type = type;
    f.desc = desc;
    f.read = [](rhost_ctx *raw, rhost_value *answer) -> int32_t {
        return context(raw).guard([&] { return Read(context(raw), builder(answer)) ? 0 : RHOST_ABSENT; });
    };
    return f;
}

} // namespace rhost

#endif
