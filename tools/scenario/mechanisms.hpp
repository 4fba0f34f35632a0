// The safety mechanisms of protocols, as their options declare them (sim/options/parameters.hpp, `guards`).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/json/json_document.hpp"
#include "tools/scenario/catalogue.hpp"

namespace racksim::tools {

/// One value of an option with which a protocol breaks a promise.
struct Mechanism {
  std::string protocol;
  std::string option;           ///< its name below the protocol's object: "migration.rules.mark"
  JsonValue unsafe;             ///< as a scenario writes it
  std::string_view breaks;      ///< what goes wrong with it
  std::string_view regression;  ///< FILE/CASE of scenarios/regress/ that fails for it
};

/// Those of a protocol, in the order of their declarations.
std::vector<Mechanism> mechanisms_of(const OptionsEntry<models::ProtocolOptions>& protocol);

}  // namespace racksim::tools
