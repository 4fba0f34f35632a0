#include "sim/conservation_oracle.hpp"

#include <fmt/format.h>

namespace racksim::sim {

std::optional<Violation> check_conservation(const PacketBalance& balance, Time at) {
  const auto sources = balance.created + balance.copied;
  const auto sinks = balance.delivered + balance.absorbed + balance.dropped + balance.in_flight;
  if (sources == sinks) return std::nullopt;
  const auto verdict = sources > sinks ? fmt::format("{} packets vanished", sources - sinks)
                                       : fmt::format("{} packets came from nowhere", sinks - sources);
  return Violation{"conservation", at,
                   fmt::format("{}: {} created + {} copied = {}, but {} delivered + {} absorbed + {} dropped + {} in "
                               "flight = {}",
                               verdict, balance.created, balance.copied, sources, balance.delivered, balance.absorbed,
                               balance.dropped, balance.in_flight, sinks)};
}

}  // namespace racksim::sim
