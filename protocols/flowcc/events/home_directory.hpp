// What a home agent knows of its blocks, and what it does with each packet about them (Concordia §5.1.1, §5.2): a state
// machine without network, cores and time, which home_agent.hpp gives it.
//
// For blocks that the switch does not own it does what the switch's LCF pipeline does, with reader-writer locks and
// metadata of its own: lock, check (Table 2), forward (Table 3), the multicast being one packet per cache agent.
// Acknowledgements go straight to the requester. Software can remember who holds a lock for which event, so taking and
// releasing it is idempotent without scores.
//
// Where blocks migrate it also is the one who gives them to the switch and takes them back (home_migration.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "protocols/flowcc/events/home_migration.hpp"
#include "protocols/flowcc/rules/counters.hpp"
#include "protocols/flowcc/rules/coverage.hpp"
#include "protocols/flowcc/rules/last_executed.hpp"
#include "protocols/flowcc/rules/options.hpp"
#include "protocols/flowcc/rules/provider.hpp"
#include "sim/kernel/time.hpp"

namespace racksim::flowcc {

/// What a home agent lends to its directory.
class DirectoryHost {
 public:
  /// Sends a packet towards a node, for the operation that caused it.
  virtual void send(const FlowCcHeader& header, NodeId destination, sim::OperationId operation) = 0;
  /// The same of a packet for one of several cache agents: sending each takes the agent time.
  virtual void send_copy(const FlowCcHeader& header, NodeId destination, sim::OperationId operation) = 0;
  /// Writes the block that a request asks for from global memory to its requester.
  virtual void provide(const FlowCcHeader& request, sim::OperationId operation) = 0;
  /// Sends a packet of a migration to the switch, and has `timed_out` called if nothing comes of it.
  virtual void send_move(const FlowCcHeader& header, bool again) = 0;
  /// It has been answered.
  virtual void stop_waiting() = 0;
  /// Nobody has to be told any more that the last holder of a block's lock has died, which these witnesses know.
  virtual void told_of_death(Tag tag, Copyset witnesses) = 0;
  virtual sim::Time now() const = 0;

 protected:
  ~DirectoryHost() = default;
};

class HomeDirectory final : public MigrationHost {
 public:
  /// What it has to know of the rack and of the run. All that is referred to must outlive it.
  struct Setting {
    const FlowCcOptions& options;
    const CoverageMarks& coverage;
    const ProviderOrders& providers;
    Counters& counters;
    MigrationCounters& migration;
    unsigned nodes;
    unsigned requesters;       ///< of the rack: threads, home agents and locks (network.hpp)
    unsigned number;           ///< this home agent's as a requester
    unsigned first_lock;       ///< of the locks among the requesters
    std::uint64_t index_mask;  ///< the part of a tag that is the block's index at its home
  };
  HomeDirectory(const Setting& setting, DirectoryHost& host);

  /// A packet for the home agent has come: a request or an unlock, or what concerns its migrations.
  void handle(const FlowCcHeader& packet, sim::OperationId operation);

  /// Global metadata of a block that this home owns.
  GlobalMetadata metadata(Tag tag) const {
    const std::uint64_t index = index_of(tag);
    return index < metadata_.size() ? metadata_[index] : GlobalMetadata{};
  }
  void set_metadata(Tag tag, GlobalMetadata metadata);

  /// Whether and how a block that this home owns is locked.
  LockState lock(Tag tag) const {
    const auto holder = std::find_if(holders_.begin(), holders_.end(), [&](const Holder& l) { return l.tag == tag; });
    if (holder == holders_.end()) return LockState::free;
    return holder->read ? LockState::read : LockState::write;
  }
  /// One lock acquisition: who holds which block, for which event.
  struct Holder {
    Tag tag;
    std::uint16_t requester = 0;
    bool read = false;
    std::uint32_t seq = 0;
    sim::Time since;
    bool kept = false;  ///< over a recovery, by a number that has no other lock: its event's number is not known
    bool told = false;  ///< that the last holder has died
  };
  const std::vector<Holder>& holders() const { return holders_; }

  /// What it has given away and what it is about to.
  HomeMigration& migration() { return migration_; }
  const HomeMigration& migration() const { return migration_; }

  /// All have stopped: no lock is held and no migration under way any more.
  void forget() {
    holders_.clear();
    migration_.forget();
  }
  /// The node has crashed, and knows nothing any more.
  void crash();
  /// This requester begins with number 1 again.
  void forget_requester(RequesterId requester) {
    last_executed_.forget(requester);
    last_serial_[requester] = 0;
    last_unlock_[requester] = 0;
  }
  /// All have stopped, and an application has kept the lock of a block over it.
  void keep_lock(Tag tag, RequesterId requester, bool read);
  /// All have stopped, and a witness knows that a thread has died with the block's lock (node/lock_log.hpp). The block
  /// stays here until somebody who gets the lock has been told so, and has given it back.
  void add_orphan(Tag tag, NodeId witness) { orphans_[tag] |= node_bit(witness); }
  bool is_orphan(Tag tag) const { return orphans_.contains(tag); }
  /// It is the owner of all its blocks, with these metadata; of others nobody has a copy.
  void rebuild(const std::map<Tag, GlobalMetadata>& blocks) {
    std::fill(metadata_.begin(), metadata_.end(), GlobalMetadata{});
    for (const auto& [tag, metadata] : blocks) set_metadata(tag, metadata);
  }

