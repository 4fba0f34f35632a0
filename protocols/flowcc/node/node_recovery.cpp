// The steps of a node. See node_recovery.hpp.
#include "protocols/flowcc/node/node_recovery.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "models/host/core_wait.hpp"
#include "protocols/flowcc/node/memory_node.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::flowcc {

NodeRecovery::NodeRecovery(Shared& shared, MemoryNode& node)
    : shared_(shared), node_(node), resumed_(shared.calendar), written_(shared.calendar) {
  if (shared.migration != nullptr) given_away_.resize(shared.requesters());
}

std::uint32_t NodeRecovery::incarnation() const {
  return shared_.incarnations[node_.id()];
}

void NodeRecovery::gave_away(RequesterId requester, const BlockData& block) {
  if (given_away_.empty() || !shared_.options.recovery.given_away) return;
  given_away_[requester] = {.held = true, .block = block};
}

class NodeRecovery::Lists {
 public:
  Lists(NodeRecovery& recovery, std::uint64_t address)
      : recovery_(recovery), address_(address), lists_(recovery.shared_.shape.nodes) {}
  void add(NodeId to, const Heat& block) {
    HeatReport& blocks = lists_[to];
    blocks.blocks[blocks.size++] = block;
    if (blocks.size == HeatReport::kMost) send(to);
  }
  void send_rest() {
    for (NodeId to = 0; to < lists_.size(); ++to) {
      if (lists_[to].size > 0) send(to);
    }
  }

 private:
  void send(NodeId to) {
    ++recovery_.writing_;
    recovery_.node_.cache_agent().endpoint().write_list(to, address_, lists_[to], recovery_.incarnation());
    lists_[to].size = 0;
  }
  NodeRecovery& recovery_;
  std::uint64_t address_;
  std::vector<HeatReport> lists_;
};

void NodeRecovery::stop(std::uint32_t incarnation) {
  stopped_ = true;
  shared_.incarnations[node_.id()] = incarnation;
  models::Nic& nic = shared_.rack.server(node_.id()).nic();
  for (NodeId other = 0; other < shared_.shape.nodes; ++other) {
    nic.cut_off(other);
    if (shared_.absent[other]) node_.forget_requesters_of(other);
  }
  for (const auto& requester : node_.requesters()) {
    requester->visit_runners([this](TimedRunner& runner) { runner.abort(write_backs_); });
  }
  node_.home_agent().forget();
  reports_.clear();
  wanted_.clear();
  written_.notify_all();  // what was being saved, or reported, begins again
}

void NodeRecovery::connect() {
  node_.home_agent().endpoint().connect_again(incarnation());
  node_.cache_agent().endpoint().connect_again(incarnation());
  for (const auto& requester : node_.requesters()) requester->endpoint().connect_again(incarnation());
}

void NodeRecovery::write_home(const BlockData& block) {
  ++writing_;
  const NodeId home = shared_.home_of(block.tag);
  node_.cache_agent().endpoint().write_block(home, DataAddress::global_memory(block.tag), block, true, incarnation(),
                                             0);
}

sim::Task<bool> NodeRecovery::save() {
  begin_writing();
  if (!shared_.options.recovery.write_backs) write_backs_.clear();
  for (const BlockData& block : write_backs_) {
    if (!shared_.takes_part(shared_.home_of(block.tag), incarnation())) continue;
    ++shared_.migration->saved.value;
    write_home(block);
  }
  co_return co_await all_written();
}

std::vector<BlockData> NodeRecovery::kept() const {
  std::vector<BlockData> blocks = homeless_;
  for (const GivenAway& given : given_away_) {
    if (given.held) blocks.push_back(given.block);
  }
  return blocks;
}

