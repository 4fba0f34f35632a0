// Rows of nodes, and what serves them. See partitions.hpp.
#include "models/applications/transactions/two_phase_commit/partitions.hpp"

#include <algorithm>
#include <utility>

#include "sim/options/option_error.hpp"

namespace racksim::app::two_phase_commit {

using models::NodeId;

StoredImages::StoredImages(const EngineContext& context, unsigned threads)
    : memory_(context.memory), places_(context.places), threads_(threads) {
  for (NodeId node = 0; node < memory_.shape().roles.compute_nodes; ++node) {
    for (std::uint16_t thread = 0; thread < threads; ++thread) {
      clients_.push_back(std::make_unique<Client>(context.clients, models::Session{node, thread}));
    }
  }
}

std::uint32_t StoredImages::bytes(std::uint32_t table) const {
  return static_cast<std::uint32_t>(places_.slot_bytes(table));
}

sim::Task<void> StoredImages::load(models::Session by, Row row, std::span<std::byte> into) {
  return client(by).read(places_.address(row, by.node), into);
}

sim::Task<void> StoredImages::store(models::Session by, Row row, std::span<const std::byte> image) {
  return client(by).write(places_.address(row, by.node), image);
}

sim::Task<void> StoredImages::settle(models::Session by) {
  if (memory_.shape().writes_return_early) co_await memory_.fence(by);
}

Partitions::Counters::Counters(sim::Metrics& metrics)
    : distributed(metrics.counter("commit.distributed", "transactions",
                                  "of those that were committed, in which other nodes took part")),
      participants(metrics.counter("commit.participants", "participants", "in these, beside their coordinators")),
      votes_against(metrics.counter("commit.votes_against", "votes",
                                    "of participants that had given up a transaction which was to be committed")) {
  metrics.quotient("commit.participants_per_distributed", "participants",
                   "beside its coordinator, in a transaction in which other nodes took part", {&participants},
                   {&distributed}, sim::Shown::always);
}

Partitions::Part::Part(const EngineContext& context, NodeId node, RowImages& images)
    : participant(
          context.rack.server(node).clock(), context.logs->at(node), locks, images,
          {.patience = context.options.commit.patience, .early_release = context.options.commit.early_release}) {}

namespace {

/// Before anything is made of it.
const EngineContext& checked(const EngineContext& context) {
  if (context.memory.shape().roles.compute_nodes > 1) return context;
  throw sim::OptionError("concurrency", "2pc on one node",
                         "two nodes that compute at least, which parts are dealt out to: on one there is nothing to "
                         "agree on");
}

}  // namespace

Partitions::Partitions(const EngineContext& context)
    : context_(checked(context)),
      nodes_(context.memory.shape().roles.compute_nodes),
      counters_(context.rack.metrics()),
      images_(context, context.threads + static_cast<unsigned>(context.options.commit.server_threads)),
      servers_(context.rack, participants(), context.threads,
               static_cast<std::uint32_t>(most_slot_bytes() + kRequestBytes + kRowHeaderBytes),
               context.options.commit) {}

std::uint64_t Partitions::left_locked() const {
  std::uint64_t sum = 0;
  for (const auto& part : parts_) sum += part->locks.size();
  return sum;
}

std::vector<Participant*> Partitions::participants() {
  std::vector<Participant*> all;
  for (NodeId node = 0; node < nodes_; ++node) {
    parts_.push_back(std::make_unique<Part>(context_, node, images_));
    all.push_back(&parts_.back()->participant);
  }
  return all;
}

std::uint64_t Partitions::most_slot_bytes() const {
  std::uint64_t most = 0;
  for (std::uint32_t table = 0; table < context_.transactions.tables.size(); ++table) {
    most = std::max(most, context_.places.slot_bytes(table));
  }
  return most;
}

NodeId Partitions::node_of(Row row, NodeId asking) const {
  const std::uint64_t keys_per_part = context_.transactions.tables[row.table].keys_per_part;
  if (keys_per_part == 0) return asking;
  return static_cast<NodeId>(row.key / keys_per_part * nodes_ / context_.parts);
}

std::uint64_t Partitions::together(Row row, NodeId asking) const {
  const std::uint64_t in_line = context_.places.together(row);
  if (node_of(row, asking) == asking) return in_line;
  const std::uint64_t room = (context_.rack.options().nic.mtu_bytes - kReplyBytes) / images_.bytes(row.table);
  return std::clamp<std::uint64_t>(room, 1, in_line);
}

}  // namespace racksim::app::two_phase_commit
