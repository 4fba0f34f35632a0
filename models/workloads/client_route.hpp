// Where a client of a key-value store has its next request carried out (ccKVS §4: a client sends a request to any of
// the servers, at random or round robin, since each has the same cache). Clients that keep to their node need no route.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/packets/rack_context.hpp"
#include "models/service/client_behaviour.hpp"
#include "sim/random/random.hpp"

namespace racksim::models {

/// The nodes that take clients and are on, ascending.
class OpenNodes {
 public:
  /// The first `nodes` nodes.
  explicit OpenNodes(unsigned nodes) : nodes_(nodes) {
    for (unsigned node = 0; node < nodes; ++node) open_.push_back(static_cast<NodeId>(node));
  }
  void close(NodeId node) { std::erase(open_, node); }
  void open(NodeId node) {
    const auto at = std::lower_bound(open_.begin(), open_.end(), node);
    if (node < nodes_ && (at == open_.end() || *at != node)) open_.insert(at, node);
  }
  bool empty() const { return open_.empty(); }
  std::size_t size() const { return open_.size(); }
  NodeId operator[](std::size_t place) const { return open_[place]; }
  /// The place of the first that is not before `node`, or, if there is none, of the first.
  std::size_t from(NodeId node) const {
    const auto at = std::lower_bound(open_.begin(), open_.end(), node);
    return at == open_.end() ? 0 : static_cast<std::size_t>(at - open_.begin());
  }

 private:
  unsigned nodes_;
  std::vector<NodeId> open_;
};

class ClientRoute {
 public:
  /// Begins at `home`. `stream` names the random stream of a client that draws its nodes.
  ClientRoute(ClientRouting routing, NodeId home, std::uint64_t seed, std::string_view stream)
      : routing_(routing), turn_(home), random_(seed, stream) {}

  /// The node of the next request; nothing if none is on.
  std::optional<NodeId> next(const OpenNodes& open) {
    if (open.empty()) return std::nullopt;
    if (routing_ == ClientRouting::random) return open[random_.below(open.size())];
    const NodeId node = open[open.from(turn_)];
    turn_ = static_cast<NodeId>(node + 1);
    return node;
  }

 private:
  ClientRouting routing_;
  NodeId turn_;
  sim::RandomStream random_;
};

}  // namespace racksim::models