  /// Passes all but since when locks are held to `archive` (sim/exploration/archive.hpp).
  template <class Archive>
  void archive(Archive& archive) {
    if constexpr (!Archive::kReads) sort_holders();
    archive.list(metadata_, [&](GlobalMetadata& one) { archive(one.status, one.copyset); });
    archive.list(holders_, [&](Holder& one) { archive(one.tag, one.requester, one.read, one.seq); });
    archive.each(last_serial_);
    archive.each(last_unlock_);
    last_executed_.archive(archive);
    migration_.archive(archive);
  }

 private:
  enum class Lock : std::uint8_t { refused, acquired, already_held };
  using Operation = sim::OperationId;

  void serve_from_memory(const FlowCcHeader& request, Operation operation);
  void own_request(const FlowCcHeader& request, Operation operation);
  void own_unlock(const FlowCcHeader& unlock, Operation operation);
  /// Whether a request is for an application's lock, which its last holder has died with.
  bool is_after_death(const FlowCcHeader& request) const {
    const MessageType type = request.message_type();
    const bool evicts = type == MessageType::evict_shared || type == MessageType::evict_modified;
    return request.requester >= setting_.first_lock && !evicts && is_orphan(request.tag());
  }
  void tell_of_death(FlowCcHeader& request);
  void told_of_death(Tag tag);
  Lock acquire(const FlowCcHeader& request);
  void release(const FlowCcHeader& request) {
    std::erase_if(holders_, [&](const Holder& l) {
      return l.tag == request.tag() && l.requester == request.requester && l.seq == request.seq;
    });
  }
  void forward(const FlowCcHeader& request, GlobalMetadata metadata, Operation operation);
  void refuse(const FlowCcHeader& request, GlobalMetadata metadata, bool lost_race, Operation operation) {
    FlowCcHeader h = request;
    h.lost_race = lost_race;
    reply(h, MessageType::failed_ack, metadata, false, operation);
  }
  void reply(const FlowCcHeader& packet, MessageType type, GlobalMetadata metadata, bool from_home,
             Operation operation);
  bool is_late(const FlowCcHeader& header);
  bool counts_without_lock(const FlowCcHeader& unlock);
  /// Whether the home may act on a request; it answers what it refuses.
  bool admits(const FlowCcHeader& request, Operation operation);
  void migration_packet(const FlowCcHeader& packet) {
    ++setting_.migration.packets.value;
    if (packet.message_type() == MessageType::removal_notice) return migration_.remove(packet.tag());
    migration_.answered(packet);
  }

  bool lock_to_move(Tag tag) override;
  void unlock_moved(Tag tag) override {
    std::erase_if(holders_, [&](const Holder& l) { return l.tag == tag && l.requester == setting_.number; });
  }
  bool locked_by_application(Tag tag) const override {
    return std::any_of(holders_.begin(), holders_.end(),
                       [&](const Holder& l) { return l.tag == tag && l.requester >= setting_.first_lock; }) ||
           is_orphan(tag);
  }
  GlobalMetadata metadata_to_move(Tag tag) const override { return metadata(tag); }
  void set_moved_metadata(Tag tag, GlobalMetadata metadata) override { set_metadata(tag, metadata); }
  void send_move(const FlowCcHeader& header, bool again) override { host_.send_move(header, again); }
  void stop_waiting() override { host_.stop_waiting(); }

  /// Their order means nothing.
  void sort_holders() {
    std::sort(holders_.begin(), holders_.end(), [](const Holder& a, const Holder& b) {
      return std::tuple(a.tag, a.requester, a.seq) < std::tuple(b.tag, b.requester, b.seq);
    });
  }
  std::uint64_t index_of(Tag tag) const { return tag & setting_.index_mask; }

  const Setting setting_;
  DirectoryHost& host_;
  LastExecuted last_executed_;
  std::vector<GlobalMetadata> metadata_;    // by index at home
  std::vector<Holder> holders_;             // few: at most two per requester of the rack
  std::map<Tag, Copyset> orphans_;          // whose lock somebody has died with, and which witnesses have told so
  std::vector<std::uint32_t> last_serial_;  // by requester
  std::vector<std::uint32_t> last_unlock_;  // by requester; used only without the rule that unlocks are the holders'
  HomeMigration migration_;
};

}  // namespace racksim::flowcc
