// Set-up and inspection of the switch. See switch_owner.hpp.
#include "protocols/flowcc/switch/switch_owner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "models/packets/addressing.hpp"
#include "protocols/flowcc/node/memory_node.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::flowcc {

namespace {
// Registers of TAG and LOCK as people read them (lcf_program.cpp).
std::string tag_text(std::uint64_t tag_and_one) {
  return tag_and_one == 0 ? "no block" : "block " + sim::printed_key(sim::Key{tag_and_one - 1});
}

std::string lock_text(std::uint64_t lock) {
  return fmt::format("{:#06x} ({}, {} readers)", lock, lock & 0x8000 ? "a writer" : "no writer", lock & 0x7fff);
}

using ReplicationChange = std::function<void(p4::ReplicationEngine&)>;

ReplicationChange group_of(unsigned number, std::vector<p4::MulticastNode> members) {
  return [number = static_cast<std::uint16_t>(number), members = std::move(members)](p4::ReplicationEngine& engine) {
    engine.set_group(number, members);
  };
}

}  // namespace

SwitchOwner::SwitchOwner(Shared& shared)
    : shared_(shared),
      lcf_(make_lcf_program(shared.options, {.nodes = shared.shape.nodes,
                                             .threads = shared.threads(),
                                             .migrates = shared.options.migrates(),
                                             .locks = shared.threads() * shared.locks_per_thread()})),
      pipe_(shared.rack.chassis().pipe_of(shared.rack.port_of(0))) {
  models::SwitchChassis& chassis = shared_.rack.chassis();
  for (NodeId node = 0; node < shared_.shape.nodes; ++node) {
    if (chassis.pipe_of(shared_.rack.port_of(node)) != pipe_) {
      throw sim::OptionError("/rack/nodes", fmt::format("node {} in another pipe of the switch than node 0", node),
                             "all in one pipe: the LCF pipeline's state exists once");
    }
  }
  shared_.rack.install_program(lcf_.program);
  for (std::size_t way = 0; way < lcf_.tag.size(); ++way) {
    ways_.push_back({.tag = lcf_.tag[way]->id,
                     .lock = lcf_.lock[way]->id,
                     .status = lcf_.status[way]->id,
                     .copyset = lcf_.copyset[way]->id});
  }
  ways_installed_.resize(shared_.shape.nodes);
}

void SwitchOwner::connect(std::vector<MemoryNode*> nodes) {
  nodes_ = std::move(nodes);
  models::SwitchChassis& chassis = shared_.rack.chassis();
  for (unsigned pipe = 0; pipe < chassis.pipes(); ++pipe) {
    p4::Pipeline& pipeline = chassis.pipeline(pipe);
    fill_tables([&](const Entry& e) { pipeline.add_entry(*e.table, e.key, *e.action, e.data); });
    for (const p4::ValueSet* set : lcf_.ports) pipeline.add_value(*set, shared_.flowcc_port(0));
  }
  set_groups([&chassis](const ReplicationChange& change) { change(chassis.replication()); });
}

void SwitchOwner::load(std::uint32_t incarnation, ControlOperations& operations) {
  models::ControlCpu& cpu = shared_.rack.control_cpu();
  const unsigned pipes = shared_.rack.chassis().pipes();
  for (unsigned pipe = 0; pipe < pipes; ++pipe) {
    for (const p4::ValueSet* set : lcf_.ports)
      cpu.remove_value(pipe, set, loaded_port_, ~std::uint64_t{0}, operations.next());
    for (const p4::RegisterArray& array : lcf_.program->arrays()) cpu.clear(pipe, &array, operations.next());
    fill_tables([&](const Entry& e) {
      cpu.set_entry(pipe, e.table, {e.key.begin(), e.key.end()}, e.action, e.data, operations.next());
    });
  }
  set_groups([&](const ReplicationChange& change) { cpu.change_replication(change, operations.next()); });
  loaded_port_ = shared_.flowcc_port(incarnation);
  for (unsigned pipe = 0; pipe < pipes; ++pipe) {
    for (const p4::ValueSet* set : lcf_.ports)
      cpu.add_value(pipe, set, loaded_port_, ~std::uint64_t{0}, operations.next());
  }
}

void SwitchOwner::address_shadow(ControlOperations& operations) {
  models::ControlCpu& cpu = shared_.rack.control_cpu();
  for (unsigned pipe = 0; pipe < shared_.rack.chassis().pipes(); ++pipe) {
    fill_shadow([&](const Entry& e) {
      cpu.set_entry(pipe, e.table, {e.key.begin(), e.key.end()}, e.action, e.data, operations.next());
    });
  }
  set_add_groups([&](const ReplicationChange& change) { cpu.change_replication(change, operations.next()); });
}

void SwitchOwner::read_tags(std::uint64_t first, std::uint64_t end, const std::function<void(Tag)>& found,
                            ControlOperations& operations) {
  const std::uint64_t entries = shared_.options.entries_per_way;
  for (std::uint64_t place = first; place < end; ++place) {
    shared_.rack.control_cpu().read(pipe_, lcf_.tag[place / entries], place % entries,
                                    operations.next([found](std::uint64_t tag_and_one) {
                                      if (tag_and_one != 0) found(Tag{tag_and_one - 1});
                                    }));
  }
}

