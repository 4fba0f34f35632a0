#include "sim/oracles/oracle.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

namespace racksim::sim {

std::string printed(Time at) {
  const auto ps = at.ps();
  return fmt::format("{}{}.{:03} ns", ps < 0 ? "-" : "", (ps < 0 ? -ps : ps) / 1000, (ps < 0 ? -ps : ps) % 1000);
}

std::string printed_key(Key key) {
  return fmt::format("{:#x}", key.number());
}

void Oracle::violated(std::string oracle, Time at, std::string what, KeyAndOperations about) {
  ++count_;
  if (keeps_more()) violations_.push_back({std::move(oracle), at, std::move(what), std::move(about)});
}

void Oracle::refuse_order(Time at) const {
  throw std::runtime_error(
      fmt::format("oracle {}: an event at {} was recorded after one at {}; operations and permissions must be recorded "
                  "at the instant they happen",
                  name_, printed(at), printed(last_)));
}

}  // namespace racksim::sim
