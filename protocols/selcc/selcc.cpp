// Assembly and inspection of SELCC. See selcc.hpp.
#include "protocols/selcc/selcc.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "models/service/simplification.hpp"
#include "protocols/line_cache/inspection.hpp"
#include "protocols/selcc/races.hpp"
#include "sim/options/option_error.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::selcc {

namespace {

const sim::Registration<models::Simplification> allocator(
    {.name = "selcc/allocator",
     .doc = "memory is handed out by the simulator: the paper allocates in bulk, which needs hardly a message"});
const sim::Registration<models::Simplification> membership(
    {.name = "selcc/membership",
     .doc = "leases, and the rounds in which survivors cut off, claim and recheck, go by a management network whose "
            "packets are not modelled"});
const sim::Registration<models::Simplification> queue_pairs(
    {.name = "selcc/queue-pairs",
     .doc = "queue pairs of a node that comes back are connected out of band, whatever the wires are like"});

models::MemoryShape shape_of(const models::ProtocolContext& context, const Options& options) {
  latched_memory::require_bits(context);
  if (options.recovers() && options.undo != Undo::waited) {
    throw sim::OptionError("undo", "an undo that nobody waits for",
                           "\"waited\", for recovery must be able to tell from a word who has a part in it");
  }
  models::MemoryShape shape = latched_memory::cached_shape(context, options.line_bytes, options.frames());
  shape.offers = shape.offers.with(
      {sim::OperationKind::fence, sim::OperationKind::compare_and_swap, sim::OperationKind::fetch_and_add});
  shape.writes_return_early = options.writes_return_early();
  return shape;
}

const sim::Registration<models::ProtocolEntry> registration({
    .name = "selcc",
    .doc = "SELCC: coherent caches over disaggregated memory by one-sided RDMA (PVLDB 18, 2025)",
    .make_options = [] { return std::make_shared<Options>(); },
    // Packets may be lost as long as no reliable connection runs out of retries.
    .tolerates = {"down", "drop", "duplicate", "fast-clock", "hold", "nic-stall", "noise", "partition", "slow-core"},
    .coverage = {.states = {}, .messages = {}, .race_points = races.names()},
    .tables = {&frame_table().description()},
    .work_shares = {{"of the accesses needed no verb", "selcc.local_accesses", "selcc.accesses"}},
});

}  // namespace

Selcc::Selcc(models::ProtocolContext& context, const Options& options)
    : MemoryService(context.rack.calendar(), context.rack.event_log(), context.rack.metrics(),
                    shape_of(context, options)),
      options_(options),
      counters_{context.rack.metrics()},
      lines_(context.rack, *this),
      shared_{{.rack = context.rack,
               .options = options_,
               .memory = *this,
               .lines = lines_,
               .counters = counters_,
               .coverage = context.coverage,
               .permissions = {context.rack.calendar(), context.rack.event_log(),
                               context.rack.event_log().add_source("selcc/permissions")},
               .buffer_keys = std::vector<std::uint32_t>(shape().roles.compute_nodes)}},
      final_source_(context.rack.event_log().add_source("selcc")) {
  for (NodeId id = 0; id < shape().roles.compute_nodes; ++id) {
    nodes_.push_back(std::make_unique<ComputeNode>(shared_, id, context.threads_per_node));
    shared_.nodes.push_back(nodes_.back().get());
  }
  if (options_.recovers()) {
    recovery_ = make_recovery();
    shared_.recovery = recovery_.get();
  }
  lines_.watch(*this);
  for (std::size_t i = 0; i < sessions(); ++i) {
    const models::Session session = session_number(i);
    threads_.push_back(std::make_unique<ApplicationThread>(*nodes_[session.node], session.thread));
  }
  for (NodeId a = 0; a < nodes_.size(); ++a) {
    for (NodeId b = static_cast<NodeId>(a + 1); b < nodes_.size(); ++b)
      line_cache::Connections::connect(nodes_[a]->connections(), nodes_[b]->connections());
  }
}

// An atomic goes to memory past all caches, so it is right only for words that no cache holds. The caller sees to that;
// what can be seen to be wrong is refused.
void Selcc::check(models::Session session, sim::OperationKind kind, sim::Key line) const {
  latched_memory::check_latch(kind, session, line, nodes_[session.node]->latch_of(session.thread, line));
  if (!sim::is_atomic(kind) || lines_.word_of(line).free()) return;
  throw std::invalid_argument(fmt::format("an atomic on line {}, which is cached or latched: its word is {:#x}",
                                          sim::printed_key(line), lines_.word_of(line).bits()));
}

void Selcc::object_changed(sim::Key object, const models::AtomicUpdate& update) {
  if (update.after != update.before) performed(update.operation, object, sim::Value{update.after});
}

void Selcc::written(sim::Key line, ObjectRange objects) {
  if (recovery_ == nullptr) return;
  for (std::uint16_t index = objects.low; index < objects.high; ++index) {
    const sim::Value value{lines_.memory_of(line).word(lines_.address_of(line, index))};
    recovery_->unflushed().flushed(line, lines_.object_of(line, index), value);
  }
}

