// Assembly, measuring and inspection of SELCC. See selcc.hpp.
#include "protocols/selcc/selcc.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <set>

#include "models/host/core_wait.hpp"
#include "sim/options/option_error.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::selcc {

namespace {

constexpr models::OperationSet kOffers{sim::OperationKind::lock, sim::OperationKind::lock_shared,
                                       sim::OperationKind::unlock};

models::MemoryShape shape_of(const models::ProtocolContext& context, const Options& options) {
  const auto nodes = static_cast<unsigned>(context.rack.nodes());
  const models::Roles roles = context.rack.options().roles.of(nodes);
  const auto refuse = [](std::string what, std::string found, std::string expected) {
    throw sim::OptionError(std::move(what), std::move(found), std::move(expected));
  };
  if (roles.compute_nodes > LatchWord::kMostNodes) {
    refuse("/rack/roles/compute", fmt::format("{} compute nodes", roles.compute_nodes),
           fmt::format("at most {}, one bit each in the latch word (SELCC §4.3.1)", LatchWord::kMostNodes));
  }
  if (roles.first_memory_node < roles.compute_nodes) {
    refuse("/rack/roles", "nodes that both compute and hold memory",
           "compute and memory servers apart, as memory is disaggregated (SELCC §3)");
  }
  const std::uint64_t cores = context.rack.options().cores;
  if (context.threads_per_node + 2 > cores) {
    refuse("/workload/threads", fmt::format("{} application threads", context.threads_per_node),
           fmt::format("with a handler and an evictor no more than a node's {} cores", cores));
  }
  if (!std::has_single_bit(options.line_bytes)) {
    refuse("line", fmt::format("{} bytes", options.line_bytes), "a power of two from 64");
  }
  if (options.frames() < context.threads_per_node) {
    refuse("cache", fmt::format("{} frames of {} bytes", options.frames(), options.line_bytes),
           fmt::format("at least one for each of {} threads", context.threads_per_node));
  }
  return {.nodes = nodes,
          .roles = roles,
          .threads_per_node = context.threads_per_node,
          .block_bytes = options.line_bytes,
          .object_bytes = 8,
          .offers = kOffers};
}

const sim::Registration<models::ProtocolEntry> registration({
    .name = "selcc",
    .doc = "SELCC: coherent caches over disaggregated memory by one-sided RDMA (PVLDB 18, 2025)",
    .make_options = [] { return std::make_shared<Options>(); },
    // Packets may be lost as long as no reliable connection runs out of retries.
    .tolerates = {"down", "drop", "duplicate", "fast-clock", "hold", "nic-stall", "noise", "partition", "slow-core"},
    .coverage = coverage_map(),
    .tables = {Step::table()},
    .mechanisms = {{"of the accesses needed no verb", "selcc.local_accesses", "selcc.accesses"}},
});

}  // namespace

Selcc::Selcc(models::ProtocolContext& context, const Options& options)
    : MemoryService(context.rack.calendar(), context.rack.event_log(), context.rack.metrics(),
                    shape_of(context, options)),
      rack_(context.rack),
      options_(options),
      counters_(context.rack.metrics()),
      shared_{.rack = context.rack,
              .options = options_,
              .memory = *this,
              .lines = latched_memory::LineLayout(*this),
              .counters = counters_,
              .coverage = context.coverage,
              .source = context.rack.event_log().add_source("selcc/permissions")},
      final_source_(context.rack.event_log().add_source("selcc")),
      local_share_(
          context.rack.metrics().gauge("selcc.local_share", "share", "measured accesses that needed no verb", 0)),
      invalidation_share_(context.rack.metrics().gauge("selcc.invalidation_share", "share",
                                                       "measured accesses that sent invalidations (Figure 9)", 0)) {
  const models::Roles& roles = shape().roles;
  for (unsigned i = 0; i < roles.memory_nodes; ++i) {
    const auto server = static_cast<NodeId>(roles.first_memory_node + i);
    server_words_.push_back(std::make_unique<ServerWords>(*this, server));
    shared_.memory_keys.push_back(rack_.server(server).nic().memory().add(
        {.begin = 0, .bytes = std::uint64_t{1} << 50, .observers = {server_words_.back().get()}}));
  }
  for (NodeId id = 0; id < roles.compute_nodes; ++id) {
    nodes_.push_back(std::make_unique<ComputeNode>(shared_, id, context.threads_per_node));
    shared_.nodes.push_back(nodes_.back().get());
  }
  for (NodeId a = 0; a < nodes_.size(); ++a) {
    for (NodeId b = static_cast<NodeId>(a + 1); b < nodes_.size(); ++b) ComputeNode::connect(*nodes_[a], *nodes_[b]);
  }
}

