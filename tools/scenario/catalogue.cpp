// The catalogue of this program, from the registries of the layers below.
#include "tools/scenario/catalogue.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "models/faults/faults.hpp"
#include "models/service/tolerated.hpp"
#include "p4model/execute/registry.hpp"

namespace racksim::tools {

namespace {

/// An entry whose options object is of a type with `declare`, as all the registries' are.
template <class Options, class Make>
OptionsEntry<Options> options_entry(const std::string& name, const std::string& doc, Make make) {
  return {name, doc, [make](sim::Parameters& parameters) {
            std::shared_ptr<Options> options = make();
            options->declare(parameters);
            return options;
          }};
}

}  // namespace

Catalogue built_in_catalogue() {
  Catalogue catalogue;
  catalogue.rack = options_entry<models::RackOptions>("rack", "The hardware of the rack.",
                                                      [] { return std::make_shared<models::RackOptions>(); });
  for (const auto& entry : models::protocols()) {
    std::string doc = entry.doc;
    const std::vector<std::string> tolerates = models::tolerated_by_default(entry);
    if (!tolerates.empty()) doc += fmt::format("; survives the faults {}", fmt::join(tolerates, ", "));
    catalogue.protocols.push_back(options_entry<models::ProtocolOptions>(entry.name, doc, entry.make_options));
  }
  for (const auto& entry : models::workloads()) {
    catalogue.workloads.push_back(options_entry<models::WorkloadOptions>(entry.name, entry.doc, entry.make_options));
  }
  for (const auto& entry : models::faults()) {
    catalogue.faults.push_back(options_entry<models::Fault>(entry.name, entry.doc, entry.make));
  }
  for (const auto& entry : p4::programs()) catalogue.programs.push_back({entry.name, entry.doc});
  catalogue.oracles = models::oracles();
  return catalogue;
}

}  // namespace racksim::tools
