// Something for each of many lines, such as the entries of a directory. What is erased waits for the next line, with
// the memory that it has, so that in the long run nothing is allocated.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "protocols/line_cache/line_index.hpp"
#include "sim/record/ids.hpp"

namespace racksim::line_cache {

/// `Entry` has `void forget()`, which makes it as if it were new. Entries stay where they are until they are erased.
template <class Entry>
class LineEntries {
 public:
  /// The line's entry, or null.
  Entry* find(sim::Key line) {
    const std::uint32_t number = number_of(line);
    return number == LineIndex::kNone ? nullptr : &cell(number).entry;
  }
  const Entry* find(sim::Key line) const { return const_cast<LineEntries*>(this)->find(line); }
  /// The same, made if there was none.
  Entry& operator[](sim::Key line) {
    if (Entry* found = find(line)) return *found;
    if (free_ == LineIndex::kNone) {
      if (made_ % kChunk == 0) chunks_.push_back(std::make_unique<Cell[]>(kChunk));
      free_ = made_++;
    }
    const std::uint32_t number = free_;
    Cell& taken = cell(number);
    free_ = taken.next_free;
    taken.line = line;
    taken.is_used = true;
    index_.insert(line, number);
    return taken.entry;
  }
  /// The line, which has one, has none any more.
  void erase(sim::Key line) {
    const std::uint32_t number = index_.erase(line, [&](std::uint32_t of) { return cell(of).line == line; });
    Cell& freed = cell(number);
    freed.entry.forget();
    freed.is_used = false;
    freed.next_free = free_;
    free_ = number;
  }
  void clear() { *this = {}; }

  std::size_t size() const { return index_.size(); }
  /// Calls `visit(line, entry)`, in no particular order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t number = 0; number < made_; ++number) {
      if (const Cell& each = cell(number); each.is_used) visit(each.line, each.entry);
    }
  }

 private:
  static constexpr std::uint32_t kChunk = 1024;
  struct Cell {
    sim::Key line;
    std::uint32_t next_free = LineIndex::kNone;
    bool is_used = false;
    Entry entry;
  };

  Cell& cell(std::uint32_t number) { return chunks_[number / kChunk][number % kChunk]; }
  const Cell& cell(std::uint32_t number) const { return chunks_[number / kChunk][number % kChunk]; }
  std::uint32_t number_of(sim::Key line) const {
    return index_.find(line, [&](std::uint32_t number) { return cell(number).line == line; });
  }

  LineIndex index_;
  std::vector<std::unique_ptr<Cell[]>> chunks_;
  std::uint32_t made_ = 0;
  std::uint32_t free_ = LineIndex::kNone;  // the first of a list
};

}  // namespace racksim::line_cache
