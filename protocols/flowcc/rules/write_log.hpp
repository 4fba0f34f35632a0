// The values that each block has been given, in their order. No node of a real rack knows this: it is kept for the
// record, which names each acknowledged write that a node's failure undoes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "protocols/flowcc/rules/block.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::flowcc {

class WriteLog {
 public:
  /// Where no node may fail nothing is kept.
  explicit WriteLog(bool keeps) : keeps_(keeps) {}

  bool keeps() const { return keeps_; }
  void performed(Tag tag, sim::Value value) {
    if (keeps_) blocks_[tag].push_back(value);
  }

  /// It has this value before the run.
  void begin(Tag tag, sim::Value value) { blocks_[tag] = {value}; }

  /// Calls `visit(tag)` for each block that has been written.
  template <class Visit>
  void visit(Visit&& visit) const {
    for (const auto& [tag, values] : blocks_) visit(Tag{tag});
  }

  /// How many writes had been performed when the block had this value; 0 if it had it never.
  std::size_t age(Tag tag, sim::Value value) const {
    const auto block = blocks_.find(tag);
    if (block == blocks_.end()) return 0;
    const auto& values = block->second;
    const auto found = std::find(values.begin(), values.end(), value);
    return found == values.end() ? 0 : static_cast<std::size_t>(found - values.begin()) + 1;
  }

  /// The value after so many writes, from 1.
  sim::Value after(Tag tag, std::size_t writes) const { return blocks_.at(tag)[writes - 1]; }

  /// Forgets what was written after the first `kept` writes, and calls `lost(value)` for each.
  template <class Lost>
  void lose_after(Tag tag, std::size_t kept, Lost&& lost) {
    auto& values = blocks_.at(tag);
    RACKSIM_INVARIANT(kept <= values.size(), "what is kept of a block's writes is among them");
    for (std::size_t i = kept; i < values.size(); ++i) lost(values[i]);
    values.resize(kept);
  }

 private:
  bool keeps_;
  std::map<std::uint64_t, std::vector<sim::Value>> blocks_;  // in order, for reports that are the same in every run
};

}  // namespace racksim::flowcc
