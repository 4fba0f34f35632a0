// Look-ups in a catalogue.
#include "tools/scenario/catalogue.hpp"

namespace racksim::tools {
namespace {

template <class Entry>
std::vector<std::string> names(const std::vector<Entry>& entries) {
  std::vector<std::string> result;
  result.reserve(entries.size());
  for (const auto& entry : entries) result.push_back(entry.name);
  return result;
}

}  // namespace

const OptionsEntry* find_entry(const std::vector<OptionsEntry>& entries, const std::string& name) {
  for (const auto& entry : entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

std::vector<std::string> names_of(const std::vector<OptionsEntry>& entries) {
  return names(entries);
}

std::vector<std::string> names_of(const std::vector<NamedEntry>& entries) {
  return names(entries);
}

std::vector<std::string> names_of(const std::vector<OracleEntry>& entries) {
  return names(entries);
}

}  // namespace racksim::tools
