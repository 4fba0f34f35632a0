// What a parser can do (docs/hardware.md 6.4, 6.9): a state compares a limited number of bits, the cases of all
// states lie in the rows of one TCAM, those that value sets may get among them, and the headers on the longest way
// through the states of the ingress lie within a limited depth of the packet.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "p4model/fit/placement.hpp"

namespace racksim::p4 {

namespace {

class ParserLimits {
 public:
  ParserLimits(const SwitchResources& resources, const Program& program, Gress gress)
      : resources_(resources), program_(program), gress_(gress) {
    for (const auto& state : program.parser(gress).states) states_[state.name] = &state;
  }

  void check() {
    for (const auto& state : program_.parser(gress_).states) {
      if (!state.selector) continue;
      const auto& field = program_.info(*state.selector);
      if (field.bits > resources_.parser_match_bits) {
        fail("{} parser state '{}' compares '{}' of {} bits, {} are possible", name_of(gress_), state.name, field.name,
             field.bits, resources_.parser_match_bits);
      }
    }
    const auto& states = program_.parser(gress_).states;
    if (states.empty()) return;
    if (const auto rows = parser_rows(program_, gress_); rows > resources_.parser_rows) {
      fail("the {} parser takes {} rows of TCAM, its value sets' {} among them, {} are available", name_of(gress_),
           rows, value_set_rows(), resources_.parser_rows);
    }
    const std::uint64_t depth = depth_from(states.front());
    // Of the egress it is only published that 65 bytes are possible, so it has no limit here.
    if (gress_ == Gress::ingress && depth > resources_.ingress_parse_bytes) {
      fail("the ingress parser looks {} bytes deep into a packet, {} are possible", depth,
           resources_.ingress_parse_bytes);
    }
  }

 private:
  std::uint64_t value_set_rows() const {
    std::uint64_t rows = 0;
    for (const auto& state : program_.parser(gress_).states) {
      for (const auto& c : state.cases) rows += c.set ? c.set->size : 0;
    }
    return rows;
  }

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw DoesNotFit(
        fmt::format("program '{}' does not fit: {}", program_.name(), fmt::format(text, std::forward<Args>(args)...)));
  }

  /// Bytes of headers on the longest way from a state on.
  std::uint64_t depth_from(const ParserState& state) {
    if (!on_the_way_.insert(state.name).second) {
      fail("its {} parser comes back to state '{}', and extracts a header once", name_of(gress_), state.name);
    }
    std::uint64_t behind = 0;
    const auto follow = [&](const std::string& next) {
      const auto found = states_.find(next);
      if (found != states_.end()) behind = std::max(behind, depth_from(*found->second));
    };
    follow(state.next);
    for (const auto& c : state.cases) follow(c.state);
    on_the_way_.erase(state.name);
    return program_.headers()[static_cast<std::size_t>(state.header)].layout->bytes() + behind;
  }

  const SwitchResources& resources_;
  const Program& program_;
  Gress gress_;
  std::map<std::string, const ParserState*> states_;
  std::set<std::string> on_the_way_;
};

}  // namespace

std::uint64_t parser_rows(const Program& program, Gress gress) {
  std::uint64_t rows = 0;
  for (const auto& state : program.parser(gress).states) {
    ++rows;  // for what no case takes, or for all
    for (const auto& c : state.cases) rows += c.set ? c.set->size : 1;
  }
  return rows;
}

void check_parser_limits(const SwitchResources& resources, const Program& program) {
  for (const auto gress : {Gress::ingress, Gress::egress}) ParserLimits(resources, program, gress).check();
}

}  // namespace racksim::p4
