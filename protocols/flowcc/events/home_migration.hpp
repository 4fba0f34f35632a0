// What a home agent does so that its hot blocks are the switch's and its cold ones its own (Concordia §5.2).
//
// For each block it counts how many cache agents it has addressed; at the end of an epoch it gives the hottest to the
// switch, one after the other, each under its own write lock. Blocks come back when the shadow node says that they are
// cold. As printed this breaks single-writer, loses metadata and puts a tag into two ways; migration_options.hpp lists
// the rules that prevent it, and what each prevents. Those of a home:
//
//   * From ADD until the block is back the home refuses requests for it (failed ACK): the switch let them pass because
//     it did not have the block yet, or has it no more.
//   * A request carries the number of the home's last CLEAR that the switch had executed when it let the request pass.
//     One from before the block came back is dropped: its event may be over.
//   * REMOVE is a request: it takes the block's write lock in the switch, and may be refused. Its answer brings the
//     metadata, and can be asked for again; then CLEAR, as an unlock, gives up the block.
//
// A home agent has a requester's numbers of its own: of migrations, which count as events, and of transmissions.
//
// Decided here, for the paper is silent: a block whose lock is busy waits for the next epoch, and after `skips` such
// epochs takes no new holders until it has moved, or a block that is always in use could never move. A lock that an
// application has is waited for without that: it may be held for long, and others may read the block meanwhile. A
// REMOVE that finds the lock taken is given up: the block is not that cold, and the shadow node may ask again.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "protocols/flowcc/rules/hotness.hpp"
#include "protocols/flowcc/rules/messages.hpp"
#include "protocols/flowcc/rules/migration_counters.hpp"
#include "protocols/flowcc/rules/migration_options.hpp"
#include "sim/kernel/invariant.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::flowcc {

/// What a home agent lends to its migrations.
class MigrationHost {
 public:
  /// Takes the block's write lock at home for a migration; false if it is busy.
  virtual bool lock_to_move(Tag tag) = 0;
  virtual void unlock_moved(Tag tag) = 0;
  /// Whether an application has the lock that a block which does not move is in (block_locks.hpp).
  virtual bool locked_by_application(Tag tag) const = 0;
  virtual GlobalMetadata metadata_to_move(Tag tag) const = 0;
  virtual void set_moved_metadata(Tag tag, GlobalMetadata metadata) = 0;
  /// Sends a packet of a migration to the switch, and has `timed_out` called if nothing comes of it.
  virtual void send_move(const FlowCcHeader& header, bool again) = 0;
  /// It has been answered.
  virtual void stop_waiting() = 0;

 protected:
  ~MigrationHost() = default;
};

class HomeMigration {
 public:
  /// `requester` is the home agent's number as a requester. Where blocks do not migrate (`counts_heat` is false) none is
  /// ever hot, and all stay at home.
  HomeMigration(const MigrationOptions& options, MigrationCounters& counters, unsigned requester, MigrationHost& host,
                bool counts_heat);

  /// What becomes of a request that the switch has passed on to the home as the block's owner.
  enum class Admission : std::uint8_t { serve, refuse, drop };
  Admission admit(const FlowCcHeader& request) const;
  /// Whether a block waits for its lock to be free, and takes no new holders meanwhile.
  bool drains(Tag tag) const {
    const BlockRecord* record = records_.find(tag);
    return record != nullptr && record->drains;
  }
  /// A request has been sent on to so many cache agents.
  void addressed(Tag tag, std::uint32_t agents) { hotness_.add(tag, agents); }
  /// A lock has been given back at home.
  void unlocked(Tag tag) {
    if (drains(tag)) begin_next();
  }

  /// Moves the hottest blocks of the epoch.
  void end_epoch();
  /// Blocks that were counted in this epoch.
  std::size_t counted() const { return hotness_.size(); }
  /// The shadow node would have a block back at its home.
  void remove(Tag tag);
  /// An answer of the switch.
  void answered(const FlowCcHeader& answer);
  /// The latest packet was not answered in time.
  void timed_out() {
    RACKSIM_INVARIANT(move_.has_value(), "what times out is a migration that is under way");
    transmit(true);
  }
  /// The home is the owner of all its blocks again: a recovery has begun. Numbers go on.
  void forget();
  /// The node has crashed: the next numbers are 1.
  void crash() {
    forget();
    seq_ = serial_ = 0;
  }
  /// The next few blocks in the switch, in turn.
  void list(HeatReport& report, std::size_t most);

