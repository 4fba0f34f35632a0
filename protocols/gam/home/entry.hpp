// What the home of a line knows of its copies (GAM §2.2), and what is under way about it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "protocols/gam/rules/line_lock.hpp"
#include "protocols/gam/rules/messages.hpp"
#include "protocols/gam/rules/pending_list.hpp"
#include "sim/record/history.hpp"

namespace racksim::gam {

enum class DirectoryState : std::uint8_t {
  unshared,     ///< owned by the home
  shared,       ///< remote nodes may read
  dirty,        ///< a remote node owns it
  to_shared,    ///< the owner's data are awaited
  to_dirty,     ///< sharers' acknowledgements or the owner's transfer are, for a remote write
  to_unshared,  ///< the same for the home's own write, of an owner with its data
  count
};

constexpr bool is_stable(DirectoryState state) {
  return state <= DirectoryState::dirty;
}

/// What the home may do with its own line, for oracles.
constexpr sim::Permission permission_of(DirectoryState state) {
  if (state == DirectoryState::unshared) return sim::Permission::write;
  return state == DirectoryState::shared ? sim::Permission::read : sim::Permission::none;
}

/// A copy, as the home knows it.
struct Sharer {
  NodeId node = 0;
  std::uint32_t request = 0;  ///< that it came by
  bool has_denied = false;    ///< the try that is under way
};

/// A request that takes more than one message.
struct Transaction {
  std::uint32_t number = 0;
  Request* local = nullptr;  ///< of the home's own thread,
  Message request{};         ///< or of another node
  std::size_t awaited = 0;   ///< sharers' answers
  bool denied = false;       ///< by one of them
  bool for_nobody = false;   ///< who has asked is dead
  bool is_void = false;      ///< the line has gone to who has asked, who is dead
};

/// A write of the home's own that did not block its line (`blocking: false`).
struct UnblockedWrite {
  std::uint32_t number = 0;
  Request* request = nullptr;
  std::size_t awaited = 0;
};

struct Entry {
  DirectoryState state = DirectoryState::unshared;
  LineLock lock;                               ///< of the home's own threads
  Sharer owner{};                              ///< if it is Dirty
  std::vector<Sharer> sharers{};               ///< in the order in which they came
  std::unique_ptr<Transaction> transaction{};  ///< null in a stable state
  std::unique_ptr<UnblockedWrite> unblocked{};
  PendingList pending{};

  /// Whether it is as that of a line that was never heard of.
  bool says_nothing() const {
    return state == DirectoryState::unshared && lock.is_free() && transaction == nullptr && unblocked == nullptr &&
           pending.empty();
  }
  /// It is, and nothing is left of what it said before.
  void forget() {
    owner = {};
    sharers.clear();
  }
  Sharer* sharer(NodeId node) {
    for (Sharer& sharer : sharers) {
      if (sharer.node == node) return &sharer;
    }
    return nullptr;
  }
  const Sharer* sharer(NodeId node) const { return const_cast<Entry&>(*this).sharer(node); }
  void strike_off(NodeId node) {
    std::erase_if(sharers, [&](const Sharer& s) { return s.node == node; });
  }
};

}  // namespace racksim::gam
