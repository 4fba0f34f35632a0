// A thread of a server node, which emulates a storage server (StarCache §4): one partition of the items in a hash
// table, served by one core at a limited rate.
//
// Items, completion records and what an extension declares durable survive a crash, as a log on stable storage would
// make them: the paper's store is in memory, and a crash that forgets acknowledged writes would say nothing about the
// cache. What is half received is lost.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "models/host/core.hpp"
#include "models/nic/verbs.hpp"
#include "protocols/store/completed_writes.hpp"
#include "protocols/store/network.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::store {

/// What a scheme with a cache adds to a server.
class PartitionExtension {
 public:
  virtual ~PartitionExtension() = default;
  /// A read or a write has been received.
  virtual void requested(const Message& /*request*/) {}
  /// Whether it keeps a write, to hand it to `Partition::resume` later.
  virtual bool holds_write(const Message& /*request*/, Address /*from*/, sim::OperationId) { return false; }
  /// How many versions of a key had been given out when it was this message's, without ever wrapping. A packet that is
  /// kept may grow older than versions can tell (version.hpp).
  virtual std::int64_t place_of(KeyHash /*hash*/, Version version) const {
    return static_cast<std::int64_t>(std::uint64_t{version});
  }
  /// Whether a write may take effect now. If not it is refused, and its client sends it again.
  virtual bool admits_write(const Message& /*request*/) { return true; }
  /// A write has taken effect, or had done so before and is about to be answered again.
  virtual void written(const Message& /*request*/) {}
  /// A message that the application itself does not know.
  virtual void other(const Message& /*message*/, Address /*from*/) {}
};

class Partition final : public models::PacketHandler {
 public:
  /// Takes core `server % partitions` of its node and the node's next raw queue pair.
  Partition(Shared& shared, unsigned server);

  /// Adds a scheme's part; it must outlive the run.
  void extend(PartitionExtension& extension) { extension_ = &extension; }

  unsigned server() const { return server_; }
  /// Who its NIC is in the event log.
  sim::Source source() const { return nic_.source(); }
  models::Core& core() { return core_; }
  /// The value of an item: of its first part, if the parts are of different values.
  sim::Value value_of(sim::Key key) const { return part_of(key, 0); }
  /// The value that a part of an item belongs to.
  sim::Value part_of(sim::Key key, unsigned number) const;
  /// Calls `visit(key, value)` for each item that has been written, with the value of its first part, in no particular
  /// order.
  template <class Visit>
  void visit_items(Visit&& visit) const {
    items_.for_each([&](std::uint64_t part, std::uint64_t value) {
      if (is_first_part(part)) visit(sim::Key{part}, sim::Value{value});
    });
  }
  /// Requests that it has answered.
  std::uint64_t served() const { return served_; }
  const sim::Counter& served_counter() const { return served_counter_; }
  /// A digest of all items.
  std::uint64_t digest() const { return digest_; }

  /// Sends a message of its own.
  void send(const Message& message, Address to, sim::OperationId operation);
  /// Sends all packets of an item, each with the value that its part has now.
  void send_item(Message message, Address to, sim::OperationId operation);

  /// Goes on with a write that the extension has kept.
  void resume(const Message& request, Address from, sim::OperationId operation) { write(request, from, operation); }

  /// Items that are stored in parts of different writes.
  const std::set<sim::Key>& torn_items() const { return torn_; }
  /// Writes of which packets are kept although they have taken effect.
  std::size_t kept_in_vain() const;
  /// Writes of which some packets have come.
  std::size_t half_received() const { return receiving_.size(); }

  void crash() { receiving_.clear(); }
  void on_packet(p4::PacketRef packet) override;

 private:
  void count_served();
  struct Sender {
    Address address;
    std::uint32_t seq;
    auto operator<=>(const Sender& other) const {
      return std::tie(address.node, address.port, seq) <=> std::tie(other.address.node, other.address.port, other.seq);
    }
    bool operator==(const Sender&) const = default;
  };
  struct Received {
    std::uint64_t fragments = 0;
    std::vector<std::uint64_t> values;  // of each part
    Version version = 0;                // the latest of its packets
    std::int64_t place = 0;             // and its place, as it was when that packet came
    bool flag = false, unversioned = false;
  };

  void handle(p4::Packet& packet);
  /// The core has copied the key and the value of a packet that comes or goes.
  void copied(const p4::Packet& packet);
  /// A packet has been read: the last one that the budget allows sends the core to rest until the window is over.
  void spend_budget();
  void write(Message request, Address from, sim::OperationId operation);
  /// Takes one of a write's packets. True when it was the last, whose request then speaks for all.
  bool receive(Message& request, unsigned packets, Received& received);
  std::int64_t place_of(KeyHash hash, Version version) const {
    return extension_ ? extension_->place_of(hash, version) : static_cast<std::int64_t>(std::uint64_t{version});
  }
  void answer_write(const Message& request, Address from, sim::OperationId operation);
  /// Drops what came of writes that their client waits for no longer.
  void forget_given_up(Address from, const CompletedWrites& record);
  /// Stores what was received of an item, part by part: it is whole only if what was received is.
  void store(sim::Key key, const Received& received);
  void set(std::uint64_t part, sim::Value value);

  Shared& shared_;
  unsigned server_;
  models::Core& core_;
  models::Nic& nic_;
  models::Qpn qpn_;
  PartitionExtension* extension_ = nullptr;
  sim::FlatMap<std::uint64_t> items_;                   // values of parts that have been written, by part_id
  std::set<sim::Key> torn_;                             // keys of items whose parts are of different values
  std::map<std::uint32_t, CompletedWrites> completed_;  // by the client's node and port
  std::map<Sender, Received> receiving_;                // writes of several packets
  std::uint64_t served_ = 0, digest_ = 0;               // since the beginning, the warm-up too
  sim::Counter& served_counter_;
  std::int64_t window_ = 0;       // of the budget, the one that was last read in
  std::uint64_t read_in_it_ = 0;  // packets
};

}  // namespace racksim::store
