// The steps of a node. See node_recovery.hpp.
#include "protocols/flowcc/node_recovery.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "models/host/core_wait.hpp"
#include "protocols/flowcc/memory_node.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::flowcc {

NodeRecovery::NodeRecovery(Shared& shared, MemoryNode& node)
    : shared_(shared), node_(node), resumed_(shared.calendar), written_(shared.calendar) {
  if (shared.migration != nullptr) given_away_.resize(shared.requesters());
}

std::uint32_t NodeRecovery::incarnation() const {
  return shared_.incarnations[node_.id()];
}

void NodeRecovery::gave_away(RequesterId requester, Seq seq, Tag tag, sim::Value value) {
  if (given_away_.empty()) return;
  given_away_[requester] = {.held = true, .seq = static_cast<std::uint32_t>(seq), .block = {tag, value}};
}

void NodeRecovery::stop(std::uint32_t incarnation, std::vector<AbortedEvent>& aborted) {
  stopped_ = true;
  shared_.incarnations[node_.id()] = incarnation;
  models::Nic& nic = shared_.rack.server(node_.id()).nic();
  for (NodeId other = 0; other < shared_.shape.nodes; ++other) nic.cut_off(other);
  for (const auto& requester : node_.requesters()) {
    if (const auto seq = requester->abort(write_backs_)) aborted.push_back({requester->number(), *seq});
  }
  node_.home_agent().forget();
  reports_.clear();
  written_.notify_all();  // what was being saved, or reported, begins again
}

void NodeRecovery::connect() {
  node_.home_agent().endpoint().connect_again(incarnation());
  node_.cache_agent().endpoint().connect_again(incarnation());
  for (const auto& requester : node_.requesters()) requester->endpoint().connect_again(incarnation());
}

sim::Task<bool> NodeRecovery::save(const std::vector<AbortedEvent>& aborted) {
  std::vector<BlockData> blocks;
  if (shared_.options.recovery.write_backs) blocks = write_backs_;
  for (const AbortedEvent& event : aborted) {
    const GivenAway& given = given_away_[event.requester];
    if (shared_.options.recovery.given_away && given.held && given.seq == event.seq) blocks.push_back(given.block);
  }
  writing_ = 0;
  write_failed_ = false;
  for (const BlockData& block : blocks) {
    ++writing_;
    ++shared_.migration->saved.value;
    node_.cache_agent().endpoint().write_block(shared_.home_of(block.tag), DataAddress::global_memory(block.tag),
                                               block.tag, block.value, true, incarnation(), 0);
  }
  co_return co_await all_written();
}

sim::Task<bool> NodeRecovery::report() {
  const auto& entries = node_.cache().entries();
  const auto work = shared_.options.recovery.work_per_entry * static_cast<std::int64_t>(entries.size());
  co_await models::occupy(node_.cache_agent().core(), work);
  writing_ = 0;
  write_failed_ = false;
  std::vector<HeatReport> by_home(shared_.shape.nodes);
  const auto send = [this](NodeId home, HeatReport& blocks) {
    if (blocks.size == 0) return;
    ++writing_;
    node_.cache_agent().endpoint().write_report(home, blocks, incarnation());
    blocks.size = 0;
  };
  for (const CacheEntry& entry : entries) {
    if (!entry.valid()) continue;
    const NodeId home = shared_.home_of(entry.tag);
    HeatReport& blocks = by_home[home];
    blocks.blocks[blocks.size++] = {entry.tag, entry.state == CacheEntry::State::dirty ? 1u : 0u};
    ++shared_.migration->reported.value;
    if (blocks.size == HeatReport::kMost) send(home, blocks);
  }
  for (NodeId home = 0; home < shared_.shape.nodes; ++home) send(home, by_home[home]);
  co_return co_await all_written();
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
// from now on.
sim::Task<void> NodeRecovery::rebuild() {
  const auto work = shared_.options.recovery.work_per_report * static_cast<std::int64_t>(reports_.size());
  co_await models::occupy(node_.home_agent().core(), work);
  std::map<Tag, GlobalMetadata> blocks;
  for (const Reported& report : reports_) {
    GlobalMetadata& block = blocks[report.block.tag];
    const bool dirty = report.block.count != 0;
    RACKSIM_INVARIANT(block.status != GlobalStatus::modified && !(dirty && block.status == GlobalStatus::shared),
                      "a dirty copy of a block is its only one");
    block.status = dirty ? GlobalStatus::modified : GlobalStatus::shared;
    block.copyset |= node_bit(report.from);
  }
  node_.home_agent().rebuild(blocks);
}

void NodeRecovery::go() {
  stopped_ = false;
  write_backs_.clear();
  for (GivenAway& given : given_away_) given.held = false;
  resumed_.notify_all();
}

}  // namespace racksim::flowcc