void SwitchOwner::release_locks() {
  models::ControlCpu& cpu = shared_.rack.control_cpu();
  for (const p4::RegisterArray* lock : lcf_.lock) cpu.clear(pipe_, lock, {});
  for (const p4::RegisterArray& array : lcf_.program->arrays()) {
    if (array.name == "SCOREBOARD") cpu.clear(pipe_, &array, {});
  }
}

// What the tables have to know of the nodes' queue pairs, entry by entry.
template <class Fill>
void SwitchOwner::fill_tables(Fill&& fill) const {
  const auto number = [](Receiver receiver) { return static_cast<std::uint64_t>(receiver); };
  for (MemoryNode* node : nodes_) {
    const std::uint64_t port = shared_.rack.port_of(node->id());
    const std::uint64_t mac = models::mac_of(node->id()), ip = models::ipv4_of(node->id());
    const std::uint64_t home_qp = node->home_agent().endpoint().raw_qpn();
    const std::uint64_t cache_qp = node->cache_agent().endpoint().raw_qpn();
    std::vector<std::uint64_t> home{port};
    if (shared_.options.migrates()) home.push_back(node->id());
    fill(Entry{lcf_.home_port, {mac}, lcf_.set_home_port, home});
    fill(Entry{lcf_.address, {port, number(Receiver::home_agent)}, lcf_.to_agent, {mac, ip, home_qp}});
    fill(Entry{lcf_.address, {port, number(Receiver::cache_agent)}, lcf_.to_agent, {mac, ip, cache_qp}});
    fill(Entry{lcf_.address, {port, number(Receiver::requester)}, lcf_.to_requester, {mac, ip}});
  }
  fill_shadow(fill);
}

template <class Fill>
void SwitchOwner::fill_shadow(Fill&& fill) const {
  if (!shadow_) return;
  const NodeId server = shadow_->server;
  fill(Entry{lcf_.address,
             {shared_.rack.port_of(server), static_cast<std::uint64_t>(Receiver::shadow)},
             lcf_.to_agent,
             {models::mac_of(server), models::ipv4_of(server), shadow_->queue_pair}});
}

// All subsets of 8 nodes are 255 groups; the high byte of a copyset has groups of its own.
template <class Set>
void SwitchOwner::set_groups(Set&& set) const {
  const auto port_of = [this](std::size_t node) {
    return static_cast<std::uint16_t>(shared_.rack.port_of(static_cast<NodeId>(node)));
  };
  for (const unsigned high : {0u, 1u}) {
    for (unsigned subset = 1; subset < 256; ++subset) {
      std::vector<p4::MulticastNode> members;
      for (unsigned bit = 0; bit < 8; ++bit) {
        const unsigned node = high * 8 + bit;
        if ((subset >> bit & 1) == 0 || node >= nodes_.size()) continue;
        members.push_back({static_cast<std::uint16_t>(node + 1), {port_of(node)}});
      }
      if (members.empty()) continue;
      set(group_of(high * kHighGroups + subset, members));
    }
  }
  for (MemoryNode* node : nodes_) {
    set([id = node->id(), port = port_of(node->id())](p4::ReplicationEngine& engine) {
      engine.set_exclusion(id, {port});
    });
  }
  set_add_groups(set);
}

// A home agent gets the answer to its ADD, and so does the shadow node, while there is one.
template <class Set>
void SwitchOwner::set_add_groups(Set&& set) const {
  if (!shared_.options.migrates()) return;
  const auto port_of = [this](NodeId server) { return static_cast<std::uint16_t>(shared_.rack.port_of(server)); };
  for (MemoryNode* node : nodes_) {
    const NodeId id = node->id();
    std::vector<p4::MulticastNode> members{{static_cast<std::uint16_t>(id + 1), {port_of(id)}}};
    if (shadow_) members.push_back({kShadowRid, {port_of(shadow_->server)}});
    set(group_of(kAddGroups + id, std::move(members)));
  }
}

std::optional<SwitchOwner::Place> SwitchOwner::place_of(Tag tag) const {
  const p4::RegisterFile& file = registers();
  const std::uint64_t index = index_of(tag);
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    if (file.read(ways_[way].tag, index) == tag + 1) return Place{way, index};
  }
  return std::nullopt;
}

bool SwitchOwner::install(Tag tag) {
  const std::uint64_t index = index_of(tag);
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    if (registers().read(ways_[way].tag, index) != 0) continue;
    registers().write(ways_[way].tag, index, tag + 1);
    ++installed_;
    auto& ways = ways_installed_[shared_.home_of(tag)];
    const std::uint64_t at = shared_.index_at_home(tag);
    if (at >= ways.size()) ways.resize(at + 1);
    ways[at] = static_cast<std::uint8_t>(way + 1);
    return true;
  }
  return false;
}

