// Turns between this process and the one with SimGrid. See rpc_echo.hpp.
#include "tools/bench/rpc_echo.hpp"

#include <vector>

#include "tools/bench/forked_child.hpp"
#include "tools/bench/rack_echo.hpp"
#include "tools/bench/simgrid_echo.hpp"

namespace racksim::tools {

namespace {

constexpr std::uint64_t kSlowdown = 20;  // so that rounds of both take about as long

}  // namespace

EchoResult run_rpc_echo(std::uint64_t rpcs, unsigned rounds) {
  const std::uint64_t burst = rpcs / kSlowdown;
  ForkedChild simgrid([burst](const ForkedChild::NextRequest& next) {
    if (!next(0)) return;
    auto begin = processor_seconds();
    run_simgrid_echo(burst, [&] {
      const double rate = static_cast<double>(burst) / (processor_seconds() - begin);
      const bool more = next(rate);
      begin = processor_seconds();
      return more;
    });
  });
  RackEcho rack;
  const Round rack_round = [&] { return rack.run(rpcs); };
  rack_round();  // neither's first round counts
  simgrid.ask();
  std::vector<double> rack_rates, simgrid_rates;
  for (unsigned round = 0; round < rounds; ++round) {
    rack_rates.push_back(rate_of(rack_round));
    simgrid_rates.push_back(simgrid.ask());
  }
  return {spread_of(rack_rates), spread_of(simgrid_rates), ratio_of(rack_rates, simgrid_rates),
          static_cast<double>(rack.events()) / static_cast<double>(rack.done())};
}

}  // namespace racksim::tools
