// Programs by name, for people: `racksim list programs` and `racksim fit NAME`.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "p4model/language/program.hpp"

namespace racksim::p4 {

class ProgramRegistry {
 public:
  using Factory = std::function<std::shared_ptr<const Program>()>;
  struct Entry {
    std::string doc;
    Factory make;
  };

  /// Throws std::runtime_error when the name is taken.
  void add(const std::string& name, const std::string& doc, Factory make);
  /// Null for an unknown name.
  const Entry* find(const std::string& name) const;
  /// In alphabetical order.
  std::vector<std::string> names() const;

 private:
  std::map<std::string, Entry> entries_;
};

/// Adds the programs of this folder. Called by whoever makes a registry: a static library has no reliable
/// self-registration.
void register_builtin_programs(ProgramRegistry& registry);

}  // namespace racksim::p4
