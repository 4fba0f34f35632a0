// Checksum units at work (RFC 1071, RFC 1624). See p4model/language/checksum.hpp.
#include <algorithm>

#include "p4model/execute/pipeline.hpp"

namespace racksim::p4 {

namespace {

constexpr unsigned kWord = 16;

/// The ones' complement sum of the parts whose headers are present, folded to 16 bits.
std::uint64_t sum_of(const ChecksumCode& code, const std::uint64_t* phv) {
  std::uint64_t sum = 0;
  for (const auto& part : code.parts) {
    if (phv[part.present]) sum += (phv[part.slot] >> part.right & part.mask) << part.left;
  }
  while (sum >> kWord) sum = (sum & mask_of(kWord)) + (sum >> kWord);
  return sum;
}

}  // namespace

ChecksumCode compile(const ChecksumUnit& unit, const Program& program, std::uint16_t always) {
  ChecksumCode code;
  code.operation = unit.operation;
  code.result = unit.result.id;
  code.zeros_as_ones = unit.zeros_as_ones;
  const auto validity = [&](FieldRef field) {
    const int header = program.info(field).header;
    return header < 0 ? always : program.headers()[static_cast<std::size_t>(header)].validity.id;
  };
  code.present = validity(unit.operation == ChecksumUnit::Operation::update ? unit.result : unit.fields.front());
  code.when = unit.when ? unit.when->id : always;
  unsigned at = 0;  // bits before the field; the last byte of an odd number has a byte of zeros behind it
  for (const auto field : unit.fields) {
    for (unsigned left = program.info(field).bits; left > 0;) {
      const unsigned room = kWord - at % kWord, taken = std::min(left, room);
      left -= taken;
      code.parts.push_back({.slot = field.id,
                            .present = validity(field),
                            .right = static_cast<std::uint8_t>(left),
                            .left = static_cast<std::uint8_t>(room - taken),
                            .mask = static_cast<std::uint16_t>(mask_of(taken))});
      at += taken;
    }
  }
  return code;
}

void Pipeline::run_checksums(const std::vector<ChecksumCode>& units, Pass& pass) {
  auto* const phv = pass.phv_;
  for (const auto& unit : units) {
    if (!phv[unit.present] || !phv[unit.when]) continue;
    const auto sum = sum_of(unit, phv), complement = ~sum & mask_of(kWord);
    switch (unit.operation) {
      case ChecksumUnit::Operation::verify:
        phv[unit.result] = complement != 0;
        break;
      case ChecksumUnit::Operation::residual:
        // ~HC + ~m: the complement of the sum of the checksum and the fields.
        phv[unit.result] = complement;
        break;
      case ChecksumUnit::Operation::update:
        phv[unit.result] = complement == 0 && unit.zeros_as_ones ? mask_of(kWord) : complement;
        break;
    }
  }
}

}  // namespace racksim::p4
