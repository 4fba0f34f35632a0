// The parser: states that extract one header each and choose the next state by a field.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "p4model/language/field.hpp"

namespace racksim::p4 {

/// The names of the two final states. `reject` drops the packet and counts it.
inline constexpr const char* kAccept = "accept";
inline constexpr const char* kReject = "reject";

/// Values that the control plane fills in at run time, for cases of parser states (TNA: value_set). Each case that
/// names the set takes a row of the parser's TCAM for every value that the set may have.
struct ValueSet {
  std::string name;
  std::uint32_t id = 0;
  unsigned bits = 0;
  std::uint64_t size = 0;  ///< the most values
};

/// Where a parser state goes for some values of its field: those that equal `value` in the bits of `mask`, or, with a
/// `set`, those that the set has.
struct ParserCase {
  std::uint64_t value = 0, mask = 0;
  std::string state;
  const ValueSet* set = nullptr;
};

struct ParserState {
  /// Goes to the state whose value equals `field`, else to `otherwise`.
  ParserState& select(FieldRef field, std::vector<std::pair<std::uint64_t, std::string>> chosen,
                      std::string otherwise = kAccept) {
    std::vector<ParserCase> exact;
    for (auto& [value, state] : chosen)
      exact.push_back({.value = value, .mask = ~std::uint64_t{0}, .state = std::move(state)});
    return select_masked(field, std::move(exact), std::move(otherwise));
  }
  /// The same for cases that look at some bits only, as hardware's parser, which matches in TCAM, can: of those that
  /// match the one listed first.
  ParserState& select_masked(FieldRef field, std::vector<ParserCase> chosen, std::string otherwise = kAccept) {
    selector = field;
    cases = std::move(chosen);
    next = std::move(otherwise);
    return *this;
  }
  /// Adds a case behind those of `select`: goes to `state` for what the set has.
  ParserState& or_in(const ValueSet& set, std::string state) {
    cases.push_back({.state = std::move(state), .set = &set});
    return *this;
  }
  /// Goes to `state` always (the default is to accept).
  ParserState& then(std::string state) {
    next = std::move(state);
    return *this;
  }

  std::string name;
  int header = -1;  ///< number of the header it extracts
  std::optional<FieldRef> selector;
  std::vector<ParserCase> cases;
  std::string next = kAccept;
};

/// The states of one gress, the first being the start. A packet that lacks the header a state extracts is rejected.
struct Parser {
  std::deque<ParserState> states;
};

}  // namespace racksim::p4
