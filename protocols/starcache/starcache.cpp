// Assembly and inspection of StarCache. See starcache.hpp.
#include "protocols/starcache/starcache.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "p4model/execute/registry.hpp"
#include "protocols/starcache/messages.hpp"
#include "protocols/store/client_step.hpp"
#include "protocols/switch_cache/described_registers.hpp"
#include "protocols/switch_cache/messages.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::starcache {

using store::Op;

namespace {

StarShape shape_of(const StarCacheOptions& options, const switch_cache::CacheLocation& location, unsigned switches) {
  StarShape shape;
  shape.recirculation_port = static_cast<std::uint16_t>(location.chassis().recirculation_port(0));
  if (location.pipes().back() > 0) shape.pipes = location.chassis().pipes();
  shape.own_servers_only = options.own_servers_only && switches > 1;
  shape.cache_entries = options.cache_entries;
  shape.queue_size = options.queue_size;
  shape.versions = options.coherence == StarCacheOptions::Coherence::versions;
  shape.largest_version = options.versions().largest();
  shape.invalidate = options.invalidate;
  shape.drop_stale = options.drop_stale;
  shape.set_flag = options.set_flag;
  return shape;
}

bool with_safety(const StarCacheOptions& options) {
  return options.coherence == StarCacheOptions::Coherence::versions;
}

// For `racksim fit`, with the paper's request table.
const sim::Registration<p4::ProgramEntry> program({
    .name = "starcache",
    .doc = "StarCache's data plane with versions: 4096 keys, 16 requests each",
    .make =
        [] {
          StarShape shape;
          shape.versions = true;
          return make_star_program(shape).program;
        },
});
const sim::Registration<p4::ProgramEntry> printed_program({
    .name = "starcache-paper",
    .doc = "StarCache's data plane as printed, with one validity bit a key",
    .make = [] { return make_star_program(StarShape{}).program; },
});

sim::Registration<p4::ShippedShape> shipped(const char* name, const StarShape& shape) {
  return sim::Registration<p4::ShippedShape>({name, [shape] { return make_star_program(shape).program; }});
}
const sim::Registration<p4::ShippedShape> shapes[]{
    shipped("starcache-queue-4", {.queue_size = 4, .versions = true}),
    shipped("starcache-queue-8", {.queue_size = 8, .versions = true}),
    shipped("starcache-queue-256", {.cache_entries = 560, .queue_size = 256, .versions = true}),
    shipped("starcache-paper-queue-256", {.cache_entries = 560, .queue_size = 256}),
    shipped("starcache-10-bits", {.queue_size = 4, .versions = true, .largest_version = (1u << 10) - 1}),
    shipped("starcache-24-bits", {.queue_size = 4, .versions = true, .largest_version = (1u << 24) - 1}),
    shipped("starcache-racks", {.versions = true, .own_servers_only = true}),
    shipped("starcache-racks-queue-4", {.pipes = 4, .queue_size = 4, .versions = true, .own_servers_only = true}),
    shipped("starcache-racks-4-pipes", {.pipes = 4, .versions = true, .own_servers_only = true}),
};

const sim::Registration<models::ProtocolEntry> registration({
    .name = "starcache",
    .doc = "variable-length in-network caching by circulating packets (NSDI '25)",
    .make_options = [] { return std::make_shared<StarCacheOptions>(); },
    .tolerates = {"availability", "control-delay", "crash", "down", "drop", "duplicate", "fast-clock", "hold",
                  "nic-stall", "noise", "partition", "slow-core"},
    .coverage = coverage_map(),
    .tables = {&store::client_table().description()},
    .work_shares = {{"of the operations were answered by the switch", "store.answers_by_switch", "store.answers"}},
    .knows_racks = true,
});

}  // namespace

StarCache::StarCache(models::ProtocolContext& context, const StarCacheOptions& options)
    : Application(context, options, with_safety(options)),
      options_(options),
      location_(shared()),
      counters_(context.rack.metrics()),
      program_(make_star_program(shape_of(options, location_, context.rack.switches()))) {
  if (options.cache_size > options.cache_entries) {
    throw sim::OptionError("cache_size", fmt::format("a cache of {} keys", options.cache_size),
                           fmt::format("at most the switch's {} entries", options.cache_entries));
  }
  shared().coverage = context.coverage;
  shared().versions = options.versions();
  context.rack.install_program(program_.program, location_.network_switch());
  for (const auto& partition : partitions()) {
    servers_.push_back(std::make_unique<StarServer>(shared(), location_, options_, counters_, *partition));
    if (options_.updates) servers_.back()->start_reporting();
  }
  manager_ = std::make_unique<CacheManager>(shared(), location_, options_, counters_, program_);
  controller_ = std::make_unique<Controller>(shared(), options_, counters_, program_, *manager_, servers_);
  if (context.coverage.on()) {
    switch_coverage_ = std::make_unique<SwitchCoverage>(shared(), options_, program_, *manager_);
    location_.chassis().add_pass_observer(*switch_coverage_);
  }
}

