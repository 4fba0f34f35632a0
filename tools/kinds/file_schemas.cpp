// The table of schemas. See file_schemas.hpp.
#include "tools/kinds/file_schemas.hpp"

#include "tools/experiment/baseline.hpp"
#include "tools/figure/figure.hpp"
#include "tools/figure/paper_claims.hpp"
#include "tools/fuzz/fuzz_baseline.hpp"
#include "tools/lone_switch/packet_file.hpp"
#include "tools/report/report.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {
namespace {

/// A schema that needs no catalogue.
template <JsonValue (*schema)()>
JsonValue fixed(const Catalogue&) {
  return schema();
}

}  // namespace

const std::vector<FileSchema>& file_schemas() {
  static const std::vector<FileSchema> all{{"scenario", scenario_schema},
                                           {"suite", suite_schema},
                                           {"testbed", testbed_schema},
                                           {"testbed-part", testbed_part_schema},
                                           {"figure", figure_schema},
                                           {"claims", fixed<paper_claims_schema>},
                                           {"record", fixed<record_schema>},
                                           {"packets", fixed<packet_file_schema>},
                                           {"report", fixed<report_schema>},
                                           {"baseline", fixed<baseline_schema>},
                                           {"fuzz-baseline", fixed<fuzz_baseline_schema>}};
  return all;
}

}  // namespace racksim::tools
