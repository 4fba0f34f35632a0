// The switch's hash units: 32-bit CRCs over whole bytes, computed with one table per byte position.
//
// A CRC of a fixed length is an affine function of its input, so the contribution of each byte can be looked up alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace racksim::p4 {

/// Reflected 32-bit CRCs with initial value and final XOR of all ones. Different polynomials give independent hashes.
enum class CrcKind : std::uint8_t { crc32, crc32c, crc32d };

/// The CRC bit by bit, as the standards define it.
std::uint32_t crc_of(CrcKind kind, std::span<const std::uint8_t> bytes);

/// The same CRC for inputs of one length.
class CrcTables {
 public:
  CrcTables(CrcKind kind, std::size_t bytes);
  std::uint32_t start() const { return start_; }
  /// What `value` at byte position `position` contributes; the CRC is the XOR of `start()` and all contributions.
  std::uint32_t of(std::size_t position, std::uint8_t value) const { return tables_[position][value]; }

 private:
  std::uint32_t start_;
  std::vector<std::array<std::uint32_t, 256>> tables_;
};

}  // namespace racksim::p4
