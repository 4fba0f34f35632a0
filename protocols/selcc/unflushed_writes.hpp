// What is lost when a line's owner is: the writes that its home memory has not seen. A handover flushes nothing
// (case 1), so they may be of several owners, one after the other.
//
// No node of a real rack knows this; it is kept for the record, which names each write that a crash undoes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/record/ids.hpp"

namespace racksim::selcc {

class UnflushedWrites {
 public:
  /// A write has been performed in a cache.
  void performed(sim::Key line, sim::Key object, sim::Value value) { lines_[line][object].push_back(value); }

  /// Memory has this value of the object now, and has seen what was written before it.
  void flushed(sim::Key line, sim::Key object, sim::Value value) {
    const auto found = lines_.find(line);
    if (found == lines_.end()) return;
    const auto values = found->second.find(object);
    if (values == found->second.end()) return;
    const auto newest = std::find(values->second.begin(), values->second.end(), value);
    if (newest == values->second.end()) return;  // what memory had before, written once more
    values->second.erase(values->second.begin(), newest + 1);
    if (values->second.empty()) found->second.erase(values);
    if (found->second.empty()) lines_.erase(found);
  }

  /// The lines that memory does not have the newest of.
  template <class Visit>
  void for_each_line(Visit&& visit) const {
    for (const auto& [line, objects] : lines_) visit(sim::Key{line});
  }

  /// Forgets a line's writes, and calls `lost(object, value)` for each, those of an object in their order.
  template <class Lost>
  void lose(sim::Key line, Lost&& lost) {
    const auto found = lines_.find(line);
    if (found == lines_.end()) return;
    const Objects objects = std::move(found->second);
    lines_.erase(found);
    for (const auto& [object, values] : objects) {
      for (const sim::Value value : values) lost(sim::Key{object}, value);
    }
  }

 private:
  using Objects = std::map<std::uint64_t, std::vector<sim::Value>>;
  std::map<std::uint64_t, Objects> lines_;
};

}  // namespace racksim::selcc
