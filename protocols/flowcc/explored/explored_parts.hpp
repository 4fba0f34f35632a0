// A requester and the home of the exploration: the product's state machines, and what they send. See
// explored_block.hpp.
#pragma once

#include <array>

#include "protocols/flowcc/events/cache_responder.hpp"
#include "protocols/flowcc/events/event_runner.hpp"
#include "protocols/flowcc/events/home_directory.hpp"
#include "protocols/flowcc/explored/explored_block.hpp"

namespace racksim::flowcc {

/// An application thread with its node's cache and cache agent.
class ExploredBlock::Requester final : public EventHost, public ResponderHost {
 public:
  Requester(ExploredBlock& all, NodeId node)
      : events(all.options_.flowcc, all.counters_, all.coverage_, *this, node, RequesterId{node}),
        responder({.options = all.options_.flowcc,
                   .coverage = all.coverage_,
                   .counters = all.counters_,
                   .cache = cache_,
                   .node = node,
                   .requesters = all.requester_numbers()},
                  *this),
        all_(all),
        node_(node) {}

  // The event runner's thread.
  void send(FlowCcHeader& header, sim::OperationId) override {
    header.node_id = node_;
    header.set_index = 0;
    all_.send({.type = ExploredFlight::Type::to_switch, .from = node_, .header = header});
  }
  void write_back(const BlockData& data, std::uint32_t seq, sim::OperationId) override {
    ExploredFlight flight{.type = ExploredFlight::Type::write_back, .from = node_, .to = all_.options_.home()};
    flight.header.requester = node_;
    flight.header.seq = seq;
    flight.data = data;
    all_.send(flight);
  }
  LocalCache& cache() override { return cache_; }
  void permission_changed(Tag, sim::Permission, sim::OperationId) override {}
  void unlock_sent(std::size_t slot) override { waits[slot] = true; }
  void unlock_over(std::size_t slot) override { waits[slot] = false; }
  void unlock_dropped(std::size_t slot) override { waits[slot] = false; }
  void event_settled() override {}
  void event_ended() override {}
  std::string name() const override { return "requester " + std::to_string(node_); }

  // The cache agent's network.
  void acknowledge(const FlowCcHeader& ack, NodeId to, sim::OperationId) override {
    all_.send({.type = ExploredFlight::Type::to_node, .from = node_, .to = to, .header = ack});
  }
  void provide(const FlowCcHeader& request, const BlockData& block, sim::OperationId) override {
    all_.send_data(node_, request, block);
  }
  void began(RequesterId) override {}
  void gave_away(RequesterId, const BlockData&) override {}
  void invalidated(const FlowCcHeader&) override {}

  /// The node's copy, if it may be read.
  const CacheEntry* copy() const {
    const CacheEntry* entry = cache_.find(all_.tag());
    return entry != nullptr && entry->valid() ? entry : nullptr;
  }

  template <class Archive>
  void archive(Archive& archive) {
    archive_entry(archive);
    responder.archive(archive);
    events.archive(archive);
    archive(waits[0], waits[1], begun, completed);
  }

 private:
  LocalCache cache_{LocalCache::kBucketEntries * 4096, 4096};

 public:
  EventRunner events;
  CacheResponder responder;
  std::array<bool, 2> waits{};  ///< by slot: for the acknowledgement of an unlock
  std::uint8_t begun = 0;       ///< events
  bool completed = false;       ///< the event under way, whose unlock has not been sent

 private:
  template <class Archive>
  void archive_entry(Archive& archive) {
    CacheEntry* entry = cache_.find(all_.tag());
    CacheEntry as{};
    if (entry != nullptr) as = *entry;
    archive(as.state, as.busy, as.value, as.version);
    if constexpr (!Archive::kReads) return;
    if (entry != nullptr) LocalCache::empty(*entry);
    if (as.state == CacheEntry::State::empty) return;
    as.tag = all_.tag();
    CacheEntry& made = *cache_.free_entry(as.tag);
    made = as;
    cache_.assign(made, as.tag);
  }

  ExploredBlock& all_;
  NodeId node_;
};

class ExploredBlock::Home final : public DirectoryHost {
 public:
  explicit Home(ExploredBlock& all)
      : directory({.options = all.options_.flowcc,
                   .coverage = all.coverage_,
                   .providers = all.providers_,
                   .counters = all.counters_,
                   .migration = all.migration_counters_,
                   .nodes = all.options_.nodes(),
                   .requesters = all.requester_numbers(),
                   .number = kThreads + all.options_.home(),
                   .first_lock = all.requester_numbers(),
                   .index_mask = (std::uint64_t{1} << kHomeShift) - 1},
                  *this),
        all_(all) {}

  void send(const FlowCcHeader& header, NodeId destination, sim::OperationId) override {
    all_.send({.type = ExploredFlight::Type::to_node, .from = node(), .to = destination, .header = header});
  }
  void send_copy(const FlowCcHeader& header, NodeId destination, sim::OperationId operation) override {
    send(header, destination, operation);
  }
  void provide(const FlowCcHeader& request, sim::OperationId) override {
    all_.send_data(node(), request, {all_.tag(), all_.memory_, all_.memory_version_});
  }
  void send_move(const FlowCcHeader& header, bool) override {
    FlowCcHeader h = header;
    h.node_id = node();
    h.set_index = 0;
    all_.send({.type = ExploredFlight::Type::to_switch, .from = node(), .header = h});
  }
  void stop_waiting() override {}
  void told_of_death(Tag, Copyset) override {}
  sim::Time now() const override { return {}; }

  HomeMigration& migration() { return directory.migration(); }

  HomeDirectory directory;

 private:
  NodeId node() const { return all_.options_.home(); }

  ExploredBlock& all_;
};

template <class Archive>
void ExploredFlight::archive(Archive& archive) {
  FlowCcHeader& h = header;
  archive(type, from, to, h.requester, h.seq);
  if (is_write()) return archive(data.tag, data.value, data.version);
  // Neither what is the same in all packets, nor what ingress tells egress.
  std::uint64_t flags =
      h.is_data_provider | h.is_in_switch << 1 | h.retransmitted << 2 | h.from_home << 3 | h.lost_race << 4;
  archive(h.type, h.receiver, flags, h.global_status, h.node_id, h.serial, h.copyset, h.tag_low, again);
  h.is_data_provider = flags & 1;
  h.is_in_switch = flags >> 1 & 1;
  h.retransmitted = flags >> 2 & 1;
  h.from_home = flags >> 3 & 1;
  h.lost_race = flags >> 4 & 1;
}

}  // namespace racksim::flowcc
