/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/transport.hpp - a way to reach a device as a class, in C++17 and later. Part of <rhost/provider.hpp>, which
 * includes it.
 *
 *   struct wire {
 *       static constexpr const char *name = "wire";
 *       static constexpr const char *desc = "Reach a printer.";
 *       static constexpr const char *id = "example.wire/1";
 *       static constexpr rhost_attr attrs[] = { ... };
 *
 *       wire(rhost::context ctx, rhost::value info);
 *       void verify(rhost::context ctx);
 *       void facts(rhost::context ctx, rhost::builder facts);
 *   };
 *   static constexpr rhost_transport wire_transport = rhost::transport<wire>();
 *
 * It is constructed when the host connects, and destroyed when it disconnects. verify and facts may be missing. `needs` is
 * optional: an array that ends with nullptr; see struct rhost_transport. A
 * provider with RHOST_REMOTE_RESOURCE finds it by rhost::reached<wire>(ctx). */
#ifndef RHOST_TRANSPORT_HPP
#define RHOST_TRANSPORT_HPP

#include <rhost/call.hpp>

#include <type_traits>

namespace rhost {

namespace detail {

template <class T, class = void> struct has_verify : std::false_type {};
template <class T> struct has_verify<T, std::void_t<decltype(&T::verify)>> : std::true_type {};
template <class T, class = void> struct has_facts : std::false_type {};
template <class T> struct has_facts<T, std::void_t<decltype(&T::facts)>> : std::true_type {};

/* It came later: a class may have a member of its own that is called so. */
template <class T, class = void> struct has_way_needs : std::false_type {};
template <class T>
struct has_way_needs<T, std::void_t<decltype(T::needs)>>
    : std::is_convertible<decltype((T::needs)), const char *const *> {};

template <class T>
T *
connected(rhost_ctx *raw)
{
    return static_cast<T *>(*raw->host->state(raw));
}

} // namespace detail

template <class T>
constexpr rhost_transport
transport()
{
    rhost_transport t = {};

    t.struct_size = sizeof t;
    t.attrs = T::attrs;
    t.n_attrs = sizeof T::attrs / sizeof T::attrs[0];
    t.attr_stride = sizeof T::attrs[0];
    t.name = T::name;
    t.desc = T::desc;
    if constexpr (detail::has_way_needs<T>::value)
        t.needs = T::needs;
    t.open = [](rhost_ctx *raw, const rhost_value *info) -> int32_t {
        return context(raw).guard([&] {
            *raw->host->state(raw) = new T(context(raw), value(info));
            return 0;
        });
    };
    t.close = [](rhost_ctx *raw) {
        delete detail::connected<T>(raw);
        *raw->host->state(raw) = nullptr;
    };
    if constexpr (detail::has_verify<T>::value)
        t.verify = [](rhost_ctx *raw) -> int32_t {
            return context(raw).guard([&] {
                detail::connected<T>(raw)->verify(context(raw));
                return 0;
            });
        };
    if constexpr (detail::has_facts<T>::value)
        t.facts = [](rhost_ctx *raw) -> int32_t {
            return context(raw).guard([&] {
                builder facts = context(raw).hash();

                detail::connected<T>(raw)->facts(context(raw), facts);
                context(raw).emit(facts);
                return 0;
            });
        };
    t.api = [](rhost_ctx *raw, const char *id) -> const void * {
        return std::strcmp(id, T::id) == 0 ? detail::connected<T>(raw) : nullptr;
    };
    return t;
}

/* The connection to the device. It throws when the target is reached by another transport: T::id is not its. A
 * transport of another plugin can be used where both were built with one compiler and one definition of T. */
template <class T>
const T &
reached(context ctx)
{
    const void *api = ctx.raw()->host->transport(ctx.raw(), T::id);

    if (!api)
        throw failure(std::string("it is not reached by ") + T::name);
    return *static_cast<const T *>(api);
}

} // namespace rhost

#endif
