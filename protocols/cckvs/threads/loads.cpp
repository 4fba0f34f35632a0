// Sums of work, and their shares of the measured time. See loads.hpp.
#include "protocols/cckvs/threads/loads.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace racksim::cckvs {

Loads::Loads(Shared& shared, std::string_view of) : shared_(shared) {
  sim::Metrics& metrics = shared.rack.metrics();
  metrics.when_window_opens([this] { before_ = done(); });
  const auto gauge = [&](Resource resource, const char* name, const char* doc) {
    metrics.computed(fmt::format("{}.load.{}", of, name), "share", doc, [this, resource] { return busiest(resource); });
  };
  gauge(cache_threads, "cache_thread", "of the measured time for which the busiest cache thread worked");
  gauge(kvs_threads, "kvs_thread", "of the measured time for which the busiest KVS thread worked");
  gauge(port_in, "port_in", "of the measured time for which the busiest switch port received packets");
  gauge(port_out, "port_out", "of the measured time for which the busiest switch port sent packets");
  gauge(nic, "nic", "of the measured time for which the busiest direction of a NIC had packets");
}

// Whichever takes longer: the bits, or the switch for so many packets.
double Loads::port_time(std::uint64_t packets, std::uint64_t bytes) const {
  const models::RackOptions& rack = shared_.rack.options();
  const double bits = 8 * static_cast<double>(bytes) / static_cast<double>(rack.link_bits_per_second);
  const std::uint64_t packet_rate = rack.network_switch.port_packets_per_second;
  if (packet_rate == 0) return bits;
  return std::max(bits, static_cast<double>(packets) / static_cast<double>(packet_rate));
}

// Packets count when they have arrived, and those out of the switch when they are polled: NICs and switch hand them to
// their wires ahead of time, so that those handed over in a window could be more than it has room for.
Loads::Amounts Loads::done() const {
  Amounts amounts;
  models::Rack& rack = shared_.rack;
  const double packet_of_nic = 1 / static_cast<double>(rack.options().nic.messages_per_second);
  for (NodeId node = 0; node < rack.nodes(); ++node) {
    models::Server& server = rack.server(node);
    for (std::uint64_t core = 0; core < shared_.options.cache_threads + shared_.options.kvs_threads; ++core) {
      amounts[core < shared_.options.cache_threads ? cache_threads : kvs_threads].push_back(
          server.core(core).busy_time().seconds());
    }
    const models::Wire& up = rack.uplink(node);
    const Shared::Received& received = shared_.received[node];
    amounts[port_in].push_back(port_time(up.packets_arrived(), up.bytes_arrived()));
    amounts[port_out].push_back(port_time(received.packets, received.bytes));
    amounts[nic].push_back(static_cast<double>(up.packets_arrived()) * packet_of_nic);
    amounts[nic].push_back(static_cast<double>(received.packets) * packet_of_nic);
  }
  return amounts;
}

double Loads::busiest(Resource resource) const {
  const double length = shared_.rack.metrics().window_length().seconds();
  if (length <= 0) return 0;
  const std::vector<double> now = done()[resource];
  double most = 0;
  for (std::size_t i = 0; i < now.size(); ++i) most = std::max(most, now[i] - before_[resource][i]);
  return most / length;
}

}  // namespace racksim::cckvs
