#include "p4model/execute/registry.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "p4model/execute/forwarding.hpp"

namespace racksim::p4 {

void ProgramRegistry::add(const std::string& name, const std::string& doc, Factory make) {
  if (!entries_.emplace(name, Entry{doc, std::move(make)}).second) {
    throw std::runtime_error(fmt::format("program '{}' is registered twice", name));
  }
}

const ProgramRegistry::Entry* ProgramRegistry::find(const std::string& name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

std::vector<std::string> ProgramRegistry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

void register_builtin_programs(ProgramRegistry& registry) {
  registry.add("l2l3-forwarding", "forwards by destination MAC or IPv4 address, and to multicast groups",
               [] { return make_forwarding_program().program; });
}

}  // namespace racksim::p4
