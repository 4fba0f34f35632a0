// Something for each of a few lines, in their order. What is erased waits for the next line, so that in the long run
// nothing is allocated.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/record/ids.hpp"

namespace racksim::line_cache {

template <class T>
class LineMap {
 public:
  using Map = std::map<std::uint64_t, T>;

  /// What the line has; if it had nothing, something as it was left when it was erased, or T{}.
  T& operator[](sim::Key line) {
    const auto found = entries_.lower_bound(line.number());
    if (found != entries_.end() && found->first == line.number()) return found->second;
    if (spare_.empty()) return entries_.emplace_hint(found, line.number(), T{})->second;
    auto node = std::move(spare_.back());
    spare_.pop_back();
    node.key() = line.number();
    return entries_.insert(found, std::move(node))->second;
  }
  auto find(sim::Key line) { return entries_.find(line.number()); }
  bool contains(sim::Key line) const { return entries_.contains(line.number()); }
  void erase(typename Map::iterator entry) { spare_.push_back(entries_.extract(entry)); }
  void clear() { entries_.clear(); }

  bool empty() const { return entries_.empty(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  Map entries_;
  std::vector<typename Map::node_type> spare_;
};

}  // namespace racksim::line_cache