void StarCache::add_actors(sim::Engine& engine, std::span<const sim::HostId>) {
  controller_->add_actor(engine);
}

void StarCache::do_describe_items(const models::ItemSizes& sizes) {
  Application::do_describe_items(sizes);
  const std::uint32_t largest = std::max(sizes.small_value_bytes, sizes.large_value_bytes);
  if (!options_.multi_packet && largest > shared().value_room()) {
    throw sim::OptionError(
        "/workload", fmt::format("a value of {} bytes", largest),
        fmt::format("at most the {} bytes of one packet, since multi_packet is off", shared().value_room()));
  }
}

void StarCache::preload(std::span<const sim::Key> hottest) {
  manager_->preload(hottest);
}

void StarCache::node_crashed(models::NodeId node) {
  Application::node_crashed(node);
  for (const auto& partition : partitions()) {
    if (shared().node_of(partition->server()) == node) servers_[partition->server()]->crash();
  }
}

std::string StarCache::answers(sim::Key key, bool write) const {
  return !write && manager_->is_cached(key) ? "switch" : Application::answers(key, write);
}

bool StarCache::quiescent() const {
  return Application::quiescent() && manager_->busy() == 0 && !controller_->in_round() &&
         std::none_of(servers_.begin(), servers_.end(), [](const auto& server) { return server->reporting(); });
}

// Besides the rows, the request table (§3.4), where a queue ends where it begins and its length further, all round its
// circle; and what should circulate.
std::vector<models::Leak> StarCache::leaks() const {
  std::vector<models::Leak> leaks = Application::leaks();
  for (models::Leak& leak : manager_->leaks()) leaks.push_back(std::move(leak));
  for (const auto& server : servers_) {
    for (models::Leak& leak : server->leaks(*manager_)) leaks.push_back(std::move(leak));
  }
  // Nothing to report comes after the workload's end, and a run drains until all reports are acknowledged.
  for (const auto& partition : partitions()) {
    const unsigned server = partition->server();
    if (!servers_[server]->reporting()) continue;
    leaks.push_back({"stuck-request", fmt::format("server {}: a report is not acknowledged", server), {}});
  }
  if (!quiescent()) return leaks;
  for (const unsigned pipe : location_.pipes()) add_torn_queues(pipe, leaks);
  std::ranges::move(manager_->dead_keys(), std::back_inserter(leaks));
  return leaks;
}

void StarCache::add_torn_queues(unsigned pipe, std::vector<models::Leak>& leaks) const {
  const p4::RegisterFile& registers = location_.pipeline(pipe).registers();
  const std::string whose = location_.pipes().size() == 1 ? "" : fmt::format(" of pipe {}", pipe);
  for (std::uint64_t index = 0; index < options_.cache_entries; ++index) {
    const std::uint64_t length = switch_cache::low_half(*program_.queue, registers.read(program_.queue->id, index));
    const std::uint64_t front = registers.read(program_.front->id, index);
    const std::uint64_t rear = registers.read(program_.rear->id, index);
    if ((front + length) % options_.queue_size == rear) continue;
    leaks.push_back({"leaked-entry",
                     fmt::format("switch: the queue of index {}{} begins at {} and ends at {}, with {} requests", index,
                                 whose, front, rear, length),
                     {}});
  }
}

void StarCache::show_state(sim::StateVisitor& visitor) const {
  Application::show_state(visitor);
  manager_->for_each_copy([&](const store::Message& message) {
    visitor.copy(message.key, sim::Holder::network_switch(), message.value, sim::CopyState::clean);
  });
}

std::vector<models::SwitchRegister> StarCache::switch_state_of(sim::Key key) const {
  if (!manager_->is_cached(key)) return {};
  const switch_cache::RowAt row = manager_->row_of(key);
  // The low half counts requests, the high half is the ACKed-packet counter (§3.9).
  const auto queue_text = [](std::uint64_t queue) {
    return fmt::format("{} waiting, next packet {}", queue & 0xffff'ffff, queue >> 32);
  };
  return {switch_cache::described_state(location_, program_, row),
          switch_cache::described(location_, *program_.queue, row, "request queue", queue_text),
          switch_cache::described(location_, *program_.front, row, "slot of the first that waits", nullptr),
          switch_cache::described(location_, *program_.rear, row, "slot for the next that waits", nullptr)};
}

const char* StarCache::name_of(store::Op op) const {
  if (op == kReport) return "REPORT";
  if (op == kReportReply) return "REPORT-ACK";
  const char* name = switch_cache::name_of(op);
  return name != nullptr ? name : Application::name_of(op);
}

std::unique_ptr<models::Protocol> StarCacheOptions::build(models::ProtocolContext& context) const {
  return std::make_unique<StarCache>(context, *this);
}

}  // namespace racksim::starcache
