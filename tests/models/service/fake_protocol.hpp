// A protocol that offers a service and does nothing else.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "models/service/protocol.hpp"

namespace racksim::models::test {

class FakeProtocol final : public Protocol {
 public:
  using Crashed = std::function<void(NodeId)>;
  /// `crashed` is told of nodes that crash.
  explicit FakeProtocol(
      Service& service, Crashed crashed = [](NodeId) {})
      : service_(service), crashed_(std::move(crashed)) {}
  Service& service() override { return service_; }
  void show_state(sim::StateVisitor&) const override {}
  bool quiescent() const override { return true; }
  std::vector<Leak> leaks() const override { return {}; }
  void record_final_state() override {}
  void node_crashed(NodeId node) override { crashed_(node); }

 private:
  Service& service_;
  Crashed crashed_;
};

}  // namespace racksim::models::test