sim::Task<sim::Value> Selcc::do_read(models::Session session, sim::Key object, sim::OperationId operation) {
  return nodes_[session.node]->read(session.thread, object, operation);
}

sim::Task<void> Selcc::do_write(models::Session session, sim::Key object, sim::Value value,
                                sim::OperationId operation) {
  return nodes_[session.node]->write(session.thread, object, value, operation);
}

sim::Task<void> Selcc::do_lock(models::Session session, sim::Key line, models::LockMode mode,
                               sim::OperationId operation) {
  co_await models::occupy(rack_.server(session.node).core(session.thread), options_.local_access);
  co_await nodes_[session.node]->lock(session.thread, line, mode == models::LockMode::exclusive, operation);
}

sim::Task<void> Selcc::do_unlock(models::Session session, sim::Key line, sim::OperationId) {
  co_await models::occupy(rack_.server(session.node).core(session.thread), options_.local_access);
  nodes_[session.node]->unlock(session.thread, line);
}

void Selcc::ServerWords::changed(NodeId from, std::uint64_t address, std::uint64_t before, std::uint64_t after) {
  if (address % selcc_.shared_.lines.stored_bytes() != 0) return;
  for (WordObserver* observer : selcc_.word_observers_) {
    observer->changed(from, selcc_.shared_.lines.line_at(server_, address), LatchWord(before), LatchWord(after));
  }
}

LatchWord Selcc::word_of(sim::Key line) const {
  return LatchWord(shared_.memory_of(line).word(shared_.lines.address_of(line)));
}

void Selcc::set_word(sim::Key line, std::uint64_t word) {
  shared_.memory_of(line).set_word(shared_.lines.address_of(line), word);
}

void Selcc::node_crashed(NodeId node) {
  sessions_died(node);
  if (node < nodes_.size()) nodes_[node]->crash();
}

void Selcc::show_state(sim::StateVisitor& visitor) const {
  for (const auto& node : nodes_) {
    node->cache().for_each([&](const Frame& frame) {
      const sim::Permission permission = permission_of(frame.state);
      if (permission == sim::Permission::none) return;
      const auto state = permission == sim::Permission::write ? sim::CopyState::dirty : sim::CopyState::clean;
      bool first = false;
      frame.data.for_each([&](std::uint16_t object, sim::Value value) {
        first = first || object == 0;
        visitor.copy(shared_.lines.object_of(frame.line, object), sim::Holder::node(node->id()), value, state);
      });
      if (!first) visitor.copy(shared_.lines.object_of(frame.line, 0), sim::Holder::node(node->id()), 0, state);
    });
  }
  visit_memory([](sim::Key, LatchWord) {},
               [&](sim::Key object, sim::Value value) {
                 const sim::Key line = shared_.lines.line_of(object);
                 const bool dirty = std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& node) {
                   const Frame* frame = node->cache().find(line);
                   return frame != nullptr && permission_of(frame->state) == sim::Permission::write;
                 });
                 if (!dirty) visitor.home(object, value);
               });
}

