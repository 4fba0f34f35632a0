// The numbers that a node gives to what it has under way (messages.hpp), and the lines that it is about.
#pragma once

#include <cstdint>
#include <optional>

#include "protocols/gam/rules/messages.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::gam {

class Numbers {
 public:
  /// Unique among what is under way. With 28 bits a copy would have to stay listed for 2^28 requests of its node, and
  /// its line be asked for anew by the very next of the same number, for two to be confused.
  std::uint32_t next() {
    do {
      last_ = (last_ + 1) % Immediate::kNumbers;
    } while (last_ == 0 || lines_.find(last_) != nullptr);
    return last_;
  }
  /// The number of what begins now.
  std::uint32_t begin(sim::Key line) {
    const std::uint32_t number = next();
    lines_[number] = line;
    return number;
  }
  void end(std::uint32_t number) { lines_.erase(number); }
  /// Nothing if there is none of this number under way.
  std::optional<sim::Key> line_of(std::uint32_t number) const {
    const std::uint64_t* line = lines_.find(number);
    return line == nullptr ? std::nullopt : std::optional(sim::Key{*line});
  }
  bool empty() const { return lines_.size() == 0; }
  void clear() { lines_ = {}; }

 private:
  sim::FlatMap<std::uint64_t> lines_;
  std::uint32_t last_ = 0;
};

}  // namespace racksim::gam
