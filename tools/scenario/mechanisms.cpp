// Safety mechanisms from declared parameters. See mechanisms.hpp.
#include "tools/scenario/mechanisms.hpp"

#include "tools/scenario/binding.hpp"

namespace racksim::tools {

std::vector<Mechanism> mechanisms_of(const OptionsEntry<models::ProtocolOptions>& protocol) {
  sim::Parameters parameters;
  const auto options = protocol.make(parameters);
  std::vector<Mechanism> mechanisms;
  for (const sim::Parameter& parameter : parameters.all()) {
    for (const auto& [value, null, breaks, regression] : parameter.unsafe) {
      mechanisms.push_back(
          {protocol.name, parameter.name, null ? JsonValue() : written(parameter, value), breaks, regression});
    }
  }
  return mechanisms;
}

}  // namespace racksim::tools
