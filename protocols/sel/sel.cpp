// Latch operations, accesses and inspection of SEL. See sel.hpp.
#include "protocols/sel/sel.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "protocols/sel/thread.hpp"
#include "sim/options/option_error.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::sel {

namespace {

constexpr models::OperationSet kOffers{sim::OperationKind::lock, sim::OperationKind::lock_shared,
                                       sim::OperationKind::unlock};

models::MemoryShape shape_of(const models::ProtocolContext& context, const Options& options) {
  const auto nodes = static_cast<unsigned>(context.rack.nodes());
  const models::Roles roles = context.rack.options().roles.of(nodes);
  if (roles.compute_nodes > LatchWord::kMostNodes) {
    throw sim::OptionError("/rack/roles/compute", fmt::format("{} compute nodes", roles.compute_nodes),
                           fmt::format("at most {}, one bit each in the latch word", LatchWord::kMostNodes));
  }
  if (roles.first_memory_node < roles.compute_nodes) {
    throw sim::OptionError("/rack/roles", "nodes that both compute and hold memory",
                           "compute and memory servers apart, as memory is disaggregated (SELCC §3)");
  }
  if (context.threads_per_node > context.rack.options().cores) {
    throw sim::OptionError("/workload/threads", fmt::format("{} application threads", context.threads_per_node),
                           fmt::format("no more than a node's {} cores", context.rack.options().cores));
  }
  if (!std::has_single_bit(options.line_bytes)) {
    throw sim::OptionError("line", fmt::format("{} bytes", options.line_bytes), "a power of two from 64");
  }
  return {.nodes = nodes,
          .roles = roles,
          .threads_per_node = context.threads_per_node,
          .block_bytes = options.line_bytes,
          .object_bytes = 8,
          .offers = kOffers};
}

const sim::Registration<models::ProtocolEntry> registration({
    .name = "sel",
    .doc = "SEL: one-sided access under a shared-exclusive latch, without caches (baseline of SELCC)",
    .make_options = [] { return std::make_shared<Options>(); },
    // Packets may be lost as long as no reliable connection runs out of retries.
    .tolerates = {"down", "drop", "duplicate", "fast-clock", "hold", "nic-stall", "noise", "partition", "slow-core"},
});

}  // namespace

Counters::Counters(sim::Metrics& m)
    : reads(m.counter("sel.verbs.read", "verbs", "READs of lines")),
      writes(m.counter("sel.verbs.write", "verbs", "WRITEs of what was changed")),
      swaps(m.counter("sel.verbs.compare_swap", "verbs", "compare-and-swaps of latch words")),
      adds(m.counter("sel.verbs.fetch_add", "verbs", "fetch-and-adds to latch words")),
      retries(m.counter("sel.retries", "attempts", "latch operations that found the line latched")),
      undone(m.counter("sel.undone", "verbs", "reader bits taken away since a writer was in the word")),
      local_waits(m.counter("sel.local_waits", "accesses", "accesses that waited for another thread of their node")) {}

/// Sees WRITEs land: that is when they are performed.
class Sel::MemoryServer final : public models::MemoryObserver {
 public:
  MemoryServer(Sel& sel, NodeId node) : sel_(sel), node_(node) {
    key = sel.rack_.server(node).nic().memory().add({.begin = 0, .bytes = std::uint64_t{1} << 50, .observers = {this}});
  }
  void landed(NodeId, std::uint64_t address, std::uint32_t bytes, const models::Content&) override {
    for (std::uint32_t i = 0; i < bytes; i += 8) sel_.landed_write(node_, address + i);
  }
  std::uint32_t key = 0;

 private:
  Sel& sel_;
  NodeId node_;
};

Sel::Sel(models::ProtocolContext& context, const Options& options)
    : MemoryService(context.rack.calendar(), context.rack.event_log(), context.rack.metrics(),
                    shape_of(context, options)),
      rack_(context.rack),
      options_(options),
      lines_(*this),
      counters_(context.rack.metrics()),
      turns_(shape().roles.compute_nodes),
      final_source_(context.rack.event_log().add_source("sel")) {
  for (unsigned i = 0; i < shape().roles.memory_nodes; ++i) {
    servers_.push_back(std::make_unique<MemoryServer>(*this, static_cast<NodeId>(shape().roles.first_memory_node + i)));
  }
  for (std::size_t i = 0; i < sessions(); ++i) threads_.push_back(std::make_unique<Thread>(*this, session_number(i)));
}

