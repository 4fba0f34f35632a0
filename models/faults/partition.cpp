// `partition`: some nodes are cut off from the others, although all hang on one switch, or on switches that are linked.
//
// A packet is dropped on the wire from the switch to a node when it was made by a node of the other side. That wire is
// the one place where both ends are known: the switch may redirect a packet or copy it to several nodes, so on its way
// to the switch nobody can say where it will end. Both sides keep reaching the switch, whose program acts on packets
// that then reach nobody, and what the switch sends back to the node that asked still arrives.
#include <fmt/core.h>

#include <charconv>

#include "models/faults/fault.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::models {

namespace {

class Partition final : public Fault {
 public:
  void declare(sim::Parameters& p) override {
    Fault::declare(p);
    p.text("nodes", nodes_, "The nodes of one side, such as \"0,2-4\"; the others are the other side.")
        .canonical([this] { return listed(side()); });
  }
  void check(Rack& rack) const override {
    Fault::check(rack);
    const NodeSet side = this->side();
    if (side.none())
      throw sim::OptionError("nodes", "nothing", "the nodes of one side of the partition, such as \"0,2-4\"");
    for (std::size_t node = rack.nodes(); node < side.size(); ++node) {
      if (side.test(node)) {
        throw sim::OptionError("nodes", fmt::format("node {}", node),
                               fmt::format("some of the {} nodes, counted from 0", rack.nodes()));
      }
    }
    if (side.count() == rack.nodes())
      throw sim::OptionError("nodes", "all nodes", "the nodes of one side, with somebody on the other");
  }
  std::string where() const override { return "nodes " + nodes_; }
  void announce(Rack& rack) override {
    const NodeSet side = this->side();
    TargetedFault drop;
    drop.count = ~std::uint64_t{0};
    drop.from = sim::Time{} + from();
    drop.until = sim::Time{} + until();
    drop.reason = DropReason::partition;
    for (std::size_t node = 0; node < rack.nodes(); ++node) {
      drop.match.origins = side.test(node) ? ~side : side;
      rack.downlink(static_cast<NodeId>(node)).add_targeted_fault(drop);
    }
  }
  bool acts_on_packets_alone() const override { return true; }
  sim::Time healed_by(sim::Time heal) const override { return heal + kHealNotice; }
  void draw(sim::RandomStream& random, const FaultScene& scene) override {
    Fault::draw(random, scene);
    // Neither side is empty: one node each is chosen first.
    const std::uint64_t inside = random.below(scene.nodes);
    const std::uint64_t outside = (inside + 1 + random.below(scene.nodes - 1)) % scene.nodes;
    NodeSet drawn;
    for (std::uint64_t node = 0; node < scene.nodes; ++node) {
      const bool chosen = random.chance(0.5);
      if (node == inside || (chosen && node != outside)) drawn.set(node);
    }
    nodes_ = listed(drawn);
  }

 private:
  /// One by one.
  static std::string listed(const NodeSet& set) {
    std::string text;
    for (std::size_t node = 0; node < set.size(); ++node) {
      if (set.test(node)) text += fmt::format("{}{}", text.empty() ? "" : ",", node);
    }
    return text;
  }
  NodeSet side() const {
    NodeSet set;
    const char* at = nodes_.data();
    const char* const end = at + nodes_.size();
    const auto number = [&] {
      std::size_t value = 0;
      const auto [next, error] = std::from_chars(at, end, value);
      if (error != std::errc{} || value >= set.size()) refuse();
      at = next;
      return value;
    };
    while (at != end) {
      const std::size_t first = number();
      std::size_t last = first;
      if (at != end && *at == '-') {
        ++at;
        last = number();
      }
      if (last < first) refuse();
      for (std::size_t node = first; node <= last; ++node) set.set(node);
      if (at == end) break;
      if (*at++ != ',' || at == end) refuse();
    }
    return set;
  }
  [[noreturn]] void refuse() const {
    throw sim::OptionError("nodes", fmt::format("\"{}\"", nodes_), "a list of nodes such as \"0,2-4\"");
  }

  std::string nodes_;
};

const sim::Registration<FaultEntry> partition({.name = "partition",
                                               .doc = "nodes are cut off from the others; all still reach the switch",
                                               .make = [] { return std::make_shared<Partition>(); },
                                               .least_nodes = 2});

}  // namespace

}  // namespace racksim::models
