#include "p4model/language/crc_hash.hpp"

namespace racksim::p4 {

namespace {
std::uint32_t reflected_polynomial(CrcKind kind) {
  switch (kind) {
    case CrcKind::crc32:
      return 0xEDB88320;
    case CrcKind::crc32c:
      return 0x82F63B78;
    case CrcKind::crc32d:
      return 0xD419CC15;
  }
  return 0;
}
}  // namespace

std::uint32_t crc_of(CrcKind kind, std::span<const std::uint8_t> bytes) {
  const auto polynomial = reflected_polynomial(kind);
  std::uint32_t crc = ~std::uint32_t{0};
  for (const auto byte : bytes) {
    crc ^= byte;
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
  }
  return ~crc;
}

CrcTables::CrcTables(CrcKind kind, std::size_t bytes) : tables_(bytes) {
  std::vector<std::uint8_t> input(bytes);
  start_ = crc_of(kind, input);
  // A CRC is linear: what a byte does is what its bits do. A switch that boots makes its tables anew.
  for (std::size_t position = 0; position < bytes; ++position) {
    auto& table = tables_[position];
    for (unsigned value = 1; value < 256; ++value) {
      const unsigned rest = value & (value - 1);
      if (rest == 0) {
        input[position] = static_cast<std::uint8_t>(value);
        table[value] = crc_of(kind, input) ^ start_;
      } else {
        table[value] = table[rest] ^ table[value ^ rest];
      }
    }
    input[position] = 0;
  }
}

}  // namespace racksim::p4
