// The steps of a node. See node_recovery.hpp.
#include "protocols/flowcc/node/node_recovery.hpp"

#include <map>

#include "models/host/core_wait.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::flowcc {

void NodeRecovery::stop(std::uint32_t incarnation) {
  node_.stop();
  shared_.incarnations[node_.id()] = incarnation;
  models::Nic& nic = shared_.rack.server(node_.id()).nic();
  for (NodeId other = 0; other < shared_.shape.nodes; ++other) {
    nic.cut_off(other);
    if (shared_.absent[other]) forget_requesters_of(other);
  }
  for (const auto& requester : parts_.requesters) {
    requester->visit_runners([this](TimedRunner& runner) { runner.abort(write_backs_); });
  }
  node_.lock_log().holders_died();
  parts_.home_agent.forget();
  reports_.clear();
  wanted_.clear();
  writes_.stop();  // what was being saved, or reported, begins again
}

void NodeRecovery::connect() {
  node_.lock_log().choose_witness();
  parts_.home_agent.endpoint().connect_again(incarnation());
  parts_.cache_agent.endpoint().connect_again(incarnation());
  for (const auto& requester : parts_.requesters) requester->endpoint().connect_again(incarnation());
}

void NodeRecovery::forget_requesters_of(NodeId dead) {
  for (unsigned number = 0; number < shared_.requesters(); ++number) {
    if (shared_.is_home(number) || shared_.node_of(number) != dead) continue;
    parts_.home_agent.directory().forget_requester(RequesterId{number});
    parts_.cache_agent.forget_requester(RequesterId{number});
  }
}

sim::Task<bool> NodeRecovery::save() {
  writes_.begin();
  if (!shared_.options.recovery.write_backs) write_backs_.clear();
  for (const BlockData& block : write_backs_) {
    if (!shared_.takes_part(shared_.home_of(block.tag), incarnation())) continue;
    ++shared_.migration.saved.value;
    writes_.write_home(block);
  }
  co_return co_await writes_.all_written();
}

std::vector<BlockData> NodeRecovery::kept() const {
  std::vector<BlockData> blocks = homeless_;
  parts_.cache_agent.given_away().visit([&](const BlockData& block) { blocks.push_back(block); });
  return blocks;
}

sim::Task<bool> NodeRecovery::report() {
  const auto& entries = node_.cache().entries();
  const auto work = RecoveryOptions::kWorkPerEntry * static_cast<std::int64_t>(entries.size());
  co_await models::occupy(parts_.cache_agent.core(), work);
  writes_.begin();
  const auto tell = [&](Tag tag, Copy copy, std::uint32_t version) {
    if (!shared_.takes_part(shared_.home_of(tag), incarnation())) return;
    ++shared_.migration.reported.value;
    writes_.list(shared_.home_of(tag), DataAddress::kReport, {tag, report_of(copy, version)});
  };
  for (const CacheEntry& entry : entries) {
    if (!entry.valid()) continue;
    tell(entry.tag, entry.state == CacheEntry::State::dirty ? Copy::dirty : Copy::clean, entry.version);
  }
  for (const BlockData& block : kept()) tell(block.tag, Copy::kept, block.version);
  for (const BlockLocks::Held& held : parts_.locks.held()) {
    if (const auto witness = node_.lock_log().witness())
      writes_.write_log(*witness, held.tag, held.number->number().number());
    if (!shared_.options.recovery.locks) continue;
    tell(held.tag, Copy::locked, lock_number(held.number->number().number(), held.number->events().keeps_read_lock()));
  }
  for (const Tag tag : node_.lock_log().orphans()) {
    if (shared_.takes_part(shared_.home_of(tag), incarnation())) ++shared_.migration.orphans.value;
    tell(tag, Copy::orphaned, 0);
  }
  writes_.send_lists(DataAddress::kReport);
  co_return co_await writes_.all_written();
}

