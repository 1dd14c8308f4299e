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
 * The callbacks that the class has are those that the provider has; others are
 *
 *       static void get(rhost::context ctx, rhost::value names);
 *       static void set(rhost::context ctx, rhost::changes changes);
 *       static void converge(rhost::context ctx, const rhost::change &change);
 *       static rhost::compare insync(rhost::context ctx, const rhost::change &change, std::string_view attribute);
 *       static void act(rhost::context ctx, const rhost::change &change, std::string_view action);
 *       static void canonicalize(rhost::context ctx, rhost::builder resource);
 *       static void validate(rhost::context ctx, rhost::value resource);
 *       static int32_t suits(rhost::context ctx);
 *       static void open(rhost::context ctx);
 *       static void close(rhost::context ctx);
 *
 * What they throw ends at the boundary, and is why the resource
 * fails: throw rhost::failure, or let what the library throws go on. */
#ifndef RHOST_PROVIDER_HPP
#define RHOST_PROVIDER_HPP

#include <rhost/call.hpp>
#include <rhost/overlap.hpp>
#include <rhost/private.hpp>
#include <rhost/transport.hpp>

#include <type_traits>
#include <utility>

namespace rhost {

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

/* These came later: a class may have a member of its own that is called the same, and is something else. */
template <class T, class = void> struct has_insync : std::false_type {};
template <class T>
struct has_insync<T, std::void_t<decltype(&T::insync)>>
    : std::is_invocable_r<compare, decltype(&T::insync), context, const change &, std::string_view> {};
template <class T, class = void> struct has_act : std::false_type {};
template <class T>
struct has_act<T, std::void_t<decltype(&T::act)>>
    : std::is_invocable_r<void, decltype(&T::act), context, const change &, std::string_view> {};
template <class T, class = void> struct has_actions : std::false_type {};
template <class T>
struct has_actions<T, std::void_t<decltype(T::actions)>>
    : std::is_same<std::remove_extent_t<decltype(T::actions)>, const rhost_action> {};
template <class T, class = void> struct has_default_action : std::false_type {};
template <class T>
struct has_default_action<T, std::void_t<decltype(T::default_action)>>
    : std::is_convertible<decltype(T::default_action), const char *> {};
template <class T, class = void> struct has_refresh_action : std::false_type {};
template <class T>
struct has_refresh_action<T, std::void_t<decltype(T::refresh_action)>>
    : std::is_convertible<decltype(T::refresh_action), const char *> {};

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

/* The descriptor of a class. Its optional members: features, a number; irreversible, default_action and refresh_action,
 * texts; relations, title_patterns and needs, arrays that end with nullptr; actions, an array of rhost_action. */
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
    if constexpr (detail::has_actions<T>::value) {
        p.actions = T::actions;
        p.n_actions = sizeof T::actions / sizeof T::actions[0];
        p.action_stride = sizeof T::actions[0];
    }
    if constexpr (detail::has_default_action<T>::value)
        p.default_action = T::default_action;
    if constexpr (detail::has_refresh_action<T>::value)
        p.refresh_action = T::refresh_action;
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
    if constexpr (detail::has_insync<T>::value)
        p.insync = [](rhost_ctx *raw, const rhost_change *c, const char *attribute) -> int32_t {
            return context(raw).guard([&] {
                return static_cast<int32_t>(T::insync(context(raw), change(c), std::string_view(attribute)));
            });
        };
    if constexpr (detail::has_act<T>::value)
        p.act = [](rhost_ctx *raw, const rhost_change *c, const char *action) -> int32_t {
            return context(raw).guard([&] {
                T::act(context(raw), change(c), std::string_view(action));
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

/* A lookup that is Find: it puts the answer under "value" and returns true, or returns false: there is none. `needs` is
 * an array that ends with nullptr; see struct rhost_lookup. */
template <bool (*Find)(context, value parameters, builder answer)>
constexpr rhost_lookup
lookup(const char *name, const char *desc, const char *type, const rhost_attr *parameters, size_t n,
       const char *const *needs = nullptr)
{
    rhost_lookup l = {};

    l.struct_size = sizeof l;
    l.attr_stride = sizeof(rhost_attr);
    l.n_attrs = n;
    l.attrs = parameters;
    l.name = name;
    l.desc = desc;
    l.type = type;
    l.needs = needs;
    l.find = [](rhost_ctx *raw, const rhost_value *parameters_given, rhost_value *answer) -> int32_t {
        return context(raw).guard([&] {
            return Find(context(raw), value(parameters_given), builder(answer)) ? 0 : RHOST_ABSENT;
        });
    };
    return l;
}

/* A fact that is Read, likewise. */
template <bool (*Read)(context, builder answer)>
constexpr rhost_fact
fact(const char *name, const char *desc, const char *type, const char *const *needs = nullptr)
{
    rhost_fact f = {};

    f.struct_size = sizeof f;
    f.name = name;
    f.type = type;
    f.desc = desc;
    f.needs = needs;
    f.read = [](rhost_ctx *raw, rhost_value *answer) -> int32_t {
        return context(raw).guard([&] { return Read(context(raw), builder(answer)) ? 0 : RHOST_ABSENT; });
    };
    return f;
}

} // namespace rhost

#endif
