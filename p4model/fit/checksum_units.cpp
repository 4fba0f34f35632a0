// What checksum units add up, and how many there are (docs/hardware.md 6.9). A parser's unit is taken by every
// checksum whose header lies on the way that a packet takes; a deparser has its units for good.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "p4model/fit/checks.hpp"
#include "p4model/fit/placement.hpp"

namespace racksim::p4 {

namespace {

using Operation = ChecksumUnit::Operation;

/// Of each gress's units so many are its own.
constexpr std::uint64_t kOwnUnits = 2;

std::string describe(const Program& program, const ChecksumUnit& unit) {
  static constexpr const char* kWhat[] = {"the verified checksum", "the residual", "the checksum"};
  return fmt::format("program '{}', {} '{}' of {}", program.name(), kWhat[static_cast<std::size_t>(unit.operation)],
                     program.info(unit.result).name, name_of(unit.gress));
}

/// The header that decides whether the unit works: of the first field, or of the checksum that is written.
int header_of(const Program& program, const ChecksumUnit& unit) {
  return program.info(unit.operation == Operation::update ? unit.result : unit.fields.front()).header;
}

bool is_extracted(const Program& program, Gress gress, int header) {
  const auto& states = program.parser(gress).states;
  return std::any_of(states.begin(), states.end(), [&](const ParserState& state) { return state.header == header; });
}

/// The most units that a packet takes on its way from a state on.
std::uint64_t units_from(const Program& program, Gress gress, const ParserState& state) {
  const auto& states = program.parser(gress).states;
  std::uint64_t here = 0, behind = 0;
  for (const auto& unit : program.checksums()) {
    here += unit.gress == gress && unit.operation != Operation::update && header_of(program, unit) == state.header;
  }
  const auto follow = [&](const std::string& next) {
    const auto found =
        std::find_if(states.begin(), states.end(), [&](const ParserState& one) { return one.name == next; });
    if (found != states.end()) behind = std::max(behind, units_from(program, gress, *found));
  };
  follow(state.next);
  for (const auto& c : state.cases) follow(c.state);
  return here + behind;
}

}  // namespace

void check_checksums(const Program& program) {
  std::set<std::pair<Gress, std::uint16_t>> written;
  for (const auto& unit : program.checksums()) {
    const auto fail = [&](const std::string& what) {
      throw ProgramError(fmt::format("{}: {}", describe(program, unit), what));
    };
    if (unit.fields.empty()) fail("it adds up no fields");
    unsigned bits = 0;
    for (const auto field : unit.fields) {
      const auto& info = program.info(field);
      const bool has_value = unit.gress == Gress::ingress ? info.in_ingress : info.in_egress;
      if (!has_value || info.kind == FieldKind::output || info.kind == FieldKind::validity) {
        fail(fmt::format("'{}' has no value that could be added up", info.name));
      }
      if (unit.operation != Operation::update && info.kind != FieldKind::header) {
        fail(fmt::format("a parser adds up what it extracts, and '{}' is no header field", info.name));
      }
      bits += info.bits;
    }
    if (bits % 8 != 0) fail(fmt::format("its fields have {} bits, which are no whole bytes", bits));
    const int header = header_of(program, unit);
    if (header < 0) fail("it is no field of a header");
    if (unit.operation != Operation::verify) {
      const auto& checksum = program.info(unit.operation == Operation::update ? unit.result : unit.fields.front());
      if (checksum.bits != 16) fail(fmt::format("a checksum has 16 bits, '{}' has {}", checksum.name, checksum.bits));
    }
    if (unit.operation != Operation::update && !is_extracted(program, unit.gress, header)) {
      fail(fmt::format("no state of the parser extracts '{}'",
                       program.headers()[static_cast<std::size_t>(header)].layout->name));
    }
    if (unit.when) {
      const auto& when = program.info(*unit.when);
      const bool exists = unit.gress == Gress::ingress ? when.in_ingress : when.in_egress;
      if (when.bits != 1 || when.kind != FieldKind::metadata || !exists) {
        fail(fmt::format("its condition, '{}', is no bit of the program's own", when.name));
      }
    }
    if (unit.operation == Operation::update && !written.emplace(unit.gress, unit.result.id).second)
      fail("two units write it");
  }
}

std::uint64_t parser_checksum_units(const Program& program, Gress gress) {
  const auto& states = program.parser(gress).states;
  return states.empty() ? 0 : units_from(program, gress, states.front());
}

std::uint64_t deparser_checksum_units(const Program& program, Gress gress) {
  const auto& units = program.checksums();
  return static_cast<std::uint64_t>(std::count_if(units.begin(), units.end(), [&](const ChecksumUnit& unit) {
    return unit.operation == Operation::update && unit.gress == gress;
  }));
}

void check_checksum_limits(const SwitchResources& resources, const Program& program) {
  const auto fail = [&](const std::string& what) {
    throw DoesNotFit(fmt::format("program '{}' does not fit: {}", program.name(), what));
  };
  std::uint64_t shared = 0;
  const std::uint64_t own = std::min(kOwnUnits, resources.deparser_checksum_units);
  for (const auto gress : {Gress::ingress, Gress::egress}) {
    const auto parser = parser_checksum_units(program, gress), deparser = deparser_checksum_units(program, gress);
    if (parser > resources.parser_checksum_units) {
      fail(fmt::format("a way through the {} parser takes {} checksum units, {} are available", name_of(gress), parser,
                       resources.parser_checksum_units));
    }
    if (deparser > resources.deparser_checksum_units) {
      fail(fmt::format("the {} deparser takes {} checksum units, {} are available", name_of(gress), deparser,
                       resources.deparser_checksum_units));
    }
    shared += deparser - std::min(deparser, own);
  }
  if (shared > resources.deparser_checksum_units - own) {
    fail(fmt::format("ingress and egress deparsers take {} checksum units beside their own {} each, {} are shared",
                     shared, own, resources.deparser_checksum_units - own));
  }
}

}  // namespace racksim::p4
