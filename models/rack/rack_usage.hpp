// What limits a run: how busy each resource of the rack is in the window of measurement, how many wait for it, and how
// long. Resources of a kind are told by the busiest of them. Always on, from what they count anyway. Work and
// waiting are cut at the ends of the window, also where a resource computes ahead.
//
//   cores.ROLE        server cores by what they are there for (Core::set_role), "other" where nobody has said
//   nic.transmit      the NICs' engines, a slot a packet under the message rate (nic_engine.hpp)
//   nic.receive
//   nic.atomics       the atomics units
//   pcie.read         payloads over PCIe
//   pcie.write
//   ports.in          wires from servers to a switch, by bits or by packets where a port takes so many a second
//   ports.out         wires to servers; the packets that wait for them are in the switch
//   trunks            wires between switches
//   pipes             slots of switch pipes
//   recirculation     recirculation ports
//   control_cpu       operations of the control CPUs, under their rate limit
//   buffer            cells of the packet buffers, of packets for front ports: the most in use at once, as a share
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/rack/rack.hpp"
#include "models/usage/station.hpp"

namespace racksim::models {

/// The busiest resource of a kind in the window.
struct BusiestResource {
  std::string kind;  ///< "cores.home_agent"
  std::string name;  ///< "node3/core4"
  double busy = 0;   ///< share of the window
  /// Of those who wait, besides whoever is served; none where nobody counts them.
  struct Queue {
    double mean = 0;
    std::size_t most = 0;
    sim::Duration longest_wait;
  };
  std::optional<Queue> queue;
};

class RackUsage {
 public:
  /// After the protocol has been built, which says what cores are there for. Registers busy.KIND, queue.KIND,
  /// largest_queue.KIND and longest_wait.KIND. The rack must outlive the window.
  explicit RackUsage(Rack& rack);
  RackUsage(const RackUsage&) = delete;
  RackUsage& operator=(const RackUsage&) = delete;

  /// Of each kind that the rack has, the busiest first; once the window has closed.
  const std::vector<BusiestResource>& busiest();

 private:
  using Sum = std::function<sim::Duration()>;
  struct Resource {
    std::size_t kind;
    Sum worked, waited;  ///< by now; waited empty where nobody counts
    std::function<std::string()> name;
    Waits* waits = nullptr;
    const Core* core = nullptr;  ///< if it is one
    sim::Duration worked_before{}, waited_before{};
  };

  std::size_t kind(std::string_view name);
  void add(std::string_view kind, Sum worked, std::function<std::string()> name, Sum waited, Waits* waits);
  void add_station(std::string_view kind, Station& station, std::function<std::string()> name);
  void add_outgoing(std::string_view kind, Wire& wire, SwitchChassis& chassis, unsigned port);
  void add_server(Server& server);
  void add_switch(unsigned network_switch);
  void add_trunks();
  void register_metrics();
  /// What tells of the resource of a kind that was busiest since it was asked before: for which part of that time it was
  /// at work, or how many waited for it.
  enum class Told : std::uint8_t { busy, waiting };
  std::function<double()> since_last(std::size_t kind, Told told) const;
  void begin();
  BusiestResource judge(const std::string& kind);
  BusiestResource fullest_buffer();

  Rack& rack_;
  std::vector<std::string> kinds_;
  std::vector<Resource> resources_;
  std::vector<BusiestResource> busiest_;
  bool judged_ = false;
};

}  // namespace racksim::models
