// Assembly and inspection of FlowCC. See flowcc.hpp.
#include "protocols/flowcc/flowcc.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "models/service/simplification.hpp"
#include "p4model/execute/registry.hpp"
#include "protocols/flowcc/application_thread.hpp"
#include "sim/options/option_error.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::flowcc {

namespace {

const sim::Registration<models::Simplification> piece_sizes(
    {.name = "flowcc/piece-sizes",
     .doc = "how large an allocated piece is, and whether it may be freed, is looked up for the whole rack; a library "
            "keeps it in a header before the piece"});
const sim::Registration<models::Simplification> chunk_tables(
    {.name = "flowcc/chunk-tables",
     .doc =
         "which chunks of a node are given away survives its crash, as if it were in memory that keeps its contents"});
const sim::Registration<models::Simplification> recovery_calls(
    {.name = "flowcc/recovery-rounds",
     .doc = "when nodes fail the manager has survivors stop and go on by a management network whose packets are not "
            "modelled: each round takes its time and reaches everybody"});
const sim::Registration<models::Simplification> queue_pairs(
    {.name = "flowcc/queue-pairs",
     .doc = "queue pairs to a node that comes back are connected out of band, whatever the wires are like"});

// All servers but the shadow node, where it is one of its own.
unsigned memory_nodes(std::size_t servers, const FlowCcOptions& options) {
  const auto nodes = static_cast<unsigned>(servers);
  if (!options.shadow.node) {
    if (nodes >= 2) return nodes - 1;
    throw sim::OptionError("/rack/nodes", "a single server",
                           "two at least: the last one is the shadow node (shadow.node is null)");
  }
  if (*options.shadow.node < nodes) return nodes;
  throw sim::OptionError("shadow.node", fmt::format("node {}", *options.shadow.node),
                         fmt::format("null, or one of the rack's {} nodes", nodes));
}

models::MemoryShape shape_of(const models::ProtocolContext& context, const FlowCcOptions& options) {
  const unsigned cores = context.rack.options().cores;
  const bool migrates = options.migrates();
  const bool shadow = migrates && (options.shadow.node || options.shadow.backup);
  const unsigned others = shadow ? 3 : 2;
  if (context.threads_per_node + others > cores) {
    throw sim::OptionError("/workload/threads", fmt::format("{} application threads", context.threads_per_node),
                           fmt::format("with {} no more than a node's {} cores",
                                       shadow ? "2 agents and the shadow node, or its backup" : "2 agents", cores));
  }
  models::Roles roles = context.rack.options().roles.of(context.rack.nodes());
  if (roles.all_have_both() && migrates) roles = models::Roles::both(memory_nodes(context.rack.nodes(), options));
  if (!roles.all_have_both()) {
    throw sim::OptionError("/rack/roles", "roles that tell nodes apart",
                           "none: every node runs applications and is the home of blocks (Concordia §4)");
  }
  if (options.chunk_bytes % options.block_bytes != 0) {
    throw sim::OptionError("allocation.chunk", fmt::format("{} bytes", options.chunk_bytes),
                           fmt::format("a multiple of a block of {}", options.block_bytes));
  }
  if (options.allocate_from == FlowCcOptions::AllocateFrom::named && options.allocation_home >= roles.compute_nodes) {
    throw sim::OptionError("allocation.home", fmt::format("node {}", options.allocation_home),
                           fmt::format("one of the nodes 0 to {}", roles.compute_nodes - 1));
  }
  constexpr std::uint64_t kMostRequesters = 1 << 15;  // SCOREBOARD has two scores for each, and an index of 16 bits
  const std::uint64_t threads = std::uint64_t{roles.compute_nodes} * context.threads_per_node;
  const std::uint64_t requesters = threads + roles.compute_nodes + threads * options.locks.per_thread;
  if (requesters > kMostRequesters) {
    throw sim::OptionError("locks.per_thread", fmt::format("{}", options.locks.per_thread),
                           fmt::format("no more than {}: SCOREBOARD has scores for {} requesters, and {} nodes have {} "
                                       "threads",
                                       (kMostRequesters - threads - roles.compute_nodes) / threads, kMostRequesters,
                                       roles.compute_nodes, threads));
  }
  if (migrates && options.shadow.backup_node && *options.shadow.backup_node >= roles.compute_nodes) {
    throw sim::OptionError("shadow.backup_node", fmt::format("node {}", *options.shadow.backup_node),
                           fmt::format("null, or one of the nodes 0 to {}", roles.compute_nodes - 1));
  }
  return {.nodes = roles.compute_nodes,
          .roles = roles,
          .threads_per_node = context.threads_per_node,
          .block_bytes = options.block_bytes,
          .object_bytes = 0,
          .offers = models::kLocks,
          .memory_bytes = options.memory_bytes,
          .locks_per_session = options.locks.per_thread,
          .lines_pinned_per_node = LocalCache::entries_of(options.cache_bytes, options.block_bytes)};
}

// The program at the size of the paper's testbed, for `racksim fit`.
const sim::Registration<p4::ProgramEntry> program({
    .name = "flowcc-lcf",
    .doc = "Concordia's lock-check-forward pipeline for 8 nodes of 4 threads",
    .make = [] { return make_lcf_program(FlowCcOptions{}, LcfShape{}).program; },
});

const sim::Registration<p4::ProgramEntry> migrating_program({
    .name = "flowcc-migrating",
    .doc = "the same where blocks migrate between switch and homes (§5.2)",
    .make = [] { return make_lcf_program(FlowCcOptions{}, {.migrates = true}).program; },
});

sim::Registration<p4::ShippedShape> shipped(const char* name, std::uint64_t ways, bool migrates) {
  return sim::Registration<p4::ShippedShape>({name, [ways, migrates] {
                                                FlowCcOptions options;
                                                options.ways = ways;
                                                return make_lcf_program(options, {.migrates = migrates}).program;
                                              }});
}
const sim::Registration<p4::ShippedShape> shapes[]{shipped("flowcc-lcf-2-ways", 2, false),
                                                   shipped("flowcc-migrating-2-ways", 2, true),
                                                   shipped("flowcc-migrating-8-ways", 8, true)};

const sim::Registration<models::ProtocolEntry> registration({
    .name = "flowcc",
    .doc = "Concordia's in-network cache coherence (FAST '21)",
    .make_options = [] { return std::make_shared<FlowCcOptions>(); },
    // Packets may be lost as long as no block transfer (an RC connection) runs out of retries: 8 timeouts of the NIC.
    .tolerates = {"control-delay", "down", "drop", "duplicate", "fast-clock", "hold", "nic-stall", "noise", "partition",
                  "slow-core"},
    .coverage = coverage_map(),
    .work_shares = {{"of the coherence events were of blocks that the switch owns", "flowcc.switch_events",
                     "flowcc.events"}},
});

}  // namespace

