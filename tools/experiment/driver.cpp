// The two drivers of a run. See driver.hpp.
#include "tools/experiment/driver.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <utility>

namespace racksim::tools {

SimgridDriver::SimgridDriver(Assembly& assembly, sim::Time limit, std::function<void()> look_in)
    : engine_(assembly.calendar(), limit) {
  engine_.look_in(std::move(look_in));
  for (std::size_t node = 0; node < assembly.rack().nodes(); ++node) {
    hosts_.push_back(engine_.add_host(fmt::format("node{}", node)));
  }
  assembly.rack().observe_crashes(*this);
  assembly.protocol().add_actors(engine_, hosts_);
}

Driver::Outcome CalendarDriver::run() {
  if (!finished_) calendar_.run_until(limit_);
  if (finished_) return Outcome::finished;
  return calendar_.now() >= limit_ ? Outcome::limit_reached : Outcome::idle;
}

void CalendarDriver::finish() {
  finished_ = true;
  calendar_.stop();
}

}  // namespace racksim::tools
