// What all oracles share: they watch the event log from outside the protocol's own state, and collect violations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/kernel/time.hpp"
#include "sim/record/event_log.hpp"
#include "sim/record/ids.hpp"
#include "sim/record/state_visitor.hpp"

namespace racksim::sim {

/// What a violation is about, as far as its oracle knows: where an explanation begins to look.
struct KeyAndOperations {
  std::optional<Key> key;               ///< the block or key
  std::vector<OperationId> operations;  ///< ids, those that `what` names
};

/// A promise that the run broke.
struct Violation {
  std::string oracle;  ///< name of the oracle, or of the kind of violation
  Time at;             ///< when it became certain
  std::string what;    ///< the operations, keys, nodes and times concerned
  KeyAndOperations about{};
};

/// An instant as violations print it: nanoseconds to the picosecond, "12.345 ns".
std::string printed(Time at);

/// A block or key id as violations, leaks and charts print it: "0x3000000001".
std::string printed_key(Key key);

/// One checker. It holds the first 20 violations and counts them all: a broken protocol breaks its promise a million
/// times, and people read the first.
class Oracle : public Observer {
 public:
  static constexpr std::size_t kKept = 20;

  /// `judges` is what it judges one by one, as a report counts it: "operation", "permission", "packet".
  Oracle(std::string name, std::string judges) : name_(std::move(name)), judges_(std::move(judges)) {}

  /// Ignores what it sees, unless overridden.
  void observe(const Observation&) override {}

  /// Whom the state in which the run has come to rest is shown to, before `finish`; nobody by default. An oracle with
  /// one judges nothing else: if the run does not come to rest, it is not finished.
  virtual StateVisitor* state_at_rest() { return nullptr; }

  /// The run is over and its drain done: checks what must hold at quiescence. Called once.
  virtual void finish(Time) {}

  const std::string& name() const { return name_; }
  const std::string& judges() const { return judges_; }
  /// How many of these it has judged, by the end. An oracle that has judged nothing has not checked anything: a report
  /// lists it apart.
  virtual std::uint64_t judged() const { return judged_; }
  /// The first kKept violations, in the order of detection.
  const std::vector<Violation>& violations() const { return violations_; }
  /// All violations, also those that were not kept.
  std::uint64_t violation_count() const { return count_; }

 protected:
  /// Notes that it has judged so many more, whether it objected or not.
  void count_judged(std::uint64_t more = 1) { judged_ += more; }
  /// Whether the next violation will be kept, so that its message is worth composing.
  bool keeps_more() const { return violations_.size() < kKept; }
  void violated(Time at, std::string what, KeyAndOperations about = {}) {
    violated(name_, at, std::move(what), std::move(about));
  }
  void violated(std::string oracle, Time at, std::string what, KeyAndOperations about = {});

  /// Notes that an observation was made at `at`; earlier than the one before is a std::runtime_error.
  void expect_in_order(Time at) {
    if (at < last_) [[unlikely]]
      refuse_order(at);
    last_ = at;
  }

 private:
  [[noreturn]] void refuse_order(Time at) const;

  std::string name_, judges_;
  std::uint64_t judged_ = 0;
  std::vector<Violation> violations_;
  std::uint64_t count_ = 0;
  Time last_;
};

}  // namespace racksim::sim
