// The control plane's side of the switch as an owner of blocks: loads the LCF program, fills its tables and multicast
// groups, installs blocks, and looks at the arrays when the run is at rest.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "protocols/flowcc/node/network.hpp"
#include "protocols/flowcc/switch/control_operations.hpp"
#include "protocols/flowcc/switch/lcf_program.hpp"

namespace racksim::flowcc {

class MemoryNode;

/// The switch of one FlowCC instance.
class SwitchOwner {
 public:
  /// Loads the program. Throws std::runtime_error when it does not fit, or when the nodes' ports lie in several pipes,
  /// which share no state.
  SwitchOwner(Shared& shared);

  /// Fills the tables that need to know the nodes' queue pairs.
  void connect(std::vector<MemoryNode*> nodes);

  /// Where the shadow node is.
  struct ShadowAddress {
    NodeId server;
    std::uint32_t queue_pair;
  };
  /// Where blocks migrate: where the switch is to copy answers to ADD, from the next `connect`, `load` or
  /// `address_shadow` on; null for nowhere.
  void set_shadow(std::optional<ShadowAddress> shadow) { shadow_ = shadow; }

  // What the control CPU does during a run.

  /// Where blocks migrate: has the control CPU clear all arrays and fill everything anew, for packets of this
  /// incarnation alone.
  void load(std::uint32_t incarnation, ControlOperations& operations);
  /// Has it send the copies of answers to ADD to the shadow node, and know that one's address.
  void address_shadow(ControlOperations& operations);
  /// Has it read the places `first` to `end`, counted way by way, of the TAG arrays. Calls `found(tag)` for each block
  /// when that is back.
  void read_tags(std::uint64_t first, std::uint64_t end, const std::function<void(Tag)>& found,
                 ControlOperations& operations);

  /// Has the control CPU free all locks, and forget who had them.
  void release_locks();

  /// Installs a block as Unshared in a free way; false when all ways of its index are taken.
  bool install(Tag tag);
  std::uint64_t installed() const { return installed_; }
  /// An entry of the arrays of a way.
  struct Place {
    std::size_t way;
    std::uint64_t index;
  };
  /// Where `install` has put a block. Before the run, when none has migrated, it is nowhere else.
  std::optional<Place> installed_at(Tag tag) const {
    const auto& ways = ways_installed_[shared_.home_of(tag)];
    const std::uint64_t at = shared_.index_at_home(tag);
    if (at >= ways.size() || ways[at] == 0) return std::nullopt;
    return Place{ways[at] - std::size_t{1}, index_of(tag)};
  }
  GlobalMetadata metadata(Place place) const;
  void set_metadata(Place place, GlobalMetadata metadata);
  void prefetch(Place place) const {
    registers().prefetch(ways_[place.way].status, place.index);
    registers().prefetch(ways_[place.way].copyset, place.index);
  }

  /// Metadata of a block, if the switch owns it. For set-up and inspection, outside the run.
  std::optional<GlobalMetadata> metadata(Tag tag) const;

  /// Whether and how a block that the switch owns is locked.
  LockState lock(Tag tag) const;
  /// Whether LAST-UNLOCK says that the unlock of event `seq` of a requester has been executed.
  bool unlocked_before(RequesterId requester, Seq seq) const {
    if (!shared_.options.last_unlock) return false;
    return registers().read(registers().array("LAST_UNLOCK"), requester) >= seq;
  }

  /// Whether SCOREBOARD says that event `seq` of a requester has its lock.
  bool scored(RequesterId requester, Seq seq) const {
    if (!shared_.options.scoreboard) return false;
    return registers().read(registers().array("SCOREBOARD"), requester << 1 | (seq & 1)) > 0;
  }

  /// Locks that are held.
  std::vector<models::Leak> held_locks() const;
  /// Where blocks migrate: scores of events that hold no lock any more. For a rack at rest.
  std::vector<models::Leak> left_scores() const;
  /// Calls `visit(tag)` for each block that the switch has.
  void visit_blocks(const std::function<void(Tag)>& visit) const;
  std::size_t ways() const { return ways_.size(); }
  /// The block at a place, if it is not free.
  std::optional<Tag> block_at(std::size_t way, std::uint64_t index) const;
  /// What is wrong with a place: its tag is in another way too, or it is free and locked. Empty if nothing is.
  std::string wrong_place(std::size_t way, std::uint64_t index) const;
  /// By number of an array: the way whose TAG or LOCK it is; of others `none`.
  std::vector<std::uint32_t> ways_of_arrays(std::uint32_t none) const;

  /// The registers that hold a block's tag, lock and metadata, if the switch owns it.
  std::vector<models::SwitchRegister> registers_of(Tag tag) const;
  /// The pipe that holds the state.
  unsigned pipe() const { return pipe_; }

  const LcfProgram& program() const { return lcf_; }

 private:
  struct Entry {
    const p4::Table* table;
    std::vector<std::uint64_t> key;
    const p4::Action* action;
    std::vector<std::uint64_t> data;
  };
  template <class Fill>
  void fill_tables(Fill&& fill) const;
  template <class Fill>
  void fill_shadow(Fill&& fill) const;
  /// Calls `set(change)` for each change of the replication engine that the tables rely on.
  template <class Set>
  void set_groups(Set&& set) const;
  template <class Set>
  void set_add_groups(Set&& set) const;

  struct Arrays {
    std::uint32_t tag, lock, status, copyset;  // numbers in the pipeline's register file
  };
  std::optional<Place> place_of(Tag tag) const;
  p4::RegisterFile& registers() const { return shared_.rack.chassis().pipeline(pipe_).registers(); }
  std::uint64_t index_of(Tag tag) const { return set_index(tag, shared_.options.entries_per_way); }

  Shared& shared_;
  LcfProgram lcf_;
  std::vector<Arrays> ways_;
  std::vector<MemoryNode*> nodes_;
  std::optional<ShadowAddress> shadow_;
  std::uint64_t loaded_port_ = kFlowCcPort;
  unsigned pipe_;
  std::uint64_t installed_ = 0;
  std::vector<std::vector<std::uint8_t>> ways_installed_;  // by home and index there: the way, from 1 on
};

}  // namespace racksim::flowcc
