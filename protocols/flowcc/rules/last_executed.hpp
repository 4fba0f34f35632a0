// The LAST-EXECUTED table of an agent: the largest sequence number received from each requester (Concordia §5.3.1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "protocols/flowcc/rules/block.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::flowcc {

/// Tells whether a request is new, a repetition of the last one, or older.
class LastExecuted {
 public:
  enum class Verdict : std::uint8_t { execute, acknowledge_again, ignore };

  LastExecuted(std::size_t requesters, bool enabled) : seq_(requesters, 0), enabled_(enabled) {}

  /// Judges a request and records its sequence number if it is larger. With the mechanism off everything is executed.
  Verdict judge(RequesterId requester, Seq seq) {
    RACKSIM_INVARIANT(requester < seq_.size(), "a request is of a requester of the rack");
    if (!enabled_) return Verdict::execute;
    std::uint32_t& last = seq_[requester];
    if (seq < last) return Verdict::ignore;
    if (seq == last) return Verdict::acknowledge_again;
    last = seq;
    return Verdict::execute;
  }

  /// The requester begins with number 1 again.
  void forget(RequesterId requester) { seq_[requester] = 0; }
  /// Passes all to `archive` (sim/exploration/archive.hpp).
  template <class Archive>
  void archive(Archive& archive) {
    archive.each(seq_);
  }
  void forget_all() { std::fill(seq_.begin(), seq_.end(), 0); }

 private:
  std::vector<std::uint32_t> seq_;
  bool enabled_;
};

}  // namespace racksim::flowcc
