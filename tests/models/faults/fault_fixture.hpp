// A rack with a fault schedule, and faults made from option names as a scenario gives them.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "models/faults/faults.hpp"
#include "tests/models/rack_fixture.hpp"

namespace racksim::models::test {

using OptionValue = std::variant<bool, std::uint64_t, double, sim::Duration, std::string>;
using Options = std::vector<std::pair<std::string, OptionValue>>;

struct SetOption {
  const OptionValue& value;
  void operator()(const sim::Parameter::Flag& p) const { *p.target = std::get<bool>(value); }
  void operator()(const sim::Parameter::Integer& p) const { *p.target = std::get<std::uint64_t>(value); }
  void operator()(const sim::Parameter::OptionalInteger& p) const { *p.target = std::get<std::uint64_t>(value); }
  void operator()(const sim::Parameter::Real& p) const { *p.target = std::get<double>(value); }
  void operator()(const sim::Parameter::OptionalReal& p) const { *p.target = std::get<double>(value); }
  void operator()(const sim::Parameter::Length& p) const { *p.target = std::get<sim::Duration>(value); }
  void operator()(const sim::Parameter::Text& p) const { *p.target = std::get<std::string>(value); }
  void operator()(const sim::Parameter::Choice& p) const {
    const auto& text = std::get<std::string>(value);
    for (const auto& [name, member] : p.names) {
      if (name == text) return p.set(p.target, member);
    }
    throw std::runtime_error("no choice " + text);
  }
  void operator()(const sim::Parameter::Size&) const { throw std::runtime_error("no fault has a size"); }
  void operator()(const sim::Parameter::Rate&) const { throw std::runtime_error("no fault has a rate"); }
};

inline std::shared_ptr<Fault> make_fault(const std::string& kind, const Options& options) {
  const auto entry = std::find_if(faults().begin(), faults().end(), [&](const auto& e) { return e.name == kind; });
  auto fault = entry->make();
  sim::Parameters parameters;
  fault->declare(parameters);
  for (const auto& option : options) {
    const auto found = std::find_if(parameters.all().begin(), parameters.all().end(),
                                    [&](const auto& p) { return p.name == option.first; });
    if (found == parameters.all().end()) throw std::runtime_error(kind + " has no option " + option.first);
    std::visit(SetOption{option.second}, found->kind);
  }
  return fault;
}

struct FaultyRack : TestRack {
  explicit FaultyRack(const RackOptions& options = small(), std::uint64_t seed = 1) : TestRack(options, seed) {}
  void add(const std::string& kind, const Options& options) { schedule.add(kind, make_fault(kind, options)); }

  /// Sends a packet at an instant, as an event.
  void send_at(sim::Duration when, NodeId from, NodeId to, std::uint64_t what, std::uint32_t frame = 64) {
    sends.push_back({from, to, what, frame});
    calendar.at<&FaultyRack::send_now>(at(when), lane, *this, sends.size() - 1);
  }
  void send_now(std::uint64_t index) {
    const auto& s = sends[index];
    send(s.from, s.to, s.what, 9, s.frame);
  }
  /// Sends packet number i, from 0, from one node to another every `gap` until `end`.
  void stream(NodeId from, NodeId to, sim::Duration gap, sim::Duration end) {
    std::uint64_t number = 0;
    for (sim::Duration when{}; when < end; when += gap) send_at(when, from, to, number++);
  }
  /// Numbers of the packets that a host got.
  std::vector<std::uint64_t> got(NodeId node) const {
    std::vector<std::uint64_t> numbers;
    for (const auto& seen : hosts[node]->seen) numbers.push_back(seen.what);
    return numbers;
  }

  struct Send {
    NodeId from, to;
    std::uint64_t what;
    std::uint32_t frame;
  };
  FaultSchedule schedule{rack};
  sim::Lane lane = calendar.add_lane("senders");
  std::vector<Send> sends;
};

/// The numbers from `first` up to, and without, `last`.
inline std::vector<std::uint64_t> numbers(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = first; i < last; ++i) all.push_back(i);
  return all;
}

}  // namespace racksim::models::test
