// Checksum units of parsers and deparsers: 16-bit ones' complement sums over fields (TNA: Checksum; RFC 1071).
//
//   const auto ip = p.header_fields<Ipv4>();
//   const auto broken = p.verify_checksum(Gress::ingress, "ipv4_broken", ip);     // a flag of the parser
//   p.update_checksum(Gress::egress, p.header_field(&Ipv4::checksum), all_but_it);  // in the deparser
//
// Of a checksum that covers the payload, too, a parser finds the residual: what is left of it without the fields that
// the program may change. The deparser adds their new values (RFC 1624). Fields lie one behind the other, as in a
// packet; those of absent headers are left out. Limits: docs/hardware.md 6.9.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "p4model/language/field.hpp"

namespace racksim::p4 {

struct ChecksumUnit {
  enum class Operation : std::uint8_t {
    verify,    ///< in the parser: `result` is 1 when the sum of the fields, the checksum among them, is wrong
    residual,  ///< in the parser: `result` is the checksum's field without the contribution of the others
    update,    ///< in the deparser: `result` becomes the checksum of the fields
  };
  Operation operation;
  Gress gress;
  FieldRef result;
  std::vector<FieldRef> fields;    ///< of a residual the checksum's first
  std::optional<FieldRef> when{};  ///< of an update: only where this one-bit field of the program's is 1
  bool zeros_as_ones = false;      ///< an update gives 0xffff for 0, as UDP, where 0 is no checksum (RFC 768)
};

}  // namespace racksim::p4
