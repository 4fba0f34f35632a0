// One call, one instant: what a read of several objects returns they all held at one instant between its beginning and
// its end (history.hpp, parts).
//
// The oracles of single objects cannot see it: each word of a torn line is one that somebody wrote. Judged is by the
// instants at which writes are performed, as by MemoryModelOracle. A value that the session itself has written and that
// was not performed when the read began may come from its own buffer: it tells nothing of memory, and is left out. So is
// an object of which a crash has undone a write, from then on.
//
// Memory: that of PerformedMemory, and 40 bytes for each object of a read under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "sim/oracles/oracle.hpp"
#include "sim/oracles/performed_memory.hpp"
#include "sim/record/flat_map.hpp"
#include "sim/record/history.hpp"

namespace racksim::sim {

/// Attach it before the first operation begins. A read that stays under way while one of its objects takes more than
/// `version_limit` values is judged without that.
class OneCallOracle final : public Oracle {
 public:
  explicit OneCallOracle(const EventLog& event_log, std::size_t version_limit = 1024)
      : Oracle("one-call", "read"), event_log_(event_log), memory_(version_limit) {}

  /// What warm-up left behind. Only before the key's first operation.
  void initial_value(Key key, Value value) { memory_.perform(key, {value, 0, 0}); }

  ObservedKinds kinds() const override { return kAccessKinds.with({Observed::performed, Observed::write_lost}); }
  void observe(const Observation& observation) override;

 private:
  /// An object of a read under way.
  struct Part {
    Key key = 0;
    PerformedMemory::Reading reading = 0;
    bool ended = false;
    Value value = 0;  // once it has ended
  };
  struct Read {
    std::uint64_t begun = 0;  // position
    std::vector<Part> parts;  // the operation's own object first
  };
  /// Positions from `from` to before `to`.
  struct Span {
    std::uint64_t from, to;
  };

  void begin(const Observation& observation);
  void end(const Observation& observation);
  /// The reads of the operation's objects are over, and judged unless it was given up.
  void close(OperationId operation, bool judges, Time at);
  void judge(OperationId operation, const Read& read, Time at);
  /// Of these instants those at which the object held what was read; all of them if it tells nothing.
  std::vector<Span> narrowed(const std::vector<Span>& instants, const Read& read, const Part& part,
                             OperationId operation) const;

  const EventLog& event_log_;
  std::uint64_t position_ = 0;
  PerformedMemory memory_;
  std::set<std::uint64_t> undone_;  // keys
  FlatMap<std::uint32_t> slots_;    // by operation that reads several objects: its place in reads_
  FlatMap<std::uint64_t> whole_;    // by part of such a one: the operation
  std::vector<Read> reads_;
  std::vector<std::uint32_t> vacant_;
};

}  // namespace racksim::sim