FlowCc::FlowCc(models::ProtocolContext& context, const FlowCcOptions& options)
    : MemoryService(context.rack.calendar(), context.rack.event_log(), context.rack.metrics(),
                    shape_of(context, options)),
      rack_(context.rack),
      options_(options),
      counters_{context.rack.metrics()},
      migration_counters_{options.migrates() ? context.rack.metrics() : unseen_},
      writes_(options.migrates()),
      shared_{context.rack,
              context.rack.calendar(),
              context.rack.event_log(),
              options_,
              *this,
              shape(),
              counters_,
              migration_counters_,
              writes_,
              CoverageMarks(context.coverage, *this)},
      final_source_(context.rack.event_log().add_source("flowcc")) {
  context.rack.metrics().share("flowcc.local_hit_share", "operations that the local cache served at once",
                               {&counters_.local_hits}, {&operations()});
  context.rack.metrics().quotient("flowcc.home_agent.packets_per_operation", "packets",
                                  "packets that home agents received and sent for each operation",
                                  {&counters_.home_received, &counters_.home_sent}, {&operations()});
  for (NodeId id = 0; id < shape().nodes; ++id) nodes_.push_back(std::make_unique<MemoryNode>(shared_, id));
  std::vector<MemoryNode*> nodes;
  for (const auto& node : nodes_) nodes.push_back(node.get());
  for (NodeId a = 0; a < nodes.size(); ++a) {
    for (NodeId b = a; b < nodes.size(); ++b) {
      Endpoint::connect(nodes[a]->home_agent().endpoint(), nodes[b]->home_agent().endpoint());
      Endpoint::connect(nodes[a]->cache_agent().endpoint(), nodes[b]->cache_agent().endpoint());
      for (unsigned thread = 0; thread < shape().threads_per_node; ++thread) {
        Endpoint::connect(nodes[a]->requester(thread).endpoint(), nodes[b]->requester(thread).endpoint());
      }
    }
  }
  switch_ = std::make_unique<SwitchOwner>(shared_);
  if (options_.migrates()) {
    control_ = std::make_unique<MigratingControlPlane>(
        shared_, nodes, *switch_,
        [this](Tag tag, sim::Value value, sim::Loss why, sim::Value recovered) {
          lost_write(tag, value, why, recovered);
        },
        [this] { free_dead_locks(); });
  } else {
    control_ = std::make_unique<ControlPlane>();
  }
  switch_->connect(nodes);
  allocation_ = std::make_unique<Allocation>(shared_, nodes_, allocator());
  for (std::size_t i = 0; i < sessions(); ++i) {
    threads_.push_back(std::make_unique<ApplicationThread>(*this, session_number(i)));
  }
  rack_.observe_boots(*this);
  if (shared_.coverage.on()) {
    switch_coverage_ = std::make_unique<SwitchCoverage>(shared_, *switch_);
    rack_.chassis().add_pass_observer(*switch_coverage_);
  }
}