// One dirty copy makes a block Modified, clean ones make it Shared; of the rest nobody has a copy. All are the home's
// from now on, and locked if an application has a lock. A dirty copy is newer than whatever else there is; without one
// the newest of all is to be in memory.
sim::Task<bool> NodeRecovery::rebuild() {
  const auto work = RecoveryOptions::kWorkPerReport * static_cast<std::int64_t>(reports_.size());
  co_await models::occupy(parts_.home_agent.core(), work);
  struct Newest {
    std::uint32_t version = 0;
    NodeId at = 0;
  };
  std::map<Tag, GlobalMetadata> blocks;
  std::map<Tag, Newest> newest;
  for (const Reported& report : reports_) {
    const Tag tag = report.block.tag;
    const auto copy = static_cast<Copy>(report.block.count & ((1u << kCopyBits) - 1));
    const std::uint32_t version = report.block.count >> kCopyBits;
    if (copy == Copy::locked) {
      parts_.home_agent.directory().keep_lock(tag, RequesterId{version >> 1}, (version & 1) != 0);
      continue;
    }
    if (copy == Copy::orphaned) {
      parts_.home_agent.directory().add_orphan(tag, report.from);
      continue;
    }
    if (copy != Copy::kept) {
      GlobalMetadata& block = blocks[tag];
      const bool dirty = copy == Copy::dirty;
      RACKSIM_INVARIANT(block.status != GlobalStatus::modified && !(dirty && block.status == GlobalStatus::shared),
                        "a dirty copy of a block is its only one");
      block.status = dirty ? GlobalStatus::modified : GlobalStatus::shared;
      block.copyset |= node_bit(report.from);
    }
    Newest& known = newest.try_emplace(tag, Newest{node_.stored(tag).version, node_.id()}).first->second;
    if (version > known.version) known = {version, report.from};
  }
  parts_.home_agent.directory().rebuild(blocks);
  writes_.begin();
  for (const auto& [tag, copy] : newest) {
    const auto block = blocks.find(tag);
    const bool dirty = block != blocks.end() && block->second.status == GlobalStatus::modified;
    const bool has_it = copy.version == node_.stored(tag).version;
    if (!dirty && !has_it && shared_.options.recovery.newest_copies) {
      writes_.list(copy.at, DataAddress::kWanted, {tag, 0});
    }
  }
  writes_.send_lists(DataAddress::kWanted);
  co_return co_await writes_.all_written();
}

BlockData NodeRecovery::newest_of(Tag tag) const {
  BlockData newest;
  if (const CacheEntry* entry = node_.cache().find(tag); entry != nullptr && entry->valid()) {
    newest = {tag, entry->value, entry->version};
  }
  for (const BlockData& block : kept()) {
    if (block.tag == tag && block.version > newest.version) newest = block;
  }
  return newest;
}

sim::Task<bool> NodeRecovery::supply() {
  writes_.begin();
  for (const HeatReport& blocks : wanted_) {
    for (std::uint32_t i = 0; i < blocks.size; ++i) {
      ++shared_.migration.supplied.value;
      writes_.write_home(newest_of(blocks.blocks[i].tag));
    }
  }
  wanted_.clear();
  co_return co_await writes_.all_written();
}

void NodeRecovery::go() {
  std::vector<BlockData> left = kept();
  left.insert(left.end(), write_backs_.begin(), write_backs_.end());
  std::erase_if(left, [this](const BlockData& block) { return !shared_.is_homeless(block.tag); });
  homeless_ = std::move(left);
  write_backs_.clear();
  parts_.cache_agent.given_away().forget_all();
  node_.lock_log().drop_old();
  for (const auto& requester : parts_.requesters) {
    requester->visit_runners([](TimedRunner& runner) { runner.locks_logged(); });
  }
  node_.resume();
}

sim::Task<void> NodeRecovery::drain() {
  node_.stop();
  while (!quiescent(node_)) co_await node_.any_event_ended().wait();
}

void NodeRecovery::crash() {
  node_.stop();
  write_backs_.clear();
  homeless_.clear();
  reports_.clear();
  wanted_.clear();
}

}  // namespace racksim::flowcc
