// The switch's control CPU as the pipes see it: register and table operations over PCIe, at a limited rate.
//
// An operation is posted, crosses PCIe after those before it at the rate limit, and takes a slot of its pipe like a
// packet (switch_chassis.hpp), so that its order with passes is definite. Its result comes back over PCIe.
//
// A whole array is cleared in one operation, as a driver does it by DMA: a block write. It costs an operation of the
// rate limit and, before it reaches the pipe and before the next operation, the time that the array's words of 128 bits
// take to cross PCIe (docs/hardware.md 6.7). Hardware clears word after word while packets pass; here all entries are
// cleared in the slot that the last word would take.
//
// An operation belongs to the boot of the switch in which it was posted, as a session with a driver does that begins
// anew with the device (assumed: docs/hardware.md 6.7): once the switch has lost its power, what was posted before
// the next boot ends without effect.
//
// It also has a network port of its own, behind the switch's CPU port, once somebody listens to it.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/nic/verbs.hpp"
#include "models/packets/addressing.hpp"
#include "models/packets/rack_context.hpp"
#include "models/switch/switch_chassis.hpp"
#include "models/usage/station.hpp"

namespace racksim::models {

/// The control plane was given a handle that is not of the program in the switch.
class WrongProgram : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

class ControlCpu final : public PacketSink {
 public:
  /// Called when an operation's result is back: the value read, 1 for what was written or cleared, or 1 and 0 for
  /// whether a table had the entry. 0 if the switch has booted since the operation was posted.
  using Done = std::function<void(std::uint64_t)>;

  ControlCpu(RackContext& context, SwitchChassis& chassis);
  ~ControlCpu() override;
  ControlCpu(const ControlCpu&) = delete;
  ControlCpu& operator=(const ControlCpu&) = delete;

  /// Register arrays, tables and actions are named by handles: pointers into the program that the switch runs, as the
  /// structs hold them that describe protocols' programs. One that is null or of another program is a WrongProgram, an
  /// index outside the array a std::runtime_error.

  /// Reads a register.
  void read(unsigned pipe, const p4::RegisterArray* array, std::uint64_t index, Done done);
  void write(unsigned pipe, const p4::RegisterArray* array, std::uint64_t index, std::uint64_t value, Done done = {});
  /// Sets all entries of a register array to 0 by a block write. The event log gets those that were not 0 already.
  void clear(unsigned pipe, const p4::RegisterArray* array, Done done = {});
  /// Adds an entry, or changes the action of one that is there. Priorities are for tables in TCAM
  /// (p4model/execute/pipeline.hpp).
  void set_entry(unsigned pipe, const p4::Table* table, std::vector<p4::KeyMatch> key, const p4::Action* action,
                 std::vector<std::uint64_t> data, Done done = {}, std::uint32_t priority = 0);
  void remove_entry(unsigned pipe, const p4::Table* table, std::vector<p4::KeyMatch> key, Done done = {},
                    std::uint32_t priority = 0);

  /// What came of an entry that its table may refuse, as a driver's status says it.
  struct EntryAnswer {
    bool known = false;     ///< it was there, and does something else now
    std::string refused{};  ///< why it is not there: the table is full, or the key does not suit
  };
  using EntryDone = std::function<void(EntryAnswer)>;
  /// As set_entry, which a table that refuses the entry ends with a std::runtime_error: here that is the answer.
  void try_set_entry(unsigned pipe, const p4::Table* table, std::vector<p4::KeyMatch> key, const p4::Action* action,
                     std::vector<std::uint64_t> data, std::uint32_t priority, EntryDone done);
  /// Reads an entry: nothing if the table has it not.
  using ContentDone = std::function<void(std::optional<p4::Pipeline::EntryContent>)>;
  void read_entry(unsigned pipe, const p4::Table* table, std::vector<p4::KeyMatch> key, std::uint32_t priority,
                  ContentDone done);
  /// While the callback of an operation runs: the nominal instant at which the operation acted on its stage.
  sim::Time answered() const { return answered_; }
  /// Where a table's entries are.
  static std::pair<p4::Gress, int> place_of(const p4::Pipeline& pipeline, const p4::Table& table);

  /// Adds a value to a parser's value set, or takes it out: those that equal `value` in the bits of `mask`. Passes that
  /// begin in later slots are parsed by it. `done` gets 1 when the value was there before. A value that is wider than
  /// the set is a std::runtime_error at once, one too many in its slot, as an entry too many of a table is.
  void add_value(unsigned pipe, const p4::ValueSet* set, std::uint64_t value, std::uint64_t mask = ~std::uint64_t{0},
                 Done done = {});
  void remove_value(unsigned pipe, const p4::ValueSet* set, std::uint64_t value, std::uint64_t mask = ~std::uint64_t{0},
                    Done done = {});

  /// One change of the packet replication engine: a group, an exclusion, a LAG. It takes a slot of the first pipe.
  void change_replication(std::function<void(p4::ReplicationEngine&)> change, Done done = {});