std::optional<GlobalMetadata> SwitchOwner::metadata(Tag tag) const {
  const auto place = place_of(tag);
  if (!place) return std::nullopt;
  return metadata(*place);
}

GlobalMetadata SwitchOwner::metadata(Place place) const {
  const p4::RegisterFile& file = registers();
  const Arrays& way = ways_[place.way];
  return {static_cast<GlobalStatus>(file.read(way.status, place.index)),
          static_cast<Copyset>(file.read(way.copyset, place.index))};
}

void SwitchOwner::set_metadata(Place place, GlobalMetadata metadata) {
  p4::RegisterFile& file = registers();
  const Arrays& way = ways_[place.way];
  file.write(way.status, place.index, static_cast<std::uint64_t>(metadata.status));
  file.write(way.copyset, place.index, metadata.copyset);
}

std::vector<models::SwitchRegister> SwitchOwner::registers_of(Tag tag) const {
  const auto place = place_of(tag);
  if (!place) return {};
  const auto shown = [&](const std::vector<const p4::RegisterArray*>& arrays, const char* meaning,
                         std::string (*print)(std::uint64_t)) {
    return models::SwitchRegister{pipe_, arrays[place->way]->name, place->index, meaning, "", print};
  };
  return {shown(lcf_.tag, "tag", tag_text), shown(lcf_.lock, "lock", lock_text),
          shown(lcf_.status, "status", [](std::uint64_t v) { return std::string(to_string(GlobalStatus(v))); }),
          shown(lcf_.copyset, "copyset", [](std::uint64_t v) { return to_text(static_cast<Copyset>(v)); })};
}

LockState SwitchOwner::lock(Tag tag) const {
  const auto place = place_of(tag);
  if (!place) return LockState::free;
  const std::uint64_t lock = registers().read(ways_[place->way].lock, place->index);
  return lock == 0 ? LockState::free : lock & 0x8000 ? LockState::write : LockState::read;
}

std::vector<models::Leak> SwitchOwner::left_scores() const {
  std::vector<models::Leak> leaks;
  if (!shared_.options.scoreboard) return leaks;
  const auto scores = registers().array("SCOREBOARD");
  for (unsigned slot = 0; slot < 2 * shared_.requesters(); ++slot) {
    const std::uint64_t score = registers().read(scores, slot);
    if (score == 0) continue;
    leaks.push_back({"leaked-lock", fmt::format("switch: SCOREBOARD[{}] = {}, of requester {}, which has no event",
                                                slot, score, slot / 2)});
  }
  return leaks;
}

void SwitchOwner::visit_blocks(const std::function<void(Tag)>& visit) const {
  for (const Arrays& way : ways_) {
    for (std::uint64_t index = 0; index < shared_.options.entries_per_way; ++index) {
      if (const std::uint64_t tag = registers().read(way.tag, index); tag != 0) visit(Tag{tag - 1});
    }
  }
}

std::optional<Tag> SwitchOwner::block_at(std::size_t way, std::uint64_t index) const {
  const std::uint64_t tag = registers().read(ways_[way].tag, index);
  return tag == 0 ? std::nullopt : std::optional(Tag{tag - 1});
}

std::string SwitchOwner::wrong_place(std::size_t way, std::uint64_t index) const {
  const std::uint64_t tag = registers().read(ways_[way].tag, index);
  if (tag == 0) {
    const std::uint64_t lock = registers().read(ways_[way].lock, index);
    if (lock == 0) return "";
    return fmt::format("LOCK{}[{}] = {} though the place is free", way + 1, index, lock_text(lock));
  }
  for (std::size_t other = 0; other < ways_.size(); ++other) {
    if (other == way || registers().read(ways_[other].tag, index) != tag) continue;
    return fmt::format("block {} is in ways {} and {} of index {}", sim::printed_key(sim::Key{tag - 1}),
                       std::min(way, other) + 1, std::max(way, other) + 1, index);
  }
  return "";
}

std::vector<std::uint32_t> SwitchOwner::ways_of_arrays(std::uint32_t none) const {
  std::vector<std::uint32_t> ways(lcf_.program->arrays().size(), none);
  for (std::uint32_t way = 0; way < ways_.size(); ++way) ways[ways_[way].tag] = ways[ways_[way].lock] = way;
  return ways;
}

std::vector<models::Leak> SwitchOwner::held_locks() const {
  std::vector<models::Leak> leaks;
  const auto& memory = registers();
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    const std::uint32_t tags = ways_[way].tag, locks = ways_[way].lock;
    for (auto index = memory.next_used(locks, 0); index < memory.size(locks);
         index = memory.next_used(locks, index + 1)) {
      const std::uint64_t lock = memory.read(locks, index);
      const Tag tag{memory.read(tags, index) - 1};
      leaks.push_back(
          {"leaked-lock",
           fmt::format("switch: LOCK{}[{}] = {}, block {}", way + 1, index, lock_text(lock), sim::printed_key(tag)),
           {tag, {}}});
    }
  }
  return leaks;
}

}  // namespace racksim::flowcc
