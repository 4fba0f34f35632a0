// NetCache's switch data plane as a program (Jin et al., SOSP '17, §4.4), in the shape in which StarCache compares
// itself with it (StarCache §5.1): values of up to 64 bytes across 8 stages, 8 bytes a stage, "only two cache read
// tables per stage".
//
//   stage 0         what the packet is to the cache (its role); lookup table, which matches the key itself
//   stage 1         STATE: valid bit, and the version
//   stages 2 to 9   VALUE0 to VALUE15, two arrays of 32 bits a stage; beside them POPULARITY and HITS, and for uncached
//                   keys the count-min sketch and the Bloom filter (NetCache §4.4.3)
//   from stage 2    the packet is turned round, or forwarded by MAC and IPv4
//
// What NetCache says: a read request for a valid key is answered by the switch, which adds the value and sends the
// packet back where it came from; a write request invalidates its key and goes on to the server; the server then writes
// the new value into the switch with a packet of its own, which the switch acknowledges (§4.3, write-through).
//
// What is added here (`NetShape::versions`): NetCache numbers values (its SEQ, "a value version number"), which does
// not tell whether a write request has passed since. Here the switch counts the write and fetch requests of a key; each
// takes its number to the server, which sends it back with the update, and only the update of the latest is taken. So
// an update never makes a key valid again while a later write is on its way to the server, or done there. Without
// versions there is the printed valid bit.
#pragma once

#include <array>
#include <cstdint>

#include "protocols/store/messages.hpp"
#include "protocols/switch_cache/cache_program.hpp"

namespace racksim::netcache {

/// Stages that hold values, arrays of 32 bits in each, and where they begin (StarCache §5.1).
inline constexpr unsigned kValueStages = 8, kArraysPerStage = 2, kFirstValueStage = 2;
inline constexpr unsigned kValueArrays = kValueStages * kArraysPerStage;
static_assert(kValueArrays == store::ValueHeader::kWords);

/// Bytes of the longest key and value that can be cached (NetCache §4.2, §5; StarCache §5.1).
inline constexpr std::uint32_t kMostKeyBytes = 16, kMostValueBytes = store::ValueHeader::kLayout.bytes();

/// Rows of the count-min sketch and arrays of the Bloom filter (NetCache §6).
inline constexpr unsigned kSketchRows = 4, kBloomArrays = 3;
/// Slots of a Bloom array for each slot of a sketch row (NetCache §6: 256 K and 64 K).
inline constexpr std::uint64_t kBloomPerSketch = 4;

/// The multicast group of the control CPU's port, by which hot keys are reported.
inline constexpr std::uint16_t kReportGroup = 1;

/// The most keys: a lookup table of 78 of the 80 SRAM blocks of a stage, two for 1,024 entries.
inline constexpr std::uint64_t kMostEntries = 39'936;

/// What the program is generated for.
struct NetShape {
  std::uint64_t cache_entries = 10'240;         ///< rows of the lookup table and of all arrays with an entry per key
  bool versions = false;                        ///< updates are ordered by versions; messages then have a SafetyHeader
  std::uint64_t largest_version = 0xffff'ffff;  ///< after which 1 follows

  bool detect = false;                  ///< hot uncached keys are reported
  std::uint64_t sketch_width = 65'536;  ///< counters of a sketch row, a power of two (NetCache §6: 64 K)
  std::uint64_t threshold = 100;        ///< requests at which an uncached key is hot, 1 to 65,535

  // Each switches a safety mechanism off.
  bool invalidate = true;       ///< a write request invalidates its key (NetCache §4.3)
  bool ordered_updates = true;  ///< with versions, only the update of the latest write is taken
};

/// The program and the handles that the control plane fills and reads it by.
///
/// Before the control plane inserts a key it makes its STATE invalid. With versions the low half of STATE must then
/// come after each version given out for the key before.
struct NetProgram : switch_cache::CacheProgram {
  std::array<const p4::RegisterArray*, kValueArrays> values{};  ///< by table index: words of ValueHeader
  std::array<const p4::RegisterArray*, kSketchRows> sketch{};   ///< by hash of the key; null without detection
  std::array<const p4::RegisterArray*, kBloomArrays> bloom{};   ///< the same
};

/// Builds the program. Throws std::runtime_error for a shape that no switch can have.
NetProgram make_net_program(const NetShape& shape);

/// The slot of a key in a sketch row, as the switch's hash units compute it.
std::uint64_t sketch_slot(unsigned row, std::uint64_t hkey_high, std::uint64_t hkey_low, std::uint64_t sketch_width);

}  // namespace racksim::netcache
