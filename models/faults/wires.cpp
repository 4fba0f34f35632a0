// Faults of wires: `noise` (random loss, bursts, duplicates, reordering, delay), `drop`, `hold` and `duplicate` (chosen
// packets), `down` (cut).
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "models/faults/fault.hpp"
#include "models/packets/rdma_headers.hpp"
#include "models/switch/switch_chassis.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::models {

namespace {

using namespace sim::literals;

/// How long a packet is held back: less than a round trip or beyond the longest timeout, so that what was sent again in
/// the meantime may be over and done with.
sim::Duration draw_delay(sim::RandomStream& random, const FaultScene& scene) {
  return draw_length(random, 100_ns, std::clamp(scene.longest_timeout * 4, 50_us, 1_s));
}

/// What the kinds share: which wires, of servers or of a link between two switches.
class FaultOfWires : public Fault {
 public:
  void declare(sim::Parameters& p) override {
    Fault::declare(p);
    nodes_.declare(p);
    p.choice("direction", direction_,
             {{"both", Direction::both}, {"to_switch", Direction::to_switch}, {"from_switch", Direction::from_switch}},
             "Which of a node's two wires.");
    p.text(
         "link", link_,
         "The link between two switches that it hits instead, such as \"tor1-spine.0\"; to_switch is then towards the "
         "spine, from_switch from it.")
        .neutral("");
  }
  void check(Rack& rack) const override {
    Fault::check(rack);
    nodes_.check(rack);
    if (link_.empty()) return;
    if (nodes_.node) {
      throw sim::OptionError("link", fmt::format("\"{}\" and node {}", link_, *nodes_.node), "one of the two");
    }
    std::string names;
    for (const Trunk& trunk : rack.trunks()) {
      if (trunk.name == link_) return;
      names += (names.empty() ? "" : ", ") + trunk.name;
    }
    throw sim::OptionError(
        "link", fmt::format("\"{}\"", link_),
        names.empty() ? "nothing: the rack has one switch" : "a link between two switches: " + names);
  }
  bool acts_on_packets_alone() const override { return true; }
  std::string where() const override {
    constexpr std::array kDirections{"", ", to the switch", ", from the switch"};
    return (link_.empty() ? nodes_.where() : link_) + kDirections.at(static_cast<std::size_t>(direction_));
  }
  void draw(sim::RandomStream& random, const FaultScene& scene) override {
    Fault::draw(random, scene);
    nodes_.draw(random, scene);
    direction_ = static_cast<Direction>(random.below(3));
    if (!scene.links.empty() && random.chance(0.3)) {
      nodes_.node.reset();
      link_ = scene.links[random.below(scene.links.size())];
    }
  }

 protected:
  template <class Act>
  void for_each_wire(Rack& rack, Act&& act) const {
    if (!link_.empty()) {
      for (const Trunk& trunk : rack.trunks()) {
        if (trunk.name != link_) continue;
        if (direction_ != Direction::from_switch) act(*trunk.up);
        if (direction_ != Direction::to_switch) act(*trunk.down);
      }
      return;
    }
    nodes_.for_each(rack, [&](NodeId node) {
      if (direction_ != Direction::from_switch) act(rack.uplink(node));
      if (direction_ != Direction::to_switch) act(rack.downlink(node));
    });
  }

