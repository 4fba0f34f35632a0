// Registration, queue pairs and what observers see. See memory_servers.hpp.
#include "protocols/latched_memory/memory_servers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "sim/options/option_error.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::latched_memory {

models::MemoryShape disaggregated_shape(const models::ProtocolContext& context, std::uint64_t line_bytes,
                                        unsigned other_threads) {
  const auto nodes = static_cast<unsigned>(context.rack.nodes());
  const models::Roles roles = context.rack.options().roles.of(nodes);
  const std::uint64_t cores = context.rack.options().cores;
  if (roles.first_memory_node < roles.compute_nodes) {
    throw sim::OptionError("/rack/roles", "nodes that both compute and hold memory",
                           "compute and memory servers apart, as memory is disaggregated (SELCC §3)");
  }
  if (context.threads_per_node + other_threads > cores) {
    throw sim::OptionError(
        "/workload/threads", fmt::format("{} application threads", context.threads_per_node),
        fmt::format("with {} of the protocol's no more than a node's {} cores", other_threads, cores));
  }
  if (!std::has_single_bit(line_bytes)) {
    throw sim::OptionError("line", fmt::format("{} bytes", line_bytes), "a power of two from 64");
  }
  return {.nodes = nodes,
          .roles = roles,
          .threads_per_node = context.threads_per_node,
          .block_bytes = line_bytes,
          .object_bytes = LineLayout::kObjectBytes,
          .offers = models::kLocks};
}

models::MemoryShape cached_shape(const models::ProtocolContext& context, std::uint64_t line_bytes,
                                 std::uint32_t frames) {
  constexpr unsigned kHandlerAndEvictor = 2;
  if (frames < context.threads_per_node) {
    throw sim::OptionError("cache", fmt::format("{} frames of {} bytes", frames, line_bytes),
                           fmt::format("at least one for each of {} threads", context.threads_per_node));
  }
  models::MemoryShape shape = disaggregated_shape(context, line_bytes, kHandlerAndEvictor);
  shape.lines_pinned_per_node = frames;  // the evictor takes none that is latched, and who misses takes the last
  return shape;
}

void require_bits(const models::ProtocolContext& context) {
  const unsigned compute = context.rack.options().roles.of(context.rack.nodes()).compute_nodes;
  if (compute <= LatchWord::kMostNodes) return;
  throw sim::OptionError("/rack/roles/compute", fmt::format("{} compute nodes", compute),
                         fmt::format("at most {}, one bit each in the latch word", LatchWord::kMostNodes));
}

void check_latch(sim::OperationKind kind, models::Session session, sim::Key line,
                 std::optional<models::LockMode> held) {
  const auto refuse = [&](const char* what) {
    throw std::invalid_argument(
        fmt::format("thread {} of node {} {} line {}", session.thread, session.node, what, sim::printed_key(line)));
  };
  switch (kind) {
    case sim::OperationKind::unlock:
      if (!held) refuse("gives back a latch that it does not hold, of");
      return;
    case sim::OperationKind::lock:
    case sim::OperationKind::lock_shared:
    case sim::OperationKind::try_lock:
    case sim::OperationKind::try_lock_shared:
      if (held) refuse("asks for a latch that it holds, of");
      return;
    case sim::OperationKind::write:
      if (held == models::LockMode::shared) refuse("writes under a latch that it holds shared, of");
      return;
    default:
      return;
  }
}

/// One server: its registration, and cores that have nothing to do.
class MemoryServers::Server final : models::MemoryObserver, models::CompletionHandler {
 public:
  Server(MemoryServers& all, models::Server& server) : all_(all), server_(server) {
    // All that an offset can name, with the latch words between.
    key = server.nic().memory().add({.begin = 0, .bytes = std::uint64_t{1} << 50, .observers = {this}});
  }

  Pair connect(models::Nic& nic, models::CompletionQueue& queue) {
    models::CompletionQueue& unused = server_.nic().create_completion_queue(server_.core(0), *this);
    auto& here = nic.create_reliable({.sent = queue, .received = queue});
    auto& there = server_.nic().create_reliable({.sent = unused, .received = unused});
    here.connect(server_.node(), there.number());
    there.connect(nic.node(), here.number());
    return {.node = nic.node(), .server = server_.node(), .here = &here, .there = &there};
  }

  std::uint32_t key = 0;

 private:
  void on_completion(const models::Completion&) override {
    throw std::logic_error(fmt::format("a core of memory server {} has got work", server_.node()));
  }
  void landed(NodeId, std::uint64_t address, std::uint32_t bytes, const models::Content&) override {
    const std::uint16_t low = index_at(address % all_.stored_bytes());
    const auto high = static_cast<std::uint16_t>(low + bytes / kObjectBytes);
    for (LineObserver* observer : all_.observers_) {
      observer->written(all_.line_at(server_.node(), address), {.low = low, .high = high});
    }
  }
  void changed(const models::AtomicUpdate& update) override {
    const sim::Key line = all_.line_at(server_.node(), update.address);
    const std::uint64_t offset = update.address % all_.stored_bytes();
    for (LineObserver* observer : all_.observers_) {
      if (offset < kWordBytes) {
        observer->word_changed(update.from, line, LatchWord(update.before), LatchWord(update.after));
      } else {
        observer->object_changed(all_.object_of(line, index_at(offset)), update);
      }
    }
  }

  MemoryServers& all_;
  models::Server& server_;
};

MemoryServers::MemoryServers(models::Rack& rack, const models::MemoryService& memory)
    : LineLayout(memory), rack_(rack), memory_(memory) {
  for (unsigned i = 0; i < memory.shape().roles.memory_nodes; ++i) {
    servers_.push_back(std::make_unique<Server>(*this, rack.server(node_of(i))));
  }
}

MemoryServers::~MemoryServers() = default;

std::vector<models::ReliableConnection*> MemoryServers::connect(models::Nic& nic, models::CompletionQueue& queue) {
  std::vector<models::ReliableConnection*> opened;
  for (const auto& server : servers_) {
    pairs_.push_back(server->connect(nic, queue));
    opened.push_back(pairs_.back().here);
  }
  return opened;
}

void MemoryServers::reconnect(NodeId node) {
  for (const Pair& pair : pairs_) {
    if (pair.node != node) continue;
    const models::Psn first = models::first_psn(rack_.server(node).incarnation());
    pair.here->connect(pair.server, pair.there->number(), first);
    pair.there->connect(pair.node, pair.here->number(), first);
  }
}

std::uint32_t MemoryServers::key_of(sim::Key line) const {
  return servers_[server_of(line)]->key;
}

void MemoryServers::record_final_state(sim::EventLog& event_log, sim::Source source, sim::Time now) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> words, objects;
  visit([&](sim::Key line, LatchWord word) { words.emplace_back(line, word.bits()); },
        [&](sim::Key object, sim::Value value) { objects.emplace_back(object, value); });
  for (auto* all : {&words, &objects}) {
    std::sort(all->begin(), all->end());
    for (const auto& [key, value] : *all) event_log.record(sim::Observed::final_state, source, now, 0, key, value);
  }
}

}  // namespace racksim::latched_memory
