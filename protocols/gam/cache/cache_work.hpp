// What is under way about a line in a cache: the request of this node, or its write-back, and whoever waits for the
// line. Exists only as long as there is something.
#pragma once

#include "protocols/gam/cache/frame.hpp"
#include "protocols/gam/rules/pending_list.hpp"

namespace racksim::gam {

struct LineWork {
  Request* initiator = nullptr;                                ///< the thread's request that the node's own is for
  std::uint32_t number = 0;                                    ///< of the request or write-back under way
  std::uint32_t buffer = 0;                                    ///< of the write-back, at the home
  bool owner_data = false, grant_ack = false, denied = false;  ///< what has come of two messages
  std::uint32_t counter = 0;                                   ///< with `grant_ack`, with logging
  LineData arrived;                                            ///< with `owner_data`
  PendingList pending;
};

}  // namespace racksim::gam