sim::Task<bool> NodeRecovery::report() {
  const auto& entries = node_.cache().entries();
  const auto work = shared_.options.recovery.work_per_entry * static_cast<std::int64_t>(entries.size());
  co_await models::occupy(node_.cache_agent().core(), work);
  begin_writing();
  Lists lists(*this, DataAddress::kReport);
  const auto tell = [&](Tag tag, Copy copy, std::uint32_t version) {
    if (!shared_.takes_part(shared_.home_of(tag), incarnation())) return;
    ++shared_.migration->reported.value;
    lists.add(shared_.home_of(tag), {tag, report_of(copy, version)});
  };
  for (const CacheEntry& entry : entries) {
    if (!entry.valid()) continue;
    tell(entry.tag, entry.state == CacheEntry::State::dirty ? Copy::dirty : Copy::clean, entry.version);
  }
  for (const BlockData& block : kept()) tell(block.tag, Copy::kept, block.version);
  for (const BlockLocks::Held& held : node_.locks().held()) {
    if (!shared_.options.recovery.locks) break;
    tell(held.tag, Copy::locked, lock_number(held.number->number().number(), held.number->events().keeps_read_lock()));
  }
  lists.send_rest();
  co_return co_await all_written();
}

void NodeRecovery::begin_writing() {
  writing_ = 0;
  write_failed_ = false;
}

sim::Task<bool> NodeRecovery::all_written() {
  const std::uint32_t begun_in = incarnation();
  while (writing_ > 0 && incarnation() == begun_in) co_await written_.wait();
  co_return writing_ == 0 && !write_failed_;
}

void NodeRecovery::completed(const models::Completion& completion) {
  if (writing_ == 0 || completion.wr_id != incarnation()) return;  // not of this incarnation's steps
  write_failed_ = write_failed_ || completion.status != models::Status::success;
  if (--writing_ == 0) written_.notify_all();
}

void NodeRecovery::reported(NodeId from, const HeatReport& blocks) {
  for (std::uint32_t i = 0; i < blocks.size; ++i) reports_.push_back({from, blocks.blocks[i]});
}

// One dirty copy makes a block Modified, clean ones make it Shared; of the rest nobody has a copy. All are the home's
// from now on, and locked if an application has a lock. A dirty copy is newer than whatever else there is; without one
// the newest of all is to be in memory.
sim::Task<bool> NodeRecovery::rebuild() {
  const auto work = shared_.options.recovery.work_per_report * static_cast<std::int64_t>(reports_.size());
  co_await models::occupy(node_.home_agent().core(), work);
  struct Newest {
    std::uint32_t version = 0;
    NodeId at = 0;
  };
  std::map<Tag, GlobalMetadata> blocks;
  std::map<Tag, Newest> newest;
  for (const Reported& report : reports_) {
    const Tag tag = report.block.tag;
    const auto copy = static_cast<Copy>(report.block.count & 3);
    const std::uint32_t version = report.block.count >> 2;
    if (copy == Copy::locked) {
      node_.home_agent().directory().keep_lock(tag, RequesterId{version >> 1}, (version & 1) != 0);
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
  node_.home_agent().directory().rebuild(blocks);
  begin_writing();
  Lists lists(*this, DataAddress::kWanted);
  for (const auto& [tag, copy] : newest) {
    const auto block = blocks.find(tag);
    const bool dirty = block != blocks.end() && block->second.status == GlobalStatus::modified;
    const bool has_it = copy.version == node_.stored(tag).version;
    if (!dirty && !has_it && shared_.options.recovery.newest_copies) lists.add(copy.at, {tag, 0});
  }
  lists.send_rest();
  co_return co_await all_written();
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
  begin_writing();
  for (const HeatReport& blocks : wanted_) {
    for (std::uint32_t i = 0; i < blocks.size; ++i) {
      ++shared_.migration->supplied.value;
      write_home(newest_of(blocks.blocks[i].tag));
    }
  }
  wanted_.clear();
  co_return co_await all_written();
}

void NodeRecovery::go() {
  stopped_ = false;
  std::vector<BlockData> left = kept();
  left.insert(left.end(), write_backs_.begin(), write_backs_.end());
  std::erase_if(left, [this](const BlockData& block) { return !shared_.is_homeless(block.tag); });
  homeless_ = std::move(left);
  write_backs_.clear();
  for (GivenAway& given : given_away_) given.held = false;
  resumed_.notify_all();
}

sim::Task<void> NodeRecovery::drain() {
  stopped_ = true;
  while (!node_.quiescent()) co_await node_.any_event_ended().wait();
}

void NodeRecovery::crash() {
  stopped_ = true;
  for (GivenAway& given : given_away_) given.held = false;
  write_backs_.clear();
  homeless_.clear();
  reports_.clear();
  wanted_.clear();
  writing_ = 0;
}

}  // namespace racksim::flowcc
