// The parts of allocation together, and what is left of it at rest. See allocation.hpp.
#include "protocols/flowcc/allocation/allocation.hpp"

#include <fmt/core.h>

#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "models/packets/addressing.hpp"
#include "p4model/language/headers.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::flowcc {

Allocation::Allocation(Shared& shared, const std::vector<std::unique_ptr<MemoryNode>>& nodes,
                       models::MemoryAllocator& memory)
    : shared_(shared), nodes_(nodes), counters_{shared.rack.metrics()}, pieces_(shared.options.block_bytes) {
  sim::Metrics& metrics = shared.rack.metrics();
  metrics.computed("flowcc.allocation.used_bytes", "bytes", "in pieces that are allocated, at the end",
                   [this] { return static_cast<double>(pieces_.bytes()); });
  metrics.computed("flowcc.allocation.free_bytes", "bytes", "that living threads have and nobody uses, at the end",
                   [this] { return unused_bytes(); });
  for (const auto& node : nodes) {
    models::Core& core = shared.rack.server(node->id()).core(shared.shape.threads_per_node);
    servers_.push_back(std::make_unique<ChunkServer>(shared, *node, core, memory, counters_));
    qpns_.push_back(servers_.back()->qpn());
  }
  for (const auto& node : nodes) {
    for (unsigned thread = 0; thread < shared.shape.threads_per_node; ++thread) {
      models::Core& core = shared.rack.server(node->id()).core(thread);
      threads_.push_back(std::make_unique<ThreadAllocator>(shared, *node, thread, core, pieces_, qpns_, counters_));
    }
  }
}

void Allocation::node_crashed(NodeId node) {
  anybody_died_ = true;
  for (const auto& server : servers_) {
    for (const ChunkServer::Given& given : server->given()) {
      const bool of_node = given.requester / shared_.shape.threads_per_node == node;
      const std::uint64_t chunks = given.bytes / shared_.options.chunk_bytes;
      if (of_node) counters_.chunks_of_dead_nodes.value += chunks;
      if (!of_node && given.first.home() == node) counters_.chunks_at_dead_nodes.value += chunks;
    }
  }
  for (unsigned thread = 0; thread < shared_.shape.threads_per_node; ++thread) {
    threads_[shared_.requester_of(node, thread)]->crash();
  }
}

void Allocation::add_waits(std::vector<sim::Wait>& waits) const {
  for (const auto& thread : threads_) {
    if (thread->quiescent()) continue;
    waits.push_back({.who = thread->name(),
                     .whom = fmt::format("home agent of node{}", thread->asked()),
                     .why = thread->describe() + ": an answer"});
  }
}

std::optional<models::PacketDescription> Allocation::describe(const p4::Packet& packet, unsigned threads_per_node) {
  const auto* h = packet.find<AllocationHeader>();
  if (h == nullptr) return std::nullopt;
  const std::string thread = fmt::format("n{}.t{}", h->node_id, h->requester % threads_per_node);
  const auto& ip = packet.get<p4::Ipv4>();
  if (h->message_type() == AllocationType::request) {
    return models::PacketDescription{.label = fmt::format("request {} for {} bytes", h->seq, h->bytes),
                                     .key = {},
                                     .from = thread,
                                     .to = fmt::format("n{}.home", models::node_of_ipv4(ip.dst))};
  }
  const std::string home = fmt::format("n{}.home", models::node_of_ipv4(ip.src));
  if (h->message_type() == AllocationType::refused) {
    return models::PacketDescription{
        .label = fmt::format("no room for request {}", h->seq), .key = {}, .from = home, .to = thread};
  }
  return models::PacketDescription{
      .label = fmt::format("{} bytes at {:#x} for request {}", h->bytes, h->address, h->seq),
      .key = {},
      .from = home,
      .to = thread};
}

