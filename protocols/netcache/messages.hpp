// NetCache's messages beside those of the store and of every cache: a server writes a value into the switch, in a
// ValueHeader (NetCache §4.3).
#pragma once

#include "protocols/store/messages.hpp"

namespace racksim::netcache {

inline constexpr store::Op kCacheUpdate{12};
inline constexpr store::Op kCacheUpdateReply{13};  ///< FLAG: 1 if the switch has taken it

}  // namespace racksim::netcache
