// The registry of protocols. See protocol.hpp.
#include "models/protocol.hpp"

#include <algorithm>

namespace racksim::models {

namespace {
std::vector<ProtocolEntry>& registry() {
  static std::vector<ProtocolEntry> entries;
  return entries;
}
}  // namespace

const std::vector<ProtocolEntry>& protocols() {
  return registry();
}

ProtocolRegistration::ProtocolRegistration(std::string name, std::string doc,
                                           std::function<std::shared_ptr<ProtocolOptions>()> make_options,
                                           std::function<void(p4::ProgramRegistry&)> register_programs,
                                           sim::CoverageMap coverage) {
  auto& entries = registry();
  // The order of static construction differs between linkers: keep the entries sorted.
  const auto after = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.name > name; });
  entries.insert(after, {std::move(name), std::move(doc), std::move(make_options), std::move(register_programs),
                         std::move(coverage)});
}

}  // namespace racksim::models
