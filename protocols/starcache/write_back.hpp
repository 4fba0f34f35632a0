// A sketch of StarCache with write-back caching (StarCache §3.10), to see which stages it would take: `racksim fit
// starcache-write-back`. No protocol runs it. "Other key modules like snapshot generation" are FarReach's, to which the
// paper refers (Sheng et al., ATC '23).
//
// Beside what StarCache has:
//
//   * a write request for a cached key is answered by the switch and becomes the key's new cache packet, so that STATE
//     stays valid under a new version, and DIRTY is noted;
//   * the cache packet of a key that the controller is about to evict goes to the key's server as a write request, if
//     DIRTY says that the server has an older value;
//   * while the controller takes a SNAPSHOT, the first write of each key since it began (SAVED) notes which version was
//     the last before it (OLD), and the cache packet of that version goes to the controller instead of being dropped.
//
// What the switch does not order (a lost reply, two switches, a crash of the switch with dirty values) is open.
#pragma once

#include "p4model/language/program.hpp"
#include "protocols/starcache/star_program.hpp"

namespace racksim::starcache {

/// Fields of StarCache's program that it reads and writes.
struct WriteBackFields {
  p4::FieldRef role, outcome, index, valid, evicting;
};

/// Has a block, which packets about cached keys pass after STATE, do it.
void append_write_back(p4::Program& program, p4::Block& cached, const StarShape& shape, const WriteBackFields& fields);

}  // namespace racksim::starcache
