#include "sim/oracles/conservation_oracle.hpp"

#include <fmt/core.h>

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

std::optional<Violation> check_conservation(std::string_view place, const CellBalance& balance, Time at) {
  const auto [in_use, of_packets] = balance;
  if (in_use == of_packets) return std::nullopt;
  const auto verdict = in_use > of_packets
                           ? fmt::format("holds {} cells of no packet", in_use - of_packets)
                           : fmt::format("has given up {} cells of packets that are in it", of_packets - in_use);
  return Violation{
      "conservation", at,
      fmt::format("{} {} at {}: {} in use, {} of packets", place, verdict, printed(at), in_use, of_packets)};
}

}  // namespace racksim::sim