FlowCc::~FlowCc() = default;

void FlowCc::add_actors(sim::Engine& engine, std::span<const sim::HostId> nodes) {
  control_->add_actors(engine, nodes);
}

void FlowCc::reserved(models::GlobalAddress first, std::uint64_t bytes, const models::AllocationHint& hint) {
  if (!hint.shared || options_.ownership != FlowCcOptions::Ownership::switch_owned) return;
  // A block that finds no free way stays at its home, as one that collides with hotter blocks would.
  const Tag begin = block_of(first), end{begin + (bytes + shape().block_bytes - 1) / shape().block_bytes};
  declared_shared_.push_back({begin, end});
  for (std::uint64_t tag = begin; tag < end; ++tag) switch_->install(Tag{tag});
}

models::MemoryPort& FlowCc::port(models::Session session) {
  return *threads_[index_of(session)];
}

GlobalMetadata FlowCc::metadata(Tag tag) const {
  if (const auto in_switch = switch_->metadata(tag)) return *in_switch;
  return nodes_[shared_.home_of(tag)]->home_agent().directory().metadata(tag);
}

std::size_t FlowCc::state_of(Tag tag, NodeId node) {
  const auto in_switch = switch_->metadata(tag);
  const HomeDirectory& home = nodes_[shared_.home_of(tag)]->home_agent().directory();
  const GlobalStatus status = in_switch ? in_switch->status : home.metadata(tag).status;
  const LockState lock = in_switch ? switch_->lock(tag) : home.lock(tag);
  const CacheEntry* entry = nodes_[node]->cache().find(tag);
  return coverage_state(status, lock, entry != nullptr ? entry->state : CacheEntry::State::empty);
}

void FlowCc::switch_booted() {
  control_->switch_booted();
  switch_lost_state_ = true;
}

void FlowCc::node_fails(NodeId node) {
  if (node < nodes_.size()) control_->node_fails(node);
}

void FlowCc::node_crashed(NodeId node) {
  control_->server_crashed(node);
  if (node >= nodes_.size()) return;  // a server of the shadow node's own, of which only hints come
  note_dead_locks(node);
  nodes_[node]->crash();
  allocation_->node_crashed(node);
  sessions_died(node);
}

bool FlowCc::takes_back(NodeId node) const {
  return control_->takes_back(node);
}

bool FlowCc::held_dirty(Tag tag) const {
  const GlobalMetadata m = metadata(tag);
  return m.status == GlobalStatus::modified && std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& node) {
           const CacheEntry* entry = (m.copyset & node_bit(node->id())) != 0 ? node->cache().find(tag) : nullptr;
           return entry != nullptr && entry->state == CacheEntry::State::dirty;
         });
}

void FlowCc::show_state(sim::StateVisitor& visitor) const {
  for (const auto& node : nodes_) {
    node->visit_global_memory([&](Tag tag, sim::Value value) {
      if (!held_dirty(tag)) visitor.home(tag, value);
    });
    for (const CacheEntry& entry : node->cache().entries()) {
      if (!entry.valid()) continue;
      const bool dirty = entry.state == CacheEntry::State::dirty;
      visitor.copy(entry.tag, sim::Holder::node(node->id()), entry.value,
                   dirty ? sim::CopyState::dirty : sim::CopyState::clean);
    }
    node->visit_lost([&](Tag tag) { visitor.lost(tag); });
  }
  control_->show_homeless(visitor);
  // A block that was declared to be the switch's is its home's again, which does not know who holds it.
  if (!switch_lost_state_) return;
  for (const TagRange& range : declared_shared_) {
    for (std::uint64_t tag = range.begin; tag < range.end; ++tag) visitor.lost(Tag{tag});
  }
}

