// The kinds of faults, and their schedule. See faults.hpp.
#include "models/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/wire_faults.hpp"

namespace racksim::models {

namespace {

using namespace sim::literals;

constexpr sim::Duration kEver = 1000_s;

/// Which wires a fault is on: those of one node or of all, and in which direction.
struct WireChoice {
  enum class Direction : std::uint8_t { both, to_switch, from_switch };
  std::uint64_t node = kAllNodes;
  Direction direction = Direction::both;
  static constexpr std::uint64_t kAllNodes = 65535;

  void declare(sim::Parameters& p) {
    p.integer("node", node, 0, kAllNodes, "The node whose wires are concerned; 65535 for all.");
    p.choice("direction", direction,
             {{"both", Direction::both}, {"to_switch", Direction::to_switch}, {"from_switch", Direction::from_switch}},
             "Which of a node's two wires.");
  }
  void check(const Rack& rack) const {
    if (node != kAllNodes && node >= rack.nodes()) {
      throw std::runtime_error(fmt::format("a fault names node {}, but the rack has {} nodes", node, rack.nodes()));
    }
  }
  template <class Act>
  void for_each(Rack& rack, Act&& act) const {
    for (std::size_t n = 0; n < rack.nodes(); ++n) {
      if (node != kAllNodes && node != n) continue;
      if (direction != Direction::from_switch) act(rack.uplink(static_cast<NodeId>(n)));
      if (direction != Direction::to_switch) act(rack.downlink(static_cast<NodeId>(n)));
    }
  }
};

/// The options that all kinds share.
class WireFault : public Fault {
 public:
  void declare(sim::Parameters& p) override {
    p.length("from", from_, 0_s, kEver, "When it begins.");
    p.length("until", until_, 0_s, kEver, "When it ends; the end of the measured phase ends it in any case.");
    wires_.declare(p);
  }
  void check(Rack& rack) const override {
    wires_.check(rack);
    if (until_ <= from_) throw std::runtime_error("a fault ends before it begins");
  }
  sim::Duration from() const override { return from_; }
  sim::Duration until() const override { return until_; }

 protected:
  WireChoice wires_;

 private:
  sim::Duration from_{}, until_ = kEver;
};

/// Random loss, duplication, reordering and delay.
class NoisyWires final : public WireFault {
 public:
  void declare(sim::Parameters& p) override {
    WireFault::declare(p);
    noise_.declare(p, "");
  }
  void announce(Rack& rack) override {
    // Jitter that the schedule asks for stays.
    noise_.jitter = std::max(noise_.jitter, rack.options().faults.jitter);
    wires_.for_each(rack, [&](Wire& wire) {
      wire.set_faults(noise_, sim::Time{} + from());
      if (until() < kEver) wire.set_faults({}, sim::Time{} + until());
    });
  }

 private:
  WireFaults noise_;
};

/// Drops chosen packets.
class TargetedDrops final : public WireFault {
 public:
  void declare(sim::Parameters& p) override {
    WireFault::declare(p);
    p.text("header", header_, "Name of a header that the packet must have.");
    p.text("field", field_, "Name of one of its fields; empty for any packet with the header.");
    p.integer("value", value_, 0, ~std::uint64_t{0}, "What the field must hold.");
    p.integer("first", first_, 1, ~std::uint64_t{0}, "The first matching packet to drop on each wire, counted from 1.");
    p.integer("count", count_, 1, ~std::uint64_t{0}, "How many matching packets to drop from there on.");
  }
  void check(Rack& rack) const override {
    WireFault::check(rack);
    if (header_.empty()) throw std::runtime_error("a fault of kind 'drop' needs the name of a header");
  }
  void announce(Rack& rack) override {
    TargetedDrop drop;
    drop.match.header = header_;
    if (!field_.empty()) drop.match.fields.emplace_back(field_, value_);
    drop.first = first_;
    drop.count = count_;
    drop.from = sim::Time{} + from();
    drop.until = sim::Time{} + until();
    wires_.for_each(rack, [&](Wire& wire) { wire.add_targeted_drop(drop); });
  }

 private:
  std::string header_, field_;
  std::uint64_t value_ = 0, first_ = 1, count_ = 1;
};

/// Wires that are cut.
class WiresDown final : public WireFault {
 public:
  void begin(Rack& rack) override {
    wires_.for_each(rack, [](Wire& wire) { wire.set_up(false); });
  }
  void end(Rack& rack) override {
    wires_.for_each(rack, [](Wire& wire) { wire.set_up(true); });
  }
};

}  // namespace

const std::vector<FaultEntry>& faults() {
  static const std::vector<FaultEntry> entries{
      {"down", "wires are down", [] { return std::make_shared<WiresDown>(); }},
      {"drop", "chosen packets are dropped", [] { return std::make_shared<TargetedDrops>(); }},
      {"noise", "random loss, bursts, duplicates, reordering, stalls; of two on one wire the later to begin holds",
       [] { return std::make_shared<NoisyWires>(); }},
  };
  return entries;
}

FaultSchedule::FaultSchedule(Rack& rack, std::vector<std::shared_ptr<Fault>> faults)
    : rack_(rack),
      lane_(rack.calendar().add_lane("faults")),
      source_(rack.journal().add_source("faults")),
      faults_(std::move(faults)),
      active_(faults_.size(), false) {
  for (const auto& fault : faults_) fault->check(rack);
}

void FaultSchedule::start() {
  for (const auto& fault : faults_) fault->announce(rack_);
  for (std::uint32_t i = 0; i < faults_.size(); ++i) {
    rack_.calendar().at<&FaultSchedule::begin>(sim::Time{} + faults_[i]->from(), lane_, *this, i);
    rack_.calendar().at<&FaultSchedule::end>(sim::Time{} + faults_[i]->until(), lane_, *this, i);
  }
}

void FaultSchedule::begin(std::uint32_t index) {
  if (healed_) return;
  active_[index] = true;
  faults_[index]->begin(rack_);
  rack_.journal().record(sim::Observed::fault, source_, rack_.calendar().now(), 0, index, 1);
}

void FaultSchedule::end(std::uint32_t index) {
  if (!active_[index]) return;
  active_[index] = false;
  faults_[index]->end(rack_);
  rack_.journal().record(sim::Observed::fault, source_, rack_.calendar().now(), 0, index, 0);
}

void FaultSchedule::heal() {
  healed_ = true;
  for (std::size_t node = 0; node < rack_.nodes(); ++node) {
    rack_.uplink(static_cast<NodeId>(node)).heal(rack_.calendar().now() + kHealNotice);
    rack_.downlink(static_cast<NodeId>(node)).heal(rack_.calendar().now() + kHealNotice);
  }
  for (std::uint32_t i = 0; i < faults_.size(); ++i) end(i);
}

}  // namespace racksim::models