// Writes that have returned and wait in a buffer die with their node.
void Selcc::lose_buffered(NodeId node) {
  for (const auto& thread : threads_) {
    if (thread->node() != node || thread->buffer() == nullptr) continue;
    for (const WriteBuffer::Write& write : thread->buffer()->writes()) {
      for (std::uint32_t i = 0; i < write.access.objects; ++i) {
        lost_write(sim::Key{write.access.first + i}, sim::Value{write.value + i}, sim::Loss::buffer);
      }
    }
    thread->buffer()->crash();
  }
}

void Selcc::node_crashed(NodeId node) {
  lose_buffered(node);
  sessions_died(node);
  if (node >= nodes_.size()) return;
  if (recovery_) recovery_->node_crashed(node);
  nodes_[node]->crash();
}

void Selcc::node_restarted(NodeId node) {
  for (const auto& thread : threads_) {
    if (recovery_ && thread->node() == node && thread->buffer() != nullptr) thread->buffer()->begin();
  }
}

void Selcc::add_actors(sim::Engine& engine, std::span<const sim::HostId>) {
  if (recovery_) recovery_->membership().add_actor(engine);
}

std::unique_ptr<Recovery> Selcc::make_recovery() {
  const auto allocated_lines = [this] {
    std::vector<Region> regions;
    allocator().for_each([&](models::GlobalAddress first, std::uint64_t bytes) {
      regions.push_back({.first = block_of(first), .lines = bytes / options_.line_bytes});
    });
    return regions;
  };
  return std::make_unique<Recovery>(
      shared_, shape().roles, options_.membership, options_.sweep,
      Recovery::Service{
          .lose = [this](sim::Key object, sim::Value value) { lost_write(object, value, sim::Loss::holder); },
          .unlock = [this](models::Session holder, sim::Key line) { unlock_for_dead(holder, line); },
          .allocated = allocated_lines});
}

void Selcc::show_state(sim::StateVisitor& visitor) const {
  line_cache::show_copies(visitor, nodes_, lines_);
  lines_.visit([](sim::Key, LatchWord) {},
               [&](sim::Key object, sim::Value value) {
                 const sim::Key line = lines_.line_of(object);
                 const bool dirty = std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& node) {
                   const Frame* frame = node->cache().find(line);
                   return frame != nullptr && permission_of(frame->state) == sim::Permission::write;
                 });
                 if (!dirty) visitor.home(object, value);
               });
}

bool Selcc::quiescent() const {
  return (recovery_ == nullptr || recovery_->at_rest()) &&
         std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) { return node->quiescent(); }) &&
         std::all_of(threads_.begin(), threads_.end(),
                     [](const auto& thread) { return thread->buffer() == nullptr || thread->buffer()->empty(); });
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
  // At rest each word is the sum of what its holders have contributed; who is dead may stand in it.
  std::uint64_t lost = 0;
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (is_lost(node)) lost |= LatchWord::shared(node);
  }
  const auto sum_of = [&](sim::Key line) {
    std::uint64_t sum = 0;
    for (NodeId node = 0; node < nodes_.size(); ++node) sum += contribution(node, line);
    return sum;
  };
  std::vector<sim::Key> wrong;
  lines_.visit(
      [&](sim::Key line, LatchWord word) {
        if (word.without(lost).bits() != sum_of(line)) wrong.push_back(line);
      },
      [](sim::Key, sim::Value) {});
  for (const auto& node : nodes_) {
    node->cache().for_each([&](const Frame& frame) {
      if (lines_.word_of(frame.line).bits() == 0 && sum_of(frame.line) != 0) wrong.push_back(frame.line);
    });
  }
  std::sort(wrong.begin(), wrong.end());
  wrong.erase(std::unique(wrong.begin(), wrong.end()), wrong.end());
  for (const sim::Key line : wrong) {
    leaks.push_back({"wrong-metadata",
                     fmt::format("the latch word of line {} is {:#x}, but its holders make {:#x}",
                                 sim::printed_key(line), lines_.word_of(line).without(lost).bits(), sum_of(line)),
                     {lines_.object_of(line, 0), {}}});
  }
  return leaks;
}

void Selcc::record_final_state() {
  const sim::Time now = calendar().now();
  line_cache::record_copies(event_log(), final_source_, now, nodes_, lines_, [](auto&& put, const Frame& frame) {
    put(frame.line, std::uint64_t{frame.dirty.low} << 32 | std::uint64_t{frame.dirty.high} << 8 |
                        static_cast<std::uint64_t>(frame.state));
  });
  lines_.record_final_state(event_log(), final_source_, now);
}

std::unique_ptr<models::Protocol> Options::build(models::ProtocolContext& context) const {
  return std::make_unique<Selcc>(context, *this);
}

}  // namespace racksim::selcc