bool FlowCc::quiescent() const {
  return allocation_->quiescent() && control_->at_rest() &&
         std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
           return flowcc::quiescent(*node) && node->home_agent().migration().idle();
         });
}

std::vector<models::Leak> FlowCc::leaks() const {
  std::vector<models::Leak> leaks = switch_->held_locks();
  for (const auto& node : nodes_) {
    for (models::Leak& lock : node->home_agent().held_locks()) leaks.push_back(std::move(lock));
    node->visit_runners([&](const TimedRunner& runner) {
      if (std::string text = runner.describe(); !text.empty())
        leaks.push_back({"stuck-request", std::move(text), runner.key_and_operations()});
    });
    const HomeMigration& migration = node->home_agent().migration();
    if (!migration.idle()) {
      leaks.push_back({"stuck-migration", fmt::format("home agent of node {}: {}", node->id(), migration.describe())});
    }
  }
  if (leaks.empty()) {
    leaks = wrong_metadata();
    std::ranges::move(control_->wrong_at_rest(), std::back_inserter(leaks));
    std::ranges::move(wrong_lock_logs(), std::back_inserter(leaks));
  }
  std::ranges::move(control_->wrong_before(), std::back_inserter(leaks));
  std::ranges::move(allocation_->leaks(), std::back_inserter(leaks));
  visit_runners([&](const TimedRunner& runner) {
    std::ranges::move(runner.events().wrong_providers(), std::back_inserter(leaks));
  });
  return leaks;
}

// At rest a block's status and copyset say who holds it and how: every miss, upgrade and eviction has told its owner
// (§4.2). While something is held or stuck they may differ.
std::vector<models::Leak> FlowCc::wrong_metadata() const {
  std::vector<models::Leak> wrong;
  const auto report = [&](Tag tag, std::string what) {
    const GlobalMetadata m = metadata(tag);
    wrong.push_back({"wrong-metadata",
                     fmt::format("block {} is {} {} to its owner, but {}", sim::printed_key(tag), to_string(m.status),
                                 to_text(m.copyset), what),
                     {tag, {}}});
  };
  for (const auto& node : nodes_) {
    for (const CacheEntry& entry : node->cache().entries()) {
      if (!entry.valid()) continue;
      const GlobalMetadata m = metadata(entry.tag);
      const bool dirty = entry.state == CacheEntry::State::dirty;
      if (shared_.is_homeless(entry.tag)) continue;
      if ((m.copyset & node_bit(node->id())) == 0 || dirty != (m.status == GlobalStatus::modified)) {
        report(entry.tag, fmt::format("node {} holds it {}", node->id(), dirty ? "dirty" : "clean"));
        continue;
      }
      for (const auto& other : nodes_) {
        if ((m.copyset & node_bit(other->id())) == 0) continue;
        const CacheEntry* copy = other->cache().find(entry.tag);
        if (copy == nullptr || !copy->valid()) report(entry.tag, fmt::format("node {} does not hold it", other->id()));
      }
    }
  }
  return wrong;
}

void FlowCc::record_final_state() {
  const sim::Time now = shared_.calendar.now();
  for (const auto& node : nodes_) {
    for (const CacheEntry& entry : node->cache().entries()) {
      if (!entry.valid()) continue;
      const GlobalMetadata m = metadata(entry.tag);
      shared_.event_log.record(sim::Observed::final_state, final_source_, now, sim::OperationId{node->id()}, entry.tag,
                               entry.value << 2 | static_cast<std::uint64_t>(entry.state),
                               static_cast<std::uint64_t>(m.copyset) << 8 | static_cast<std::uint64_t>(m.status));
    }
  }
  allocation_->record_final_state(final_source_);
}

std::unique_ptr<models::Protocol> FlowCcOptions::build(models::ProtocolContext& context) const {
  return std::make_unique<FlowCc>(context, *this);
}

}  // namespace racksim::flowcc
