// The tables in their order. See tables.hpp.
#include "protocols/cckvs/keys/tables.hpp"

#include "protocols/cckvs/keys/home_step.hpp"
#include "protocols/cckvs/keys/lin_step.hpp"
#include "protocols/cckvs/keys/member_step.hpp"
#include "protocols/cckvs/keys/sc_step.hpp"

namespace racksim::cckvs {

std::vector<models::TableDescription> transition_tables() {
  return {LinStep::table(), ScStep::table(), HomeStep::table(), MemberStep::table()};
}

std::vector<std::string> transition_rows() {
  std::vector<std::string> rows;
  for (const auto& table : transition_tables()) {
    for (const auto& row : table.coverage_rows()) rows.push_back(row);
  }
  return rows;
}

}  // namespace racksim::cckvs
