// What a controller and the servers say to each other about a cache in the switch, beside the store's own messages
// (StarCache §3.2, §3.8; NetCache §4.3). F-REQ and F-REP have the public artifact's numbers; the others are ours.
#pragma once

#include "protocols/store/messages.hpp"

namespace racksim::switch_cache {

inline constexpr store::Op kFetchRequest{5};  ///< F-REQ: controller to server, for the value of a key
inline constexpr store::Op kFetchReply{6};    ///< F-REP
inline constexpr store::Op kEviction{8};  ///< controller to server: the key is not cached any more (repaired coherence)
inline constexpr store::Op kEvictionReply{9};  ///< the server's answer

/// What charts call one of them; null for any other.
constexpr const char* name_of(store::Op op) {
  switch (store::number(op)) {
    case store::number(kFetchRequest):
      return "F-REQ";
    case store::number(kFetchReply):
      return "F-REP";
    case store::number(kEviction):
      return "E-REQ";
    case store::number(kEvictionReply):
      return "E-REP";
    default:
      return nullptr;
  }
}

}  // namespace racksim::switch_cache