void Selcc::visit_memory(const std::function<void(sim::Key line, LatchWord word)>& word,
                         const std::function<void(sim::Key object, sim::Value value)>& object) const {
  for (unsigned i = 0; i < shape().roles.memory_nodes; ++i) {
    const auto server = static_cast<NodeId>(shape().roles.first_memory_node + i);
    shared_.lines.visit(
        server, rack_.server(server).nic().memory(),
        [&](sim::Key line, std::uint64_t bits) { word(line, LatchWord(bits)); }, object);
  }
}

Selcc::Baseline Selcc::current() const {
  return {.local = counters_.local_accesses.value,
          .accesses = counters_.accesses.value,
          .with_invalidations = counters_.operations_with_invalidations.value};
}

void Selcc::start_measuring() {
  MemoryService::start_measuring();
  baseline_ = current();
}

void Selcc::stop_measuring() {
  MemoryService::stop_measuring();
  const Baseline now = current();
  const auto accesses = static_cast<double>(std::max<std::uint64_t>(1, now.accesses - baseline_.accesses));
  local_share_.value = static_cast<double>(now.local - baseline_.local) / accesses;
  invalidation_share_.value = static_cast<double>(now.with_invalidations - baseline_.with_invalidations) / accesses;
}

bool Selcc::quiescent() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) { return node->quiescent(); });
}

void Selcc::add_waits(std::vector<sim::Wait>& waits) const {
  for (const auto& node : nodes_) node->add_waits(waits);
}

std::uint64_t Selcc::contribution(NodeId node, sim::Key line) const {
  const Frame* frame = nodes_[node]->cache().find(line);
  if (frame == nullptr) return 0;
  switch (permission_of(frame->state)) {
    case sim::Permission::read:
      return LatchWord::shared(node);
    case sim::Permission::write:
      return LatchWord::modified(node);
    case sim::Permission::none:
      break;
  }
  return 0;
}

std::vector<models::Leak> Selcc::leaks() const {
  std::vector<models::Leak> leaks;
  for (const auto& node : nodes_) node->add_leaks(leaks);
  if (!leaks.empty()) return leaks;
  // At rest each word is the sum of what its holders have contributed.
  std::set<std::uint64_t> lines;
  for (const auto& node : nodes_) {
    node->cache().for_each([&](const Frame& frame) { lines.insert(frame.line); });
  }
  visit_memory([&](sim::Key line, LatchWord) { lines.insert(line); }, [](sim::Key, sim::Value) {});
  for (const std::uint64_t number : lines) {
    const sim::Key line{number};
    std::uint64_t sum = 0;
    for (NodeId node = 0; node < nodes_.size(); ++node) sum += contribution(node, line);
    const LatchWord word = word_of(line);
    if (word.bits() == sum) continue;
    leaks.push_back({"wrong-metadata",
                     fmt::format("the latch word of line {} is {:#x}, but its holders make {:#x}",
                                 sim::printed_key(line), word.bits(), sum),
                     {shared_.lines.object_of(line, 0), {}}});
  }
  return leaks;
}

void Selcc::record_final_state() {
  const sim::Time now = calendar().now();
  for (const auto& node : nodes_) {
    node->cache().for_each([&](const Frame& frame) {
      const auto state = std::uint64_t{frame.dirty.low} << 32 | std::uint64_t{frame.dirty.high} << 8 |
                         static_cast<std::uint64_t>(frame.state);
      event_log().record(sim::Observed::final_state, final_source_, now, sim::OperationId{node->id()}, frame.line,
                         word_of(frame.line).bits(), state);
      frame.data.for_each([&](std::uint16_t object, sim::Value value) {
        event_log().record(sim::Observed::final_state, final_source_, now, sim::OperationId{node->id()},
                           shared_.lines.object_of(frame.line, object), value);
      });
    });
  }
}

std::unique_ptr<models::Protocol> Options::build(models::ProtocolContext& context) const {
  return std::make_unique<Selcc>(context, *this);
}

}  // namespace racksim::selcc