 private:
  enum class Direction : std::uint8_t { both, to_switch, from_switch };
  NodeChoice nodes_;
  Direction direction_ = Direction::both;
  std::string link_;
};

class Noise final : public FaultOfWires {
 public:
  void declare(sim::Parameters& p) override {
    FaultOfWires::declare(p);
    noise_.declare(p, "");
  }
  void announce(Rack& rack) override {
    // Jitter that the schedule asks for stays.
    noise_.jitter = std::max(noise_.jitter, rack.options().faults.jitter);
    for_each_wire(rack, [&](Wire& wire) { wire.set_faults(noise_, sim::Time{} + from(), sim::Time{} + until()); });
  }
  sim::Time healed_by(sim::Time heal) const override { return heal + kHealNotice; }
  void draw(sim::RandomStream& random, const FaultScene& scene) override {
    FaultOfWires::draw(random, scene);
    constexpr std::array kProbabilities{0.001, 0.01, 0.05, 0.2};
    const auto probability = [&] { return kProbabilities.at(random.below(kProbabilities.size())); };
    noise_ = {};
    // Each part is there in every other draw; at least one is.
    const std::uint64_t parts = 1 + random.below(63);
    if (parts & 1) noise_.loss = probability();
    if (parts & 2) {
      noise_.burst_enter = probability() / 10;
      noise_.burst_leave = probability();
    }
    if (parts & 4) noise_.duplicate = probability();
    if (parts & 8) {
      noise_.reorder = probability();
      noise_.reorder_delay = draw_delay(random, scene);
    }
    if (parts & 16) {
      noise_.spike = probability() / 10;
      noise_.spike_delay = draw_length(random, 1_us, 100_us);
    }
    if (parts & 32) noise_.jitter = draw_length(random, 1_ns, 5_us);
  }

 private:
  WireFaults noise_;
};

/// What `drop`, `hold` and `duplicate` share: which packets.
class FaultOfPackets : public FaultOfWires {
 public:
  FaultOfPackets(const char* verb, TargetedFault::Effect effect) : effect_(effect), verb_(verb) {}
  void declare(sim::Parameters& p) override {
    FaultOfWires::declare(p);
    p.text("header", header_, "Name of a header that the packet must have; empty for any packet.");
    p.text("field", field_, "Name of one of its fields; empty for any packet with the header.");
    p.integer("value", value_, 0, ~std::uint64_t{0}, "What the field must hold.");
    p.integer("first", first_, 1, ~std::uint64_t{0},
              fmt::format("The first matching packet to {} on each wire, counted from 1.", verb_));
    p.integer("count", count_, 1, ~std::uint64_t{0},
              fmt::format("How many matching packets to {} from there on.", verb_));
    p.integer("every", every_, 1, ~std::uint64_t{0},
              fmt::format("Of the matching packets from there on, one of so many is the next to {}.", verb_));
  }
  void check(Rack& rack) const override {
    FaultOfWires::check(rack);
    if (header_.empty()) {
      if (!field_.empty())
        throw sim::OptionError("field", fmt::format("the field \"{}\" of no header", field_), "\"header\" too");
      return;
    }
    const p4::HeaderLayout* layout = find_layout(rack);
    if (field_.empty()) return;
    const auto end = layout->fields.begin() + static_cast<std::ptrdiff_t>(layout->count);
    if (std::none_of(layout->fields.begin(), end, [&](const auto& field) { return field.name == field_; })) {
      std::string names;
      for (auto field = layout->fields.begin(); field != end; ++field) {
        names += (names.empty() ? "" : ", ") + std::string(field->name);
      }
      throw sim::OptionError("field", fmt::format("\"{}\"", field_),
                             fmt::format("a field of the header \"{}\": {}", header_, names));
    }
  }
  void announce(Rack& rack) override {
    TargetedFault fault;
    fault.match.header = header_;
    if (!field_.empty()) fault.match.fields.emplace_back(field_, value_);
    fault.first = first_;
    fault.count = count_;
    fault.every = every_;
    fault.from = sim::Time{} + from();
    fault.until = sim::Time{} + until();
    fault.effect = effect_;
    fault.delay = delay_;
    for_each_wire(rack, [&](Wire& wire) { wire.add_targeted_fault(fault); });
  }
  sim::Time healed_by(sim::Time heal) const override { return heal + kHealNotice; }
  void draw(sim::RandomStream& random, const FaultScene& scene) override {
    FaultOfWires::draw(random, scene);
    header_.clear();
    field_.clear();
    value_ = 0;
    first_ = 1 + random.below(200);
    count_ = 1 + random.below(4);
    every_ = 1;
    // A few in a row, or here and there one for as long as the fault lasts: late or doubled packets may meet again and
    // again what has become of their events.
    if (random.chance(0.5)) {
      count_ *= 50;
      every_ = 2 + random.below(30);
    }
  }

 protected:
  TargetedFault::Effect effect_;
  sim::Duration delay_{};

