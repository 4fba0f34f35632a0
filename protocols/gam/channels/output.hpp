// What a piece of the worker's work does to the outside (messages, ends of requests), held back until what it has
// logged is durable (GAM §5: "DLOG ... before writing data", "OLOG ... before each ownership transfer").
//
// The worker writes its log itself and does nothing meanwhile, so what it changes inside of its node may be changed at
// once: nobody sees it. A crash in between takes all of it: the change, the entry and what was held back.
#pragma once

#include <cstdint>
#include <deque>
#include <variant>

#include "models/nic/verbs.hpp"
#include "protocols/gam/rules/messages.hpp"
#include "protocols/gam/rules/request.hpp"

namespace racksim::gam {

/// A control message, or a one-sided work request, to another node.
struct HeldMessage {
  NodeId to = 0;
  Message message;
};
struct HeldPost {
  NodeId to = 0;
  models::WorkRequest request;
};
/// A write that is performed with this value.
struct HeldWrite {
  sim::OperationId operation = 0;
  sim::Key object;
  sim::Value value = 0;
};
/// A request that is over.
struct HeldEnd {
  Request* request = nullptr;
  sim::Value value = 0;
  bool granted = false;
};

using Output = std::variant<HeldMessage, HeldPost, HeldWrite, HeldEnd>;

}  // namespace racksim::gam
