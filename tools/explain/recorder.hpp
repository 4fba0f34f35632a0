// Watches a run and keeps what concerns one key: operations, messages, permissions, the switch's registers, faults.
//
// Runs are deterministic, so a violation is explained by running again and looking at its key alone. Memory is bounded
// by keeping events around two places: where something turned, and the latest. Things turn when an operation of the
// violation begins, and at the latest change of the key's own registers in the switch: for a lock that is never
// returned, when it was taken. Kept besides, wherever they are: messages that are under way when the violation is found,
// and those that a fault names, whatever key they are about. One of them is often what it came to.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/packets/packet_observer.hpp"
#include "models/service/protocol.hpp"
#include "p4model/execute/register_file.hpp"
#include "sim/record/history.hpp"
#include "tools/explain/history.hpp"

namespace racksim::tools::explain {

/// What to keep.
struct Filter {
  sim::Key key = 0;
  std::vector<sim::OperationId> operations;  ///< of the violation
  sim::Time until;                           ///< when it was found; later events are ignored
  std::optional<sim::Time> from;             ///< earlier events are not kept
};

/// Attach it to a rack before the run; ask for the history after it.
class Recorder final : public sim::Observer, public models::PacketObserver {
 public:
  explicit Recorder(Filter filter);

  /// Both must outlive the run.
  void attach(models::Rack& rack, const models::Protocol& protocol);

  History history() const;

  void observe(const sim::Observation& observation) override;
  void on_wire(const p4::Packet& packet, const models::WirePassage& passage) override;
  void dropped(const p4::Packet& packet, sim::Source where, sim::Time at, models::DropReason reason) override;
  void delivered(const p4::Packet& packet, sim::Source nic, sim::Time at) override;
  void pass_begins(const p4::Packet& packet, unsigned pipe, sim::Time at, bool resubmitted) override;
  void switch_written(const models::SwitchWrite& write) override;

  /// Events kept around each of the two places.
  static constexpr std::size_t kKept = 20'000;
  /// Messages named by faults that are kept besides, the first ones.
  static constexpr std::size_t kNamed = 1000;

 private:
  /// A node, or the switch's control CPU, as charts name it.
  static std::string node_name(models::NodeId node);
  /// Where an event source stands in the rack.
  struct Part {
    enum class Role : std::uint8_t { uplink, downlink, nic, trunk } role;  // a NIC, or a control CPU's network port
    models::NodeId node;                                                   // of all but a trunk
    sim::Source downlink;                                                  // by which packets come to the node
    std::string from, to;                                                  // the switch at either end, if there is one
  };
  using EventNumber = std::uint64_t;
  /// A message on its way: the wire (or the NIC, after it) and the packet.
  using InFlight = std::pair<std::uint32_t, const p4::Packet*>;
  struct Flight {
    std::uint64_t serial;  // tells a packet from a later one in the same memory
    EventNumber event;
  };
  using RegisterAt = std::pair<unsigned, std::uint64_t>;  // pipe, over all switches; array << 32 | index

  /// What there is to tell of a packet, if it has to do with the key or is `named` by a fault; of a part of a message only
  /// if something `befell` it.
  std::optional<models::PacketDescription> concerning(const p4::Packet& packet, bool named, bool befell) const;
  std::string sender(const models::PacketDescription& description, const Part* part) const;
  std::string receiver(const models::PacketDescription& description, const Part* part) const;
  const Part* part_of(sim::Source source) const;
  /// The party of a node that acts with this operation: its session, or who has received something last.
  std::string actor(models::NodeId node, std::uint64_t operation) const;
  std::string operation_name(std::uint64_t operation) const;
  const std::string& session_name(sim::Source source);
  void add_parts(models::NodeId node, sim::Source uplink, sim::Source downlink, sim::Source nic,
                 const std::string& network_switch);
  /// The switch of which an event source is a part.
  std::string switch_at(sim::Source part) const;
  /// Asks the protocol which registers hold the key's state at present.
  void name_registers();
  EventNumber add(Event event);
  EventNumber add_apart(Event event);
  Event* find(EventNumber number);
  void let_under_way(Event& event, std::optional<sim::Time> due);
  /// The event of a packet on its way over a wire, which ends here; null if none is known.
  Event* landed(sim::Source wire, const p4::Packet& packet);
  void keep_around_next();

  Filter filter_;
  models::Rack* rack_ = nullptr;
  const models::Protocol* protocol_ = nullptr;
  std::unordered_map<std::uint32_t, Part> parts_;
  std::map<std::uint32_t, std::string> sessions_;
  std::map<std::uint64_t, std::string> issuers_;  // sessions, by what their operations' numbers begin with

  // Two runs of events with ascending numbers: around the anchor, and the latest.
  std::deque<Event> early_, late_;
  EventNumber first_early_ = 0, first_late_ = 0, next_ = 0;
  // And what is kept wherever it is, each with the number of the event that came after it.
  struct Apart {
    EventNumber next;
    Event event;
  };
  std::deque<Apart> apart_;
  std::size_t named_ = 0;              // of them
  std::optional<EventNumber> anchor_;  // the beginning in early_ is around it
  std::optional<EventNumber> story_;   // where an operation of the violation began
  std::optional<EventNumber> turn_;    // where the key's own registers changed last

  struct OperationRecord {
    sim::OperationKind kind;
    std::string session;
    sim::Time begun;
    std::optional<sim::Time> ended;
    std::uint64_t value = 0;
  };
  std::map<std::uint64_t, OperationRecord> operations_;  // on the key
  std::map<InFlight, Flight> in_flight_;
  std::map<models::NodeId, std::string> last_receiver_;

  std::vector<std::string> switches_;  // their names
  std::vector<unsigned> first_pipes_;  // of each switch, among those of all
  std::vector<p4::RegisterFile>
      shadows_;  // by pipe, over all switches: every register as it was before the latest write
  std::vector<Register> registers_;
  std::map<RegisterAt, std::size_t> register_numbers_;
  std::set<RegisterAt> of_key_;  // those that hold the key's own state, and nobody's else, at present
  bool named_by_protocol_ = false;
  // By serial number of a packet that concerns the key: the event of the writes of its current pass, if there is one.
  std::unordered_map<std::uint64_t, std::optional<EventNumber>> passes_;
};

}  // namespace racksim::tools::explain
