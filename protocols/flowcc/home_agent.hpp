// The home agent of a memory node: serves data from its global memory, and manages coherence in software for the blocks
// of which the switch is not the owner (Concordia §5.1.1, §5.2).
//
// For those it does what the switch's LCF pipeline does, with reader-writer locks and metadata of its own: lock, check
// (Table 2), forward (Table 3), the multicast being one packet per cache agent. Acknowledgements go straight to the
// requester. Software can remember who holds a lock for which event, so taking and releasing it is idempotent without
// scores.
//
// Where blocks migrate it also is the one who gives them to the switch and takes them back (home_migration.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "protocols/flowcc/home_migration.hpp"
#include "protocols/flowcc/last_executed.hpp"
#include "protocols/flowcc/network.hpp"

namespace racksim::flowcc {

class MemoryNode;

/// One background thread, on a core of its own.
class HomeAgent final : public models::PacketHandler, public models::CompletionHandler, public MigrationHost {
 public:
  HomeAgent(Shared& shared, MemoryNode& node, models::Core& core);

  Endpoint& endpoint() { return endpoint_; }
  models::Core& core() { return core_; }

  /// Global metadata of a block that this agent owns.
  GlobalMetadata metadata(Tag tag) const;
  void set_metadata(Tag tag, GlobalMetadata metadata);

  /// Whether and how a block that this agent owns is locked.
  LockState lock(Tag tag) const;

  /// Who has the lock of a block that this agent owns, for which event.
  struct LockHolder {
    unsigned requester = 0;
    std::uint32_t seq = 0;
    bool read = false;
  };
  std::vector<LockHolder> holders_of(Tag tag) const;
  /// Locks that are held.
  std::vector<models::Leak> held_locks() const;

  /// Where blocks migrate: what it has given away and what it is about to; otherwise null.
  HomeMigration* migration() { return migration_.get(); }
  const HomeMigration* migration() const { return migration_.get(); }
  /// An epoch is over: hot blocks move, and the shadow node is told which have.
  void epoch_over();
  /// All have stopped: no lock is held and no migration under way any more.
  void forget();
  /// The node has crashed, and knows nothing any more.
  void crash();
  /// This requester begins with number 1 again.
  void forget_requester(RequesterId requester);
  /// It is the owner of all its blocks, with these metadata; of others nobody has a copy.
  void rebuild(const std::map<Tag, GlobalMetadata>& blocks);

  void on_packet(p4::PacketRef packet) override;
  void on_completion(const models::Completion& completion) override;

 private:
  // One lock acquisition: who holds which block, for which event.
  struct Holder {
    Tag tag;
    std::uint16_t requester;
    bool read;
    std::uint32_t seq;
    sim::Time since;
  };
  enum class Lock : std::uint8_t { refused, acquired, already_held };

  void serve_from_memory(const p4::Packet& packet);
  void own_request(const p4::Packet& packet);
  void own_unlock(const p4::Packet& packet);
  Lock acquire(const FlowCcHeader& request);
  void release(const FlowCcHeader& request);
  void forward(const p4::Packet& packet, GlobalMetadata metadata);
  void reply(const p4::Packet& packet, MessageType type, GlobalMetadata metadata, bool from_home);
  bool is_late(const FlowCcHeader& header);
  bool counts_without_lock(const FlowCcHeader& unlock);
  /// Whether the home may act on a request; it answers what it refuses.
  bool admits(const p4::Packet& packet);
  void migration_packet(const p4::Packet& packet);
  void end_epoch();
  bool lock_to_move(Tag tag) override;
  void unlock_moved(Tag tag) override;
  GlobalMetadata metadata_to_move(Tag tag) const override { return metadata(tag); }
  void set_moved_metadata(Tag tag, GlobalMetadata metadata) override { set_metadata(tag, metadata); }
  void send_move(const FlowCcHeader& header, bool again) override;
  void stop_waiting() override;
  void move_timed_out();
  unsigned number() const { return shared_.requester_of_home(endpoint_.node()); }

  Shared& shared_;
  MemoryNode& node_;
  models::Core& core_;
  Endpoint endpoint_;
  LastExecuted last_executed_;
  std::vector<GlobalMetadata> metadata_;    // by index at home
  std::vector<Holder> holders_;             // few: at most two per requester of the rack
  std::vector<std::uint32_t> last_serial_;  // by requester
  std::unique_ptr<HomeMigration> migration_;
  sim::Duration move_patience_;  // timeout of the latest packet of a migration
  sim::EventId move_timer_;
  std::vector<std::uint32_t> last_unlock_;  // by requester; only without the rule that unlocks are the holders'
};

}  // namespace racksim::flowcc
