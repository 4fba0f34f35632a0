// The registry of protocols. See protocol.hpp.
#include "models/service/protocol.hpp"

#include <algorithm>
#include <utility>

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

ProtocolRegistration::ProtocolRegistration(ProtocolEntry entry) {
  auto& entries = registry();
  // The order of static construction differs between linkers: keep the entries sorted.
  const auto after = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.name > entry.name; });
  entries.insert(after, std::move(entry));
}

}  // namespace racksim::models