 private:
  /// The layout of the header, which a switch's program or the NICs know.
  const p4::HeaderLayout* find_layout(Rack& rack) const {
    std::vector<const p4::HeaderLayout*> known{&Bth::kLayout, &Reth::kLayout, &Aeth::kLayout};
    for (unsigned number = 0; number < rack.switches(); ++number) {
      for (const auto& use : rack.chassis(number).pipeline(0).program().headers()) {
        if (std::find(known.begin(), known.end(), use.layout) == known.end()) known.push_back(use.layout);
      }
    }
    std::string names;
    for (const auto* layout : known) {
      if (layout->name == header_) return layout;
      names += (names.empty() ? "" : ", ") + std::string(layout->name);
    }
    throw sim::OptionError("header", fmt::format("\"{}\"", header_), "a header that packets have: " + names);
  }

  const char* verb_;
  std::string header_, field_;
  std::uint64_t value_ = 0, first_ = 1, count_ = 1, every_ = 1;
};

class Drop final : public FaultOfPackets {
 public:
  Drop() : FaultOfPackets("drop", TargetedFault::Effect::drop) {}
};

class Hold final : public FaultOfPackets {
 public:
  Hold() : FaultOfPackets("hold back", TargetedFault::Effect::hold) { delay_ = 100_us; }
  void declare(sim::Parameters& p) override {
    FaultOfPackets::declare(p);
    p.length("delay", delay_, 1_ps, 1_s, "How much later each of them arrives, alone; others overtake it.");
    p.flag("in_order", in_order_, "Nothing overtakes it after all: what is behind it on its wire waits.");
  }
  void announce(Rack& rack) override {
    effect_ = in_order_ ? TargetedFault::Effect::stall : TargetedFault::Effect::hold;
    FaultOfPackets::announce(rack);
  }
  void draw(sim::RandomStream& random, const FaultScene& scene) override {
    FaultOfPackets::draw(random, scene);
    delay_ = draw_delay(random, scene);
  }

 private:
  bool in_order_ = false;
};

class Duplicate final : public FaultOfPackets {
 public:
  Duplicate() : FaultOfPackets("duplicate", TargetedFault::Effect::duplicate) {}
  void declare(sim::Parameters& p) override {
    FaultOfPackets::declare(p);
    p.length("delay", delay_, 0_ps, 1_s, "How much later than right behind the packet its copy arrives, alone.");
  }
  void draw(sim::RandomStream& random, const FaultScene& scene) override {
    FaultOfPackets::draw(random, scene);
    delay_ = random.chance(0.5) ? 0_ps : draw_delay(random, scene);
  }
};

class Down final : public FaultOfWires {
 public:
  void begin(Rack& rack) override {
    for_each_wire(rack, [](Wire& wire) { wire.set_up(false); });
  }
  void end(Rack& rack) override {
    for_each_wire(rack, [](Wire& wire) { wire.set_up(true); });
  }
};

const sim::Registration<FaultEntry> noise(
    {.name = "noise",
     .doc = "random loss, bursts, duplicates, reordering, stalls; of two on one wire the later to begin holds",
     .make = [] { return std::make_shared<Noise>(); }});

const sim::Registration<FaultEntry> drop({.name = "drop",
                                          .doc = "the n-th to m-th packet of a type is dropped, on each wire",
                                          .make = [] { return std::make_shared<Drop>(); },
                                          .names_packets = true});

const sim::Registration<FaultEntry> hold(
    {.name = "hold",
     .doc = "the n-th to m-th packet of a type is late, on each wire; others overtake it, or wait",
     .make = [] { return std::make_shared<Hold>(); },
     .names_packets = true});

const sim::Registration<FaultEntry> duplicate(
    {.name = "duplicate",
     .doc = "the n-th to m-th packet of a type arrives twice, on each wire, the copy at once or later",
     .make = [] { return std::make_shared<Duplicate>(); },
     .names_packets = true});

const sim::Registration<FaultEntry> down({.name = "down",
                                          .doc = "wires are down: what is on them and what starts is lost",
                                          .make = [] { return std::make_shared<Down>(); }});

}  // namespace

}  // namespace racksim::models
