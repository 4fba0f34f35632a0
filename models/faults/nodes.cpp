// Faults of servers that leave them running: `nic-stall`, `slow-core`, `fast-clock`, `isolation`.
#include <fmt/core.h>

#include <array>
#include <cmath>

#include "models/faults/fault.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::models {

namespace {

/// What the kinds share: which nodes.
class FaultOfNodes : public Fault {
 public:
  void declare(sim::Parameters& p) override {
    Fault::declare(p);
    nodes_.declare(p);
  }
  void check(Rack& rack) const override {
    Fault::check(rack);
    nodes_.check(rack);
  }
  std::string where() const override { return nodes_.where(); }
  void draw(sim::RandomStream& random, const FaultScene& scene) override {
    Fault::draw(random, scene);
    nodes_.draw(random, scene);
  }

 protected:
  NodeChoice nodes_;
};

class NicStall final : public FaultOfNodes {
 public:
  void declare(sim::Parameters& p) override {
    FaultOfNodes::declare(p);
    p.choice("side", side_, {{"both", Side::both}, {"sending", Side::sending}, {"receiving", Side::receiving}},
             "Which side of the NIC stands still. What it would send waits; what arrives waits until the NIC holds "
             "`nic.receive_ring` packets, then is lost.");
  }
  std::string where() const override {
    constexpr std::array kSides{"", ", sending", ", receiving"};
    return nodes_.where() + kSides.at(static_cast<std::size_t>(side_));
  }
  void announce(Rack& rack) override {
    if (side_ == Side::receiving) return;
    nodes_.for_each(rack, [&](NodeId node) { rack.server(node).nic().stall_transmit(sim::Time{} + from()); });
  }
  void begin(Rack& rack) override {
    if (side_ == Side::sending) return;
    nodes_.for_each(rack, [&](NodeId node) { rack.server(node).nic().stall_receive(); });
  }
  void end(Rack& rack) override {
    withdraw(rack);
    if (side_ == Side::sending) return;
    nodes_.for_each(rack, [&](NodeId node) { rack.server(node).nic().resume_receive(); });
  }
  void withdraw(Rack& rack) override {
    if (side_ == Side::receiving) return;
    nodes_.for_each(rack, [&](NodeId node) { rack.server(node).nic().resume_transmit(sim::Time{} + from()); });
  }
  void draw(sim::RandomStream& random, const FaultScene& scene) override {
    FaultOfNodes::draw(random, scene);
    side_ = static_cast<Side>(random.below(3));
  }

 private:
  enum class Side : std::uint8_t { both, sending, receiving };
  Side side_ = Side::both;
};

class SlowCore final : public FaultOfNodes {
 public:
  void declare(sim::Parameters& p) override {
    FaultOfNodes::declare(p);
    p.optional_integer("core", core_, 0, 1023, "The core of each such node that is slow; null for all its cores.");
    p.real("factor", factor_, 1, 1000, "How many times as long everything takes on it.");
  }
  void check(Rack& rack) const override {
    FaultOfNodes::check(rack);
    if (core_ && *core_ >= rack.options().cores) {
      throw sim::OptionError("core", fmt::format("core {}", *core_),
                             fmt::format("one of the {} cores of a node, counted from 0", rack.options().cores));
    }
  }
  std::string where() const override {
    return nodes_.where() + (core_ ? fmt::format("/core{}", *core_) : std::string());
  }
  void begin(Rack& rack) override { set(rack, factor_); }
  void end(Rack& rack) override { set(rack, 1); }
  bool replaces_earlier() const override { return true; }
  void draw(sim::RandomStream& random, const FaultScene& scene) override {
    FaultOfNodes::draw(random, scene);
    core_.reset();
    constexpr std::array kFactors{1.5, 3.0, 10.0, 100.0};
    factor_ = kFactors.at(random.below(kFactors.size()));
  }

 private:
  void set(Rack& rack, double factor) const {
    nodes_.for_each(rack, [&](NodeId node) {
      Server& server = rack.server(node);
      for (std::size_t core = 0; core < server.cores(); ++core) {
        if (!core_ || *core_ == core) server.core(core).set_slowdown(factor);
      }
    });
  }

  std::optional<std::uint64_t> core_;
  double factor_ = 10;
};

class FastClock final : public FaultOfNodes {
 public:
  void declare(sim::Parameters& p) override {
    FaultOfNodes::declare(p);
    p.real("rate", rate_, 0.001, 1000,
           "How fast the node's clock runs, to a thousandth: at 2 its timeouts come after half the time, below 1 late. "
           "Timers already set keep their instants.");
  }
  void begin(Rack& rack) override { set(rack, std::lround(rate_ * 1000)); }
  void end(Rack& rack) override { set(rack, 1000); }
  bool replaces_earlier() const override { return true; }
  void draw(sim::RandomStream& random, const FaultScene& scene) override {
    FaultOfNodes::draw(random, scene);
    constexpr std::array kRates{1.1, 1.5, 3.0, 10.0, 0.5};
    rate_ = kRates.at(random.below(kRates.size()));
  }

 private:
  void set(Rack& rack, std::int64_t thousandths) const {
    nodes_.for_each(rack, [&](NodeId node) { rack.server(node).clock().set_rate(thousandths, 1000); });
  }

  double rate_ = 2;
};

class Isolation final : public FaultOfNodes {
 public:
  void begin(Rack& rack) override {
    nodes_.for_each(rack, [&](NodeId node) { rack.server(node).lose_management_link(); });
  }
  void end(Rack& rack) override {
    nodes_.for_each(rack, [&](NodeId node) { rack.server(node).regain_management_link(); });
  }
};

const sim::Registration<FaultEntry> isolation(
    {.name = "isolation",
     .doc = "a node loses its link to the management network and goes on working; where membership matters its lease "
            "runs out, and it is taken for dead",
     .make = [] { return std::make_shared<Isolation>(); }});

const sim::Registration<FaultEntry> nic_stall(
    {.name = "nic-stall",
     .doc = "a NIC stops sending, receiving or both for a while; nothing is lost unless its rings overflow",
     .make = [] { return std::make_shared<NicStall>(); }});

const sim::Registration<FaultEntry> slow_core(
    {.name = "slow-core",
     .doc = "cores take a multiple of their time for everything; of two at once the later to begin holds",
     .make = [] { return std::make_shared<SlowCore>(); }});

const sim::Registration<FaultEntry> fast_clock(
    {.name = "fast-clock",
     .doc = "a node's clock runs fast (or slow), and so do its timeouts; of two the later to begin holds",
     .make = [] { return std::make_shared<FastClock>(); }});

}  // namespace

}  // namespace racksim::models
