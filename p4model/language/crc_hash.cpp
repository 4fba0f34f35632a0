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
  for (std::size_t position = 0; position < bytes; ++position) {
    for (unsigned value = 0; value < 256; ++value) {
      input[position] = static_cast<std::uint8_t>(value);
      tables_[position][value] = crc_of(kind, input) ^ start_;
    }
    input[position] = 0;
  }
}

}  // namespace racksim::p4
