// Assembly and inspection of the RPC directory. See rpc_directory.hpp.
#include "protocols/rpc_directory/rpc_directory.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "models/service/simplification.hpp"
#include "protocols/line_cache/inspection.hpp"
#include "protocols/rpc_directory/races.hpp"
#include "sim/options/option_error.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::rpc_directory {

namespace {

const sim::Registration<models::Simplification> allocator(
    {.name = "rpc-directory/allocator", .doc = "memory is handed out by the simulator, without a message"});

models::MemoryShape shape_of(const models::ProtocolContext& context, const Options& options) {
  const std::uint64_t cores = context.rack.options().cores;
  if (options.cores() > cores) {
    throw sim::OptionError("directory_cores", fmt::format("{}", options.directory_cores),
                           fmt::format("no more than a server's {} cores", cores));
  }
  return latched_memory::cached_shape(context, options.line_bytes, options.frames());
}

const sim::Registration<models::ProtocolEntry> registration({
    .name = "rpc-directory",
    .doc = "coherent caches over disaggregated memory by RPC to home directories, as ScaleStore's (baseline of SELCC)",
    .make_options = [] { return std::make_shared<Options>(); },
    // Packets may be lost as long as no reliable connection runs out of retries.
    .tolerates = {"down", "drop", "duplicate", "fast-clock", "hold", "nic-stall", "noise", "partition", "slow-core"},
    .coverage = {.states = {}, .messages = {}, .race_points = races.names()},
    .tables = {&directory_table().description(), &line_table().description()},
    .work_shares = {{"of the accesses needed no message", "rpc_directory.local_accesses", "rpc_directory.accesses"}},
});

}  // namespace

RpcDirectory::RpcDirectory(models::ProtocolContext& context, const Options& options)
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
                               context.rack.event_log().add_source("rpc-directory/permissions")},
               .buffer_keys = std::vector<std::uint32_t>(shape().roles.compute_nodes)}},
      final_source_(context.rack.event_log().add_source("rpc-directory")) {
  const models::Roles& roles = shape().roles;
  for (unsigned i = 0; i < roles.memory_nodes; ++i) {
    const auto server = static_cast<NodeId>(roles.first_memory_node + i);
    directories_.push_back(std::make_unique<Directory>(shared_, server));
    shared_.directories.push_back(directories_.back().get());
  }
  for (NodeId id = 0; id < roles.compute_nodes; ++id) {
    nodes_.push_back(std::make_unique<ComputeNode>(shared_, id, context.threads_per_node));
  }
  for (std::size_t i = 0; i < sessions(); ++i) {
    const models::Session session = session_number(i);
    threads_.emplace_back(*nodes_[session.node], session.thread);
  }
  for (NodeId a = 0; a < nodes_.size(); ++a) {
    for (NodeId b = static_cast<NodeId>(a + 1); b < nodes_.size(); ++b)
      line_cache::Connections::connect(nodes_[a]->connections(), nodes_[b]->connections());
  }
}

void RpcDirectory::check(models::Session session, sim::OperationKind kind, sim::Key line) const {
  latched_memory::check_latch(kind, session, line, nodes_[session.node]->latch_of(session.thread, line));
}

void RpcDirectory::node_crashed(NodeId node) {
  sessions_died(node);
  if (node < nodes_.size()) nodes_[node]->crash();
  if (shape().roles.holds_memory(node)) directories_[node - shape().roles.first_memory_node]->crash();
}

void RpcDirectory::show_state(sim::StateVisitor& visitor) const {
  line_cache::show_copies(visitor, nodes_, lines_);
  lines_.visit([](sim::Key, latched_memory::LatchWord) {},
               [&](sim::Key object, sim::Value value) {
                 const sim::Key line = lines_.line_of(object);
                 const Entry* entry = directory_of(line).find(line);
                 if (entry == nullptr || entry->state != DirectoryState::exclusive) visitor.home(object, value);
               });
}

bool RpcDirectory::quiescent() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) { return node->quiescent(); }) &&
         std::all_of(directories_.begin(), directories_.end(),
                     [](const auto& directory) { return directory->quiescent(); });
}

void RpcDirectory::add_waits(std::vector<sim::Wait>& waits) const {
  for (const auto& directory : directories_) directory->add_waits(waits);
  for (const auto& node : nodes_) node->add_waits(waits);
}

// If each copy is known, and as many are as there are, then no other is.
bool RpcDirectory::knows_its_copies() const {
  std::size_t known = 0, held = 0;
  for (const auto& directory : directories_) {
    directory->for_each([&](sim::Key, const Entry& entry) { known += entry.holders.size(); });
  }
  bool all = true;
  for (const auto& node : nodes_) {
    node->cache().for_each([&](const Frame& frame) {
      ++held;
      const Entry* entry = all ? directory_of(frame.line).find(frame.line) : nullptr;
      const Holder* holder = entry != nullptr ? entry->holder(node->id()) : nullptr;
      all = holder != nullptr && holder->version == frame.version &&
            (frame.state == LineState::exclusive) == (entry->state == DirectoryState::exclusive);
    });
  }
  return all && known == held;
}

// At rest the directory knows each copy by its version, and no other.
std::vector<models::Leak> RpcDirectory::leaks() const {
  std::vector<models::Leak> leaks;
  for (const auto& node : nodes_) node->add_leaks(leaks);
  for (const auto& directory : directories_) directory->add_leaks(leaks);
  if (!leaks.empty() || knows_its_copies()) return leaks;
  std::map<std::uint64_t, std::string> known, held;  // by line
  for (const auto& directory : directories_) {
    directory->for_each([&](sim::Key line, const Entry& entry) { known[line] = entry.text(); });
  }
  for (const auto& node : nodes_) {
    node->cache().for_each([&](const Frame& frame) {
      held[frame.line] += Entry::text(frame.state == LineState::exclusive, {node->id(), frame.version});
    });
  }
  for (const auto& [line, copies] : held) known.try_emplace(line);
  for (const auto& [line, text] : known) {
    const std::string& copies = held[line];
    if (copies == text) continue;
    leaks.push_back({"wrong-metadata",
                     fmt::format("the home of line {} knows of the copies [{}], but there are [{}]",
                                 sim::printed_key(sim::Key{line}), text, copies),
                     {shared_.lines.object_of(sim::Key{line}, 0), {}}});
  }
  return leaks;
}

void RpcDirectory::record_final_state() {
  const sim::Time now = calendar().now();
  line_cache::record_copies(event_log(), final_source_, now, nodes_, lines_, [](auto&& put, const Frame& frame) {
    put(frame.line, frame.version, static_cast<std::uint64_t>(frame.state));
  });
  lines_.record_final_state(event_log(), final_source_, now);
}

std::unique_ptr<models::Protocol> Options::build(models::ProtocolContext& context) const {
  return std::make_unique<RpcDirectory>(context, *this);
}

}  // namespace racksim::rpc_directory