std::vector<models::Leak> Allocation::leaks() const {
  std::vector<models::Leak> leaks;
  for (const auto& thread : threads_) {
    if (!thread->quiescent()) leaks.push_back({"stuck-request", thread->name() + ": " + thread->describe(), {}});
  }
  for (const auto& server : servers_) {
    for (const ChunkServer::Given& given : server->given()) {
      const ThreadAllocator& thread = *threads_[given.requester];
      if (nodes_[given.requester / shared_.shape.threads_per_node]->crashed() || thread.has_or_will(given)) continue;
      leaks.push_back({"leaked-chunk",
                       fmt::format("{} bytes at {:#x} were given to {} for its request {}, which does not know of them",
                                   given.bytes, given.first.value, thread.name(), given.seq),
                       {shared_.memory.block_of(given.first), {}}});
    }
  }
  if (leaks.empty()) add_wrong_parts(leaks);
  return leaks;
}

// All parts of the chunks in the order of their addresses: pieces in use, and what threads have free. Between them is
// nothing but the rests of blocks, each of less than a piece of its block; more is missing only with what dead threads
// had.
void Allocation::add_wrong_parts(std::vector<models::Leak>& leaks) const {
  struct Part {
    std::uint64_t bytes;
    std::string whose;
  };
  std::map<std::uint64_t, Part> parts;
  const auto wrong = [&](const char* kind, std::uint64_t first, std::string what) {
    leaks.push_back({kind, std::move(what), {shared_.memory.block_of({first}), {}}});
  };
  const auto add = [&](models::GlobalAddress first, std::uint64_t bytes, const std::string& whose) {
    const auto [part, is_new] = parts.try_emplace(first.value, Part{bytes, whose});
    if (is_new) return;
    wrong("overlapping-memory", first.value,
          fmt::format("{} bytes at {:#x} are {} and {}", bytes, first.value, part->second.whose, whose));
  };
  pieces_.visit([&](models::GlobalAddress first, std::uint64_t bytes) { add(first, bytes, "in use"); });
  for (const auto& thread : threads_) {
    const std::string whose = "free at " + thread->name();
    thread->visit_free([&](models::GlobalAddress first, std::uint64_t bytes) { add(first, bytes, whose); });
  }
  models::FreeExtents chunks;  // of all threads: what is free may reach from one into the next
  for (const auto& thread : threads_) {
    for (const ChunkServer::Given& chunk : thread->chunks()) models::give_back(chunks, chunk.first.value, chunk.bytes);
  }
  const std::uint64_t block = shared_.options.block_bytes;
  for (const auto& [first, bytes] : chunks) {
    std::uint64_t reached = first, piece = 0;
    const auto skip_to = [&](std::uint64_t next) {
      const bool rest = piece < block && next - reached < piece && next % block == 0;
      if (next == reached || rest || anybody_died_) return;
      wrong("leaked-memory", reached,
            fmt::format("{} bytes at {:#x} are neither in use nor free", next - reached, reached));
    };
    for (auto part = parts.lower_bound(first); part != parts.end() && part->first < first + bytes; ++part) {
      if (part->first < reached) {
        wrong("overlapping-memory", part->first,
              fmt::format("{} bytes at {:#x} are {}, and their beginning is {}", part->second.bytes, part->first,
                          part->second.whose, std::prev(part)->second.whose));
      } else {
        skip_to(part->first);
      }
      piece = part->second.bytes;
      reached = std::max(reached, part->first + piece);
    }
    skip_to(std::max(reached, first + bytes));
  }
}

void Allocation::record_final_state(sim::Source source) const {
  for (const auto& thread : threads_) {
    for (const ChunkServer::Given& chunk : thread->chunks()) {
      shared_.event_log.record(sim::Observed::final_state, source, shared_.calendar.now(),
                               sim::OperationId{chunk.requester.number()}, shared_.memory.block_of(chunk.first),
                               chunk.bytes, chunk.seq);
    }
  }
}

double Allocation::unused_bytes() const {
  double unused = 0;
  for (const auto& thread : threads_) {
    if (!nodes_[thread->requester() / shared_.shape.threads_per_node]->crashed()) {
      unused += static_cast<double>(thread->free_bytes());
    }
  }
  return unused;
}

}  // namespace racksim::flowcc
