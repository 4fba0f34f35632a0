// The transition tables that ccKVS's code executes: what the protocol's registration lists.
#pragma once

#include <vector>

#include "models/service/table_description.hpp"

namespace racksim::cckvs {

/// In the order of their rows in the coverage map: Lin, SC, a key at its home, a key elsewhere.
std::vector<const models::TableDescription*> transition_tables();

}  // namespace racksim::cckvs