  /// Which entry of a meter or a counter: by its index, or, of a direct one, by the key and priority of the table's.
  struct EntryRef {
    EntryRef(std::uint64_t at) : index(at) {}
    EntryRef(std::vector<p4::KeyMatch> of, std::uint32_t with_priority = 0)
        : key(std::move(of)), priority(with_priority) {}
    std::optional<std::uint64_t> index{};
    std::vector<p4::KeyMatch> key{};
    std::uint32_t priority = 0;
  };
  /// Both parts of a counter's entry in one operation, as the driver reads them; 0 where a table has no such entry, and
  /// if the switch has booted.
  using CounterDone = std::function<void(p4::CounterValue)>;

  /// Sets the rates of a meter's entry, whose buckets are full then. `done` gets 1, or 0 where the table has no such
  /// entry. Rates that make no sense and an index outside are a std::runtime_error, an EntryRef of the wrong kind too.
  void set_meter(unsigned pipe, const p4::Meter* meter, const EntryRef& entry, const p4::MeterRates& rates,
                 Done done = {});
  /// Reads a counter's entry, or sets it to 0, as `clear` does with all.
  void read_counter(unsigned pipe, const p4::Counter* counter, const EntryRef& entry, CounterDone done);
  void clear_counter(unsigned pipe, const p4::Counter* counter, const EntryRef& entry, Done done = {});
  void clear(unsigned pipe, const p4::Counter* counter, Done done = {});

  /// Has a listener, which must outlive the run, told of each digest when it is here (digest_channel.hpp). Once only,
  /// before the run; a program that sends digests need not be loaded yet.
  void listen_to_digests(DigestListener& listener) { chassis_.listen_to_digests(listener); }

  /// Plugs in the network port, before the run: `handler` gets every packet sent to `node`. Once only.
  void listen(PacketHandler& handler);
  /// Sends a packet with Ethernet, IPv4 and UDP headers, whose destinations the caller has set; source addresses and
  /// lengths are filled in. The IPv4 source is that of `in_name_of`, who gets the answers. Throws std::logic_error
  /// before `listen`.
  void send(p4::PacketRef&& packet) { send(std::move(packet), node()); }
  void send(p4::PacketRef&& packet, NodeId in_name_of);
  void receive(p4::PacketRef&& packet, unsigned port) override;
  /// Its address in the network.
  NodeId node() const { return control_cpu_node(chassis_.number()); }
  /// Packets on the wires of its network port.
  std::uint64_t packets_held() const;
  bool listening() const { return handler_ != nullptr; }
  /// The event log's sources of its network port and of the wires behind it. Only while it listens.
  sim::Source network_source() const { return network_source_; }
  sim::Source to_switch() const { return to_switch_->source(); }
  sim::Source from_switch() const { return from_switch_->source(); }

  /// Makes the control CPU slow: operations posted from now on follow each other at the rate limit divided by `factor`
  /// (at least 1), and each reaches its pipe `added` later. They keep their order, and PCIe its rate. (1, 0) ends it.
  void set_delay(double factor, sim::Duration added);

  /// The limit of its rate, which operations pass one after the other, and their data over PCIe.
  Station& operation_rate() { return operation_rate_; }

  /// Operations that have been posted and are not done.
  std::uint64_t outstanding() const { return operations_.size(); }

 private:
  struct Target;
  struct Slot;
  struct Operation;
  template <class Result, class Does>
  struct Doing;
  using Operations = std::list<std::unique_ptr<Operation>>;

  /// Throws WrongProgram if the pipe's program has no such object.
  template <class Object>
  Target target(unsigned pipe, const Object* object) const;
  void change_value(unsigned pipe, const p4::ValueSet* set, std::uint64_t value, std::uint64_t mask, bool there,
                    Done&& done);
  /// How long so many bits take to cross PCIe as a block write.
  sim::Duration block_time(std::uint64_t bits) const;
  /// Posts an operation: in its slot `does(slot)` gives the result that `done` is told of. `transfer` is how long its
  /// data take to cross PCIe, if that is worth counting.
  template <class Result, class Does>
  void post(const Target& target, std::function<void(Result)>&& done, Does does, sim::Duration transfer = {});
  void arrive(Operation* operation);
  void finish(Operation* operation);

  RackContext& context_;
  SwitchChassis& chassis_;
  sim::Lane request_lane_, reply_lane_;
  sim::Duration gap_;
  Station operation_rate_;
  sim::Time last_arrival_ = sim::Time::beginning();
  sim::Duration slow_gap_, added_latency_;
  sim::Time answered_;  // see answered()
  std::uint64_t posted_ = 0, arrived_ = 0;
  PacketHandler* handler_ = nullptr;
  sim::Source network_source_;
  std::unique_ptr<Wire> to_switch_, from_switch_;
  std::uint64_t next_serial_ = 0;
  Operations operations_;  // an operation knows where it stands, so that it is found when it ends
};

}  // namespace racksim::models
