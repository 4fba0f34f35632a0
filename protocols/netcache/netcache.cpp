// Assembly and inspection of NetCache. See netcache.hpp.
#include "protocols/netcache/netcache.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "p4model/execute/registry.hpp"
#include "protocols/netcache/messages.hpp"
#include "protocols/store/client_step.hpp"
#include "protocols/switch_cache/described_registers.hpp"
#include "protocols/switch_cache/messages.hpp"

namespace racksim::netcache {

namespace {

NetShape shape_of(const NetCacheOptions& options) {
  NetShape shape;
  shape.cache_entries = options.cache_entries;
  shape.versions = options.exactly_once;
  shape.largest_version = options.versions().largest();
  shape.detect = options.updates;
  shape.sketch_width = options.sketch_width;
  shape.threshold = options.threshold;
  shape.invalidate = options.invalidate;
  shape.ordered_updates = options.ordered_updates;
  return shape;
}

// For `racksim fit`.
const sim::Registration<p4::ProgramEntry> program({
    .name = "netcache",
    .doc = "NetCache's data plane with versions and detection of hot keys: 10,240 keys",
    .make =
        [] {
          NetShape shape;
          shape.versions = true;
          shape.detect = true;
          return make_net_program(shape).program;
        },
});
const sim::Registration<p4::ProgramEntry> printed_program({
    .name = "netcache-paper",
    .doc = "NetCache's data plane as printed, with one validity bit a key",
    .make =
        [] {
          NetShape shape;
          shape.detect = true;
          return make_net_program(shape).program;
        },
});

sim::Registration<p4::ShippedShape> shipped(const char* name, const NetShape& shape) {
  return sim::Registration<p4::ShippedShape>({name, [shape] { return make_net_program(shape).program; }});
}
const sim::Registration<p4::ShippedShape> shapes[]{
    shipped("netcache-preloaded", {.versions = true}),
    shipped("netcache-narrow", {.versions = true, .detect = true, .sketch_width = 256}),
    shipped("netcache-narrow-10-bits",
            {.versions = true, .largest_version = (1u << 10) - 1, .detect = true, .sketch_width = 256}),
    shipped("netcache-narrow-24-bits",
            {.versions = true, .largest_version = (1u << 24) - 1, .detect = true, .sketch_width = 256}),
};

const sim::Registration<models::ProtocolEntry> registration({
    .name = "netcache",
    .doc = "in-network caching of small values in switch memory (SOSP '17; baseline of StarCache, NSDI '25)",
    .make_options = [] { return std::make_shared<NetCacheOptions>(); },
    .tolerates = {"availability", "control-delay", "crash", "down", "drop", "duplicate", "fast-clock", "hold",
                  "nic-stall", "noise", "partition", "slow-core"},
    .coverage = coverage_map(),
    .tables = {&store::client_table().description()},
    .work_shares = {{"of the operations were answered by the switch", "store.answers_by_switch", "store.answers"}},
    .knows_racks = true,
});

}  // namespace

NetCache::NetCache(models::ProtocolContext& context, const NetCacheOptions& options)
    : Application(context, options, options.exactly_once),
      options_(options),
      location_(shared()),
      counters_(context.rack.metrics()),
      program_(make_net_program(shape_of(options))) {
  shared().coverage = context.coverage;
  shared().versions = options.versions();
  context.rack.install_program(program_.program, location_.network_switch());
  for (const auto& partition : partitions()) {
    servers_.push_back(std::make_unique<NetServer>(shared(), location_, options_, counters_, *partition));
  }
  manager_ = std::make_unique<CacheManager>(shared(), location_, options_, counters_, program_);
  controller_ = std::make_unique<Controller>(shared(), options_, counters_, program_, *manager_);
  if (context.coverage.on()) {
    switch_coverage_ = std::make_unique<SwitchCoverage>(shared(), *manager_);
    location_.chassis().add_pass_observer(*switch_coverage_);
  }
}

void NetCache::add_actors(sim::Engine& engine, std::span<const sim::HostId>) {
  controller_->add_actor(engine);
}

void NetCache::preload(std::span<const sim::Key> hottest) {
  const auto keys = hottest.first(std::min<std::size_t>(hottest.size(), options_.preload));
  for (const auto& [key, version] : manager_->preload(keys)) {
    servers_[shared().home_of(shared().hash(key))]->preloaded(key, version);
  }
}

void NetCache::node_crashed(models::NodeId node) {
  Application::node_crashed(node);
  for (const auto& server : servers_) {
    if (shared().node_of(server->server()) == node) server->crash();
  }
}

void NetCache::add_waits(std::vector<sim::Wait>& waits) const {
  Application::add_waits(waits);
  for (std::size_t server = 0; server < servers_.size(); ++server) {
    servers_[server]->add_waits(server_name(static_cast<unsigned>(server)), waits);
  }
}

bool NetCache::quiescent() const {
  return Application::quiescent() && manager_->busy() == 0 && !controller_->in_round() &&
         std::all_of(servers_.begin(), servers_.end(), [](const auto& server) { return server->updating() == 0; });
}

std::vector<models::Leak> NetCache::leaks() const {
  std::vector<models::Leak> leaks = Application::leaks();
  for (const auto& server : servers_) {
    if (server->updating() == 0) continue;
    leaks.push_back({"stuck-request",
                     fmt::format("server {}: {} cache updates without an acknowledgement, {} writes behind them",
                                 server->server(), server->updating(), server->holding()),
                     {}});
  }
  for (models::Leak& leak : manager_->leaks()) leaks.push_back(std::move(leak));
  for (const auto& server : servers_) {
    for (models::Leak& leak : server->leaks(*manager_)) leaks.push_back(std::move(leak));
  }
  if (quiescent()) std::ranges::move(manager_->dead_keys(), std::back_inserter(leaks));
  return leaks;
}

// A valid value in the switch is a copy that readers get.
void NetCache::show_state(sim::StateVisitor& visitor) const {
  Application::show_state(visitor);
  const p4::RegisterFile& registers = location_.pipeline(kPipe).registers();
  for (const sim::Key key : manager_->cached()) {
    const std::uint64_t index = manager_->index_of(key);
    const std::uint64_t state = registers.read(program_.state->id, index);
    if (!program_.is_valid(state)) continue;
    const sim::Value value =
        store::ValueHeader::value_of([&](unsigned i) { return registers.read(program_.values[i]->id, index); });
    visitor.copy(key, sim::Holder::network_switch(), value, sim::CopyState::clean);
  }
}

std::vector<models::SwitchRegister> NetCache::switch_state_of(sim::Key key) const {
  if (!manager_->is_cached(key)) return {};
  const switch_cache::RowAt row = manager_->row_of(key);
  const auto word_text = [](std::uint64_t word) { return fmt::format("{:#x}", word); };
  // The other words follow from these two (ValueHeader).
  return {switch_cache::described_state(location_, program_, row),
          switch_cache::described(location_, *program_.values[0], row, "low half of the value", word_text),
          switch_cache::described(location_, *program_.values[1], row, "high half of the value", word_text)};
}

const char* NetCache::name_of(store::Op op) const {
  if (op == kCacheUpdate) return "UPDATE";
  if (op == kCacheUpdateReply) return "UPDATE-ACK";
  const char* name = switch_cache::name_of(op);
  return name != nullptr ? name : Application::name_of(op);
}

std::unique_ptr<models::Protocol> NetCacheOptions::build(models::ProtocolContext& context) const {
  return std::make_unique<NetCache>(context, *this);
}

}  // namespace racksim::netcache
