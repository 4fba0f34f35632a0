// Turns between this process and others with SimGrid. See rpc_echo.hpp.
#include "tools/bench/rpc_echo.hpp"

#include <utility>
#include <vector>

#include "tools/bench/rack_echo.hpp"
#include "tools/bench/simgrid_echo.hpp"

namespace racksim::tools {

namespace {

constexpr std::uint64_t kSlowdown = 20;  // so that rounds of both take about as long

/// RPCs per second of SimGrid, after a first burst that is not measured.
double simgrid_rate(std::uint64_t burst) {
  double begin = 0, rate = 0;
  run_simgrid_echo(burst, [&, first = true]() mutable {
    if (!first) rate = static_cast<double>(burst) / (processor_seconds() - begin);
    begin = processor_seconds();
    return std::exchange(first, false);
  });
  return rate;
}

}  // namespace

EchoResult run_rpc_echo(std::uint64_t rpcs, unsigned rounds) {
  const std::uint64_t burst = rpcs / kSlowdown;
  RackEcho rack;
  const Round rack_round = [&] { return rack.run(rpcs); };
  rack_round();  // the first round does not count
  std::vector<double> rack_rates, simgrid_rates;
  for (unsigned round = 0; round < rounds; ++round) {
    rack_rates.push_back(rate_of(rack_round));
    simgrid_rates.push_back(measured_apart([burst] { return simgrid_rate(burst); }));
  }
  return {spread_of(rack_rates), spread_of(simgrid_rates), ratio_of(rack_rates, simgrid_rates),
          static_cast<double>(rack.events()) / static_cast<double>(rack.done())};
}

}  // namespace racksim::tools
