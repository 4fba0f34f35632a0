// The tables in their order. See tables.hpp.
#include "protocols/cckvs/keys/tables.hpp"

#include "protocols/cckvs/keys/home_step.hpp"
#include "protocols/cckvs/keys/lin_step.hpp"
#include "protocols/cckvs/keys/member_step.hpp"
#include "protocols/cckvs/keys/sc_step.hpp"

namespace racksim::cckvs {

std::vector<const models::TableDescription*> transition_tables() {
  return {&LinStep::table(), &ScStep::table(), &HomeStep::table(), &MemberStep::table()};
}

}  // namespace racksim::cckvs
