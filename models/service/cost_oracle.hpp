// Work is bounded: on perfect wires operations send and receive what their protocol's cost table allows
// (cost_table.hpp), each of them and all together. What is sent twice, or in vain, or to one node too many breaks no
// promise of consistency; here it does.
//
// A run that a fault disturbs, or in which anybody waited too long for an answer or sent anything again (counters called
// sent_again, and that of NICs), is not judged; nor is one that does not come to rest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/packets/message_observer.hpp"
#include "models/rack/rack.hpp"
#include "models/service/access_states.hpp"
#include "models/service/cost_table.hpp"
#include "models/service/protocol.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/record/flat_map.hpp"
#include "sim/record/history.hpp"

namespace racksim::models {

class CostOracle final : public sim::Oracle, public MessageObserver {
 public:
  /// Operations that are judged one by one: the first ones. All of them are in the sums.
  static constexpr std::size_t kOneByOne = 16384;

  /// How many round trips nobody has used a unit that is at rest: what is on its way when an access ends (releases,
  /// acknowledgements, what is flushed) has come by then.
  static constexpr std::int64_t kRest = 8;

  /// Adds itself to the rack's observers of messages, unless faults are to come; it must be attached to the event log
  /// too. Keys that are equal above `unit_bits` are one unit of coherence. Throws std::logic_error if the table names
  /// what there is not.
  CostOracle(Rack& rack, const Protocol& protocol, CostTable table, unsigned unit_bits = 0, bool perfect_wires = true);

  /// Of sent messages and faults only that the run has begun.
  sim::ObservedKinds kinds() const override {
    using enum sim::Observed;
    return {operation_begun, operation_ended, operation_given_up, disturbance, sent_again,
            permission,      performed,       message_sent,       fault_begun};
  }
  void observe(const sim::Observation& observation) override;
  /// What a node may do when the run begins.
  void initial_permission(sim::Key key, std::uint64_t node, sim::Permission permission) {
    if (by_state_) states_.permission({key, node, permission}, {}, sim::Time::beginning());
  }
  void sent(const p4::Packet& packet) override { count(packet, true); }
  void received(const p4::Packet& packet) override { count(packet, false); }

  /// It judges what has come to rest, whatever the state is.
  sim::StateVisitor* state_at_rest() override { return &nothing_; }
  void finish(sim::Time end) override;

 private:
  /// A sum of a row: places in what is counted, or counters of the protocol, with their factors.
  struct Term {
    std::uint64_t times = 1;
    std::size_t place = 0;
    const sim::Counter* counter = nullptr;
    std::uint64_t before = 0;  // of the counter
  };
  using Sum = std::vector<Term>;
  struct Row {
    Sum cost, per;
    AccessState of = AccessState::unknown;  // for operations of any
  };
  /// One that is judged alone.
  struct Operation {
    sim::OperationId id = 0;
    sim::Key key = 0;
    AccessStates::Access access{};  // as it began, then as it was until it was over
    bool ended = false, performed = false;
  };
  struct Nothing final : sim::StateVisitor {
    void home(sim::Key, sim::Value) override {}
    void copy(sim::Key, sim::Holder, sim::Value, sim::CopyState) override {}
    void lost(sim::Key) override {}
  };
  /// What is counted, of one operation or of all: the messages' sent, received and bytes, and what has ended by kind.
  using Counts = std::vector<std::uint32_t>;

  AccessState state(const std::string& text) const;
  /// The numbers of the operations that are over, by the state of what they have accessed.
  std::vector<std::vector<std::uint32_t>> over_by_state() const;
  Sum parsed(const std::string& text) const;
  Term term(const std::string& text) const;
  void begin();
  void count(const p4::Packet& packet, bool sent);
  void begin_access(const sim::Observation& observation);
  void end_access(const sim::Observation& observation);
  void performed(const sim::Observation& observation);
  /// Of the latest operation that was counted.
  void close(Operation& operation, sim::Time at);
  /// Where an operation's are; null if it is not judged alone. Until the next call.
  std::uint32_t* counts_of(sim::OperationId operation);
  void add(std::uint32_t* counts, std::size_t place, std::uint64_t more);
  static std::uint64_t value(const Sum& sum, const auto& counts);
  /// Of an operation, or of all if it has no id.
  void object_to(sim::Time at, const CostRow& row, std::uint64_t cost, std::uint64_t per, const Operation& operation);

  Rack& rack_;
  const Protocol& protocol_;
  const CostTable table_;
  std::vector<Row> rows_;
  std::size_t places_;
  std::vector<std::uint64_t> totals_;
  std::vector<CostedMessage> messages_;              // of the packet at hand
  std::vector<std::vector<std::uint32_t>> numbers_;  // of operations, by session and by their numbers in it
  std::vector<Operation> operations_;
  std::size_t latest_number_ = 0;  // of the operation whose counts were asked for last
  Counts counts_;                  // of them, one after the other
  AccessStates states_;
  bool by_state_ = false;  // some row is of one state
  Sum sent_again_;         // by NICs and protocols
  static constexpr std::uint32_t kNotJudgedAlone = ~std::uint32_t{0};
  bool begun_ = false, disturbed_ = false;
  Nothing nothing_;
};

}  // namespace racksim::models
