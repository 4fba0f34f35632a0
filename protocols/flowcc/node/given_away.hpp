// What a cache agent keeps of blocks that it has given away dirty, or downgraded: for each requester the last one, until
// that one's next request. Nobody else may have its data (node_recovery.hpp).
#pragma once

#include <vector>

#include "protocols/flowcc/rules/messages.hpp"

namespace racksim::flowcc {

class GivenAway {
 public:
  /// Of so many requesters; of none where nothing recovers.
  explicit GivenAway(unsigned requesters) : of_(requesters) {}

  void keep(RequesterId requester, const BlockData& block) {
    if (!of_.empty()) of_[requester] = {.held = true, .block = block};
  }
  void forget(RequesterId requester) {
    if (!of_.empty()) of_[requester].held = false;
  }
  void forget_all() {
    for (Kept& kept : of_) kept.held = false;
  }
  template <class Visit>
  void visit(Visit&& visit) const {
    for (const Kept& kept : of_) {
      if (kept.held) visit(kept.block);
    }
  }

 private:
  struct Kept {
    bool held = false;
    BlockData block{};
  };
  std::vector<Kept> of_;
};

}  // namespace racksim::flowcc
