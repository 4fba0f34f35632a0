// The pending list of a line (GAM §2.5): what has to wait for the line, by this node's threads or by other nodes'
// messages, in the order of arrival. So it merges the requests of a node for one line.
//
// Rules that need to know who waits already: a thread's accesses of a line keep their order; and a lock is granted in
// the order of asking, behind whoever waits to have the line.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "protocols/gam/rules/messages.hpp"
#include "protocols/gam/rules/request.hpp"
#include "sim/record/wait.hpp"

namespace racksim::gam {

/// As reports name a thread.
inline std::string thread_name(NodeId node, unsigned thread) {
  return fmt::format("node{}/thread{}", node, thread);
}

/// One that waits: a request of this node, or a message of another.
struct Pending {
  Request* request = nullptr;
  Message message{};
};

class PendingList {
 public:
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  void add(Request& request) { all_.push_back({&request, {}}); }
  void add(const Message& message) { all_.push_back({nullptr, message}); }
  /// Takes all, to be looked at again in their order.
  std::vector<Pending> take() { return std::exchange(all_, {}); }
  void put_back(const Pending& pending) { all_.push_back(pending); }
  /// What a node that is dead has sent.
  void drop_messages_of(NodeId lost) {
    std::erase_if(all_, [&](const Pending& p) { return p.request == nullptr && p.message.sender == lost; });
  }
  /// Before all others.
  void add_first(const Pending& pending) { all_.insert(all_.begin(), pending); }

  bool has_of_thread(std::uint16_t thread) const {
    return std::any_of(all_.begin(), all_.end(),
                       [&](const Pending& p) { return p.request != nullptr && p.request->thread == thread; });
  }
  /// Whether somebody waits for a lock, or to have the line elsewhere.
  bool holds_locks_back() const {
    return std::any_of(all_.begin(), all_.end(),
                       [](const Pending& p) { return p.request == nullptr || p.request->is_lock(); });
  }
  /// Says that all of them wait at this node, for whom and why.
  void add_waits(std::vector<sim::Wait>& waits, NodeId self, const std::string& whom, const std::string& why) const {
    for (const Pending& p : all_) {
      waits.push_back(
          {.who = p.request != nullptr ? thread_name(self, p.request->thread) : fmt::format("node{}", p.message.sender),
           .whom = whom,
           .why = why});
    }
  }

 private:
  std::vector<Pending> all_;
};

}  // namespace racksim::gam
