// The number by which a rack knows a key of a trace.
//
//   given     the trace's own number. Costs nothing; a key that is no number is refused.
//   hashed    a hash, below the number of keys that there is room for. Costs nothing; two keys may come to be one.
//   numbered  in the order in which keys are first seen. Costs 32 to 64 bytes a key, and half of that again as the table
//             grows (sim/record/flat_map.hpp); keys are told apart by 64 bits of hash.
#pragma once

#include <cstdint>
#include <optional>

#include "models/workloads/trace/trace_record.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::models {

enum class TraceKeying : std::uint8_t { given, hashed, numbered };

/// 64 bits of hash of a key: alike for a number and for its digits.
std::uint64_t key_hash(const TraceRecord& record);

class TraceKeys {
 public:
  /// Numbers are below `room`, at least 1, but for given ones.
  TraceKeys(TraceKeying keying, std::uint64_t room) : keying_(keying), room_(room) {}

  /// Nothing if there is no number for it: a text that is to be its own, or one key more than there is room for.
  std::optional<std::uint64_t> number_of(const TraceRecord& record);
  TraceKeying keying() const { return keying_; }
  std::uint64_t room() const { return room_; }
  /// How many have been numbered.
  std::uint64_t seen() const { return numbers_.size(); }

 private:
  TraceKeying keying_;
  std::uint64_t room_;
  sim::FlatMap<std::uint64_t> numbers_;  // by hash, from 1 on
};

}  // namespace racksim::models
