// Components made up for tests: a rack, two protocols, a workload, a fault and two oracles.
#pragma once

#include <memory>
#include <string>

#include "tools/scenario/catalogue.hpp"

namespace racksim::tools::testing {

using namespace sim::literals;

struct FakeRack final : models::RackOptions {
  std::uint64_t nodes = 2;
  std::uint64_t link_rate = 100'000'000'000;
  sim::Duration link_delay = 250_ns;

  void declare(sim::Parameters& parameters) {
    parameters.integer("nodes", nodes, 1, 16, "Number of servers.");
    parameters.rate("link.rate", link_rate, 1'000'000'000, 400'000'000'000, "Rate of each link.");
    parameters.length("link.delay", link_delay, 0_ns, 1_ms, "Propagation delay of each link.");
  }
};

enum class Ownership { home, in_switch };

struct FakeOptions final : models::ProtocolOptions {
  Ownership ownership = Ownership::home;
  std::uint64_t cache_bytes = 1U << 20U;
  bool scoreboard = true;

  void declare(sim::Parameters& parameters) override {
    parameters.choice("ownership", ownership, {{"home", Ownership::home}, {"switch", Ownership::in_switch}},
                      "Who owns.");
    parameters.size("cache.bytes", cache_bytes, 4096, 1ULL << 33U, "Size of the cache.");
    parameters.flag("scoreboard", scoreboard, "Whether the scoreboard is used.");
  }
  std::vector<std::string> promises() const override { return {}; }
  models::StateSize state_size(std::uint64_t) const override { return {}; }
  std::unique_ptr<models::Protocol> build(models::ProtocolContext&) const override { return nullptr; }
};

struct FakeWorkload final : models::WorkloadOptions {
  double read_ratio = 0.5;
  std::string label;

  void declare(sim::Parameters& parameters) override {
    parameters.ratio("read_ratio", read_ratio, "Share of reads.");
    parameters.text("label", label, "Free text.");
  }
  models::Footprint footprint(const models::RunScale&) const override { return {}; }
  unsigned threads_per_node() const override { return 1; }
  std::unique_ptr<models::Workload> build(models::WorkloadContext&) const override { return nullptr; }
};

struct FakeFault final : models::Fault {
  double probability = 0.01;

  void declare(sim::Parameters& parameters) override {
    parameters.ratio("probability", probability, "Share of lost packets.");
  }
  std::string where() const override { return "nowhere"; }
};

template <class Options, class Fake>
OptionsEntry<Options> fake_entry(std::string name) {
  return {std::move(name), "A fake.", [](sim::Parameters& parameters) {
            auto options = std::make_shared<Fake>();
            options->declare(parameters);
            return options;
          }};
}

inline Catalogue fake_catalogue() {
  Catalogue catalogue;
  catalogue.rack = fake_entry<models::RackOptions, FakeRack>("rack");
  catalogue.protocols = {fake_entry<models::ProtocolOptions, FakeOptions>("alpha"),
                         fake_entry<models::ProtocolOptions, FakeOptions>("beta")};
  catalogue.workloads = {fake_entry<models::WorkloadOptions, FakeWorkload>("micro")};
  catalogue.faults = {fake_entry<models::Fault, FakeFault>("loss")};
  catalogue.programs = {{"alpha-program", "A fake program."}};
  catalogue.oracles = {{.name = "single-writer", .doc = "One writer."},
                       {.name = "conservation", .doc = "No packet vanishes."}};
  return catalogue;
}

}  // namespace racksim::tools::testing
