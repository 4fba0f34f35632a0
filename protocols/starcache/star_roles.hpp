// The first part of StarCache's data plane: what a packet is to the cache of this switch and pipe, if anything
// (StarCache §3.3, Figure 4; of several racks §3.9, of several pipes §3.10).
#pragma once

#include <cstdint>

#include "p4model/language/program.hpp"
#include "protocols/starcache/star_program.hpp"

namespace racksim::starcache {

/// What a packet is to the cache. `none` passes without cache logic: replies to requests for uncached items, CRN-REQ,
/// F-REQ where fetches have no version, and what concerns servers of other racks.
enum class Role : std::uint8_t { none, read, write, fetch, reply, cache_packet };
/// What becomes of it: plain forwarding, a copy for the client and one to circulate, or what is decided already.
enum class Outcome : std::uint8_t { forward, clone, decided };

constexpr std::uint64_t number(Role role) {
  return static_cast<std::uint64_t>(role);
}
constexpr std::uint64_t number(Outcome outcome) {
  return static_cast<std::uint64_t>(outcome);
}

/// Has a block set the role, and the outcome of an F-REQ that goes to another pipe first; `out` gets the handles of its
/// tables.
void append_roles(p4::Program& program, p4::Block& block, const StarShape& shape, p4::FieldRef role,
                  p4::FieldRef outcome, StarProgram& out);

}  // namespace racksim::starcache
