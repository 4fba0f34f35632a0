// Values at rest: when everything has come to rest after the drain, the last write is where readers will find it, and
// nothing else can be found.
//
// For every key that was ever written or is shown:
//  * its current value, that of the dirty copy or, if nobody holds one, the home's, is one that the recorded history
//    lets a read that begins now return: the last write, or any of several when concurrent last writes or writes that
//    were given up leave open which came last (register_history.hpp);
//  * every clean copy has the current value;
//  * there is one dirty copy at most.
//
// Why at rest: while the run goes on, copies and homes may differ in many ways that no read can see. What no read
// happened to see before the end is what the other oracles miss, such as an old write-back that lands again.
//
// A history that is no linearizable one (data-value reports it) does not tell what its last write was: of such a key
// only the agreement of copies and home is judged.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/oracles/last_values.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/record/state_visitor.hpp"

namespace racksim::sim {

/// Is shown the state of a rack at rest, then finished. Memory: 24 to 48 bytes for each home and copy that it is shown.
class ValuesAtRestOracle final : public Oracle, public StateVisitor {
 public:
  ObservedKinds kinds() const override { return {}; }
  /// `history` must have seen the whole run, and outlive the oracle.
  explicit ValuesAtRestOracle(const LastValues& history) : Oracle("values-at-rest", "value"), history_(history) {}

  StateVisitor* state_at_rest() override { return this; }

  void home(Key key, Value value) override;
  void copy(Key key, Holder holder, Value value, CopyState state) override;
  void lost(Key key) override;

  /// Judges what it has been shown. A key whose home was not shown has its home never written.
  void finish(Time end) override;

 private:
  enum class Role : std::uint8_t { lost, dirty, home, clean };  // in the order in which a key's are judged
  struct Shown {
    Key key = 0;
    Value value = 0;
    Holder holder;
    Role role;
    auto operator<=>(const Shown&) const = default;
  };
  using Iterator = std::vector<Shown>::const_iterator;

  void judge(Iterator first, Iterator last, Time end);
  void judge_current(Key key, const Shown& current, Time end);

  const LastValues& history_;
  std::vector<Shown> shown_;
};

}  // namespace racksim::sim