Sel::~Sel() = default;

models::RemoteAddress Sel::remote(sim::Key line, std::uint64_t address) const {
  return {address, servers_[lines_.server_of(line)]->key};
}

models::Memory& Sel::memory_of(sim::Key line) const {
  return rack_.server(home_of(line)).nic().memory();
}

void Sel::landed_write(NodeId server, std::uint64_t address) {
  const sim::Key line = lines_.line_at(server, address);
  const auto index = static_cast<std::uint16_t>(address % lines_.stored_bytes() / 8 - 1);
  const auto write = writes_.find(lines_.object_of(line, index));
  if (write == writes_.end()) return;  // of a line whose latch is held for several accesses
  performed(write->second.first, sim::Key{write->first}, write->second.second);
  writes_.erase(write);
}

void Sel::warm_access(models::Session session, models::GlobalAddress address, bool write) {
  if (!write) return;
  const sim::Key object = object_of(address), line = block_of(address);
  const sim::Value value = next_value(session);
  memory_of(line).set_word(lines_.address_of(line, lines_.index_of(object)), value.number());
  performed(kWarmOperation, object, value);
}

void Sel::show_state(sim::StateVisitor& visitor) const {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const auto server = static_cast<NodeId>(shape().roles.first_memory_node + i);
    lines_.visit(
        server, rack_.server(server).nic().memory(), [](sim::Key, std::uint64_t) {},
        [&](sim::Key object, sim::Value value) { visitor.home(object, value); });
  }
}

void Sel::node_crashed(NodeId node) {
  sessions_died(node);
  if (node >= turns_.size()) return;
  turns_[node].clear();
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (session_number(i).node == node) threads_[i]->crash();
  }
}

bool Sel::quiescent() const {
  return std::all_of(threads_.begin(), threads_.end(), [](const auto& thread) { return thread->idle(); });
}

std::vector<models::Leak> Sel::leaks() const {
  std::vector<models::Leak> leaks;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const models::Session session = session_number(i);
    if (!threads_[i]->idle()) {
      leaks.push_back(
          {"stuck-request", fmt::format("thread {} of node {} waits for verbs", session.thread, session.node), {}});
    }
    for (const Held& held : threads_[i]->held) {
      leaks.push_back({"leaked-lock",
                       fmt::format("thread {} of node {} holds the latch of line {}", session.thread, session.node,
                                   sim::printed_key(held.line)),
                       {lines_.object_of(held.line, 0), {}}});
    }
  }
  if (!leaks.empty()) return leaks;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const auto server = static_cast<NodeId>(shape().roles.first_memory_node + i);
    lines_.visit(
        server, rack_.server(server).nic().memory(),
        [&](sim::Key line, std::uint64_t bits) {
          leaks.push_back(
              {"wrong-metadata",
               fmt::format("the latch word of line {} is {:#x}, but nobody holds it", sim::printed_key(line), bits),
               {lines_.object_of(line, 0), {}}});
        },
        [](sim::Key, sim::Value) {});
  }
  return leaks;
}

void Sel::record_final_state() {
  std::map<std::uint64_t, std::uint64_t> values;  // in the order of their keys
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const auto server = static_cast<NodeId>(shape().roles.first_memory_node + i);
    lines_.visit(
        server, rack_.server(server).nic().memory(), [](sim::Key, std::uint64_t) {},
        [&](sim::Key object, sim::Value value) { values[object] = value; });
  }
  for (const auto& [object, value] : values) {
    event_log().record(sim::Observed::final_state, final_source_, calendar().now(), 0, object, value);
  }
}

std::unique_ptr<models::Protocol> Options::build(models::ProtocolContext& context) const {
  return std::make_unique<Sel>(context, *this);
}

}  // namespace racksim::sel