  /// Whether the home is the owner that would grant a request for the block now.
  bool would_grant(Tag tag) const {
    return rules_.mark ? standing(tag) == Standing::home : standing(tag) != Standing::leaving;
  }
  /// Whether the home takes the switch for the block's owner, or has asked it to be.
  bool is_away(Tag tag) const { return standing(tag) != Standing::home; }
  /// Calls `visit(tag)` for each block that the switch has, as far as the home knows.
  template <class Visit>
  void visit_away(Visit&& visit) const {
    for (const Tag tag : away_) visit(tag);
  }
  bool idle() const { return !move_ && removals_.empty() && candidates_.empty() && draining_.empty(); }
  /// The migration under way: "ADD of block 0x40 (seq 3)"; empty if there is none.
  std::string describe() const {
    if (!move_) return "";
    return fmt::format("{} of block {} (seq {})", to_string(move_->type), sim::printed_key(move_->tag), move_->seq);
  }
  /// Its block.
  std::optional<Tag> moving() const { return move_ ? std::optional(move_->tag) : std::nullopt; }

  /// Passes all to `archive` (sim/exploration/archive.hpp) but what is counted in this epoch: nothing.
  template <class Archive>
  void archive(Archive& archive) {
    archive_records(archive);
    const auto tag = [&](Tag& one) { archive(one); };
    archive.list(away_, tag);
    archive.list(removals_, tag);
    archive.list(candidates_, tag);
    archive.list(draining_, tag);
    archive.maybe(move_, [&](Move& move) {
      archive(move.type, move.tag, move.seq, move.latest_serial, move.metadata.status, move.metadata.copyset);
    });
    archive(next_listed_, seq_, serial_);
    if constexpr (Archive::kReads) hotness_.clear();
  }

 private:
  enum class Standing : std::uint8_t {
    home,
    leaving,   ///< ADD is under way
    away,      ///< the switch has it
    returning  ///< REMOVE or CLEAR is under way
  };
  struct BlockRecord {
    std::uint32_t returned_by = 0;  ///< number of the CLEAR by which it came back last
    std::uint32_t skips = 0;        ///< epochs, since it moved last, at whose end its lock was busy
    std::uint32_t listed_at = 0;    ///< index in away_
    Standing standing = Standing::home;
    bool drains = false;
  };
  struct Move {
    MessageType type{};
    Tag tag;
    std::uint32_t seq = 0;
    std::uint32_t latest_serial = 0;
    GlobalMetadata metadata{};
  };

  template <class Archive>
  void archive_records(Archive& archive) {
    struct Named {
      Tag tag;
      BlockRecord record;
    };
    std::vector<Named> all;
    if constexpr (!Archive::kReads) {
      records_.for_each([&](std::uint64_t tag, const BlockRecord& record) { all.push_back({Tag{tag}, record}); });
      std::sort(all.begin(), all.end(), [](const Named& a, const Named& b) { return a.tag < b.tag; });
    }
    archive.list(all, [&](Named& one) {
      BlockRecord& record = one.record;
      archive(one.tag, record.returned_by, record.skips, record.listed_at, record.standing, record.drains);
    });
    if constexpr (Archive::kReads) {
      records_ = {};
      for (const Named& one : all) records_[one.tag] = one.record;
    }
  }
  Standing standing(Tag tag) const {
    const BlockRecord* record = records_.find(tag);
    return record == nullptr ? Standing::home : record->standing;
  }
  // Removals go first: they make room.
  void begin_next() {
    while (!move_ && (begin_removal() || begin_drained() || begin_candidate())) {
    }
  }
  bool begin_removal();
  bool begin_drained();
  bool begin_candidate();
  void begin_add(Tag tag, BlockRecord& record);
  void transmit(bool again);
  void added();
  void collided();
  void returned(std::uint32_t seq);
  void end_move() {
    host_.stop_waiting();
    move_.reset();
    begin_next();
  }
  void leave_away(BlockRecord& record);

  MigrationOptions options_;
  MigrationRules rules_;
  MigrationCounters& counters_;
  unsigned requester_;
  MigrationHost& host_;
  Hotness hotness_;
  sim::FlatMap<BlockRecord> records_;  // of blocks that have ever been chosen
  std::vector<Tag> away_;              // in the switch, in no order
  std::size_t next_listed_ = 0;        // in away_
  std::deque<Tag> removals_;           // that the shadow node has asked for
  std::deque<Tag> candidates_;         // hot ones of the last epoch, the hottest first
  std::vector<Tag> draining_;          // hot ones that wait for their lock
  std::optional<Move> move_;           // one at a time
  std::uint32_t seq_ = 0, serial_ = 0;
};

}  // namespace racksim::flowcc
