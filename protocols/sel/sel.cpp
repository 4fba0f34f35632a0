// Latch operations, accesses and inspection of SEL. See sel.hpp.
#include "protocols/sel/sel.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "models/service/simplification.hpp"
#include "protocols/sel/races.hpp"
#include "protocols/sel/thread.hpp"
#include "sim/options/option_error.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::sel {

namespace {

const sim::Registration<models::Simplification> allocator(
    {.name = "sel/allocator", .doc = "memory is handed out by the simulator, without a message"});

const sim::Registration<models::ProtocolEntry> registration({
    .name = "sel",
    .doc = "SEL: one-sided access under a shared-exclusive latch, without caches (baseline of SELCC)",
    .make_options = [] { return std::make_shared<Options>(); },
    // Packets may be lost as long as no reliable connection runs out of retries.
    .tolerates = {"down", "drop", "duplicate", "fast-clock", "hold", "nic-stall", "noise", "partition", "slow-core"},
    .coverage = {.states = {}, .messages = {}, .race_points = races.names()},
});

}  // namespace

Sel::Sel(models::ProtocolContext& context, const Options& options)
    : MemoryService(context.rack.calendar(), context.rack.event_log(), context.rack.metrics(),
                    latched_memory::disaggregated_shape(context, options.line_bytes, 0)),
      rack_(context.rack),
      options_(options),
      lines_(context.rack, *this),
      counters_{context.rack.metrics()},
      coverage_(context.coverage),
      turns_(shape().roles.compute_nodes),
      permissions_(context.rack.calendar(), context.rack.event_log(),
                   context.rack.event_log().add_source("sel/permissions")),
      final_source_(context.rack.event_log().add_source("sel")) {
  latched_memory::require_bits(context);
  lines_.watch(*this);
  for (std::size_t i = 0; i < sessions(); ++i) threads_.push_back(std::make_unique<Thread>(*this, session_number(i)));
}

Sel::~Sel() = default;

models::MemoryPort& Sel::port(models::Session session) {
  return *threads_[index_of(session)];
}

void Sel::written(sim::Key line, latched_memory::ObjectRange objects) {
  for (std::uint16_t index = objects.low; index < objects.high; ++index) {
    const auto write = writes_.find(lines_.object_of(line, index));
    if (write == writes_.end()) continue;  // of a line whose latch is held for several accesses
    performed(write->second.first, sim::Key{write->first}, write->second.second);
    writes_.erase(write);
  }
}

void Sel::warm_access(models::Session session, models::GlobalAddress address, bool write) {
  if (!write) return;
  const sim::Key object = object_of(address), line = block_of(address);
  const sim::Value value = next_value(session);
  lines_.memory_of(line).set_word(lines_.address_of(line, lines_.index_of(object)), value.number());
  performed(kWarmOperation, object, value);
}

void Sel::show_state(sim::StateVisitor& visitor) const {
  lines_.visit([](sim::Key, LatchWord) {}, [&](sim::Key object, sim::Value value) { visitor.home(object, value); });
}

void Sel::node_crashed(NodeId node) {
  sessions_died(node);
  if (node >= turns_.size()) return;
  turns_[node].clear();
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (session_number(i).node != node) continue;
    for (const Held& held : threads_[i]->latched()) note_permission(node, held.line, sim::Permission::none, 0);
    threads_[i]->crash();
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
    for (const Held& held : threads_[i]->latched()) {
      leaks.push_back({"leaked-lock",
                       fmt::format("thread {} of node {} holds the latch of line {}", session.thread, session.node,
                                   sim::printed_key(held.line)),
                       {lines_.object_of(held.line, 0), {}}});
    }
  }
  if (!leaks.empty()) return leaks;
  lines_.visit(
      [&](sim::Key line, LatchWord word) {
        leaks.push_back({"wrong-metadata",
                         fmt::format("the latch word of line {} is {:#x}, but nobody holds it", sim::printed_key(line),
                                     word.bits()),
                         {lines_.object_of(line, 0), {}}});
      },
      [](sim::Key, sim::Value) {});
  return leaks;
}

void Sel::record_final_state() {
  lines_.record_final_state(event_log(), final_source_, calendar().now());
}

std::unique_ptr<models::Protocol> Options::build(models::ProtocolContext& context) const {
  return std::make_unique<Sel>(context, *this);
}

}  // namespace racksim::sel
