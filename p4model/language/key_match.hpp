// How the key fields of a table match, and what an entry asks of one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace racksim::p4 {

/// A table all of whose keys are exact lies in SRAM; one other key puts it into TCAM (docs/hardware.md 6.2).
enum class MatchKind : std::uint8_t {
  exact,
  ternary,  ///< value and mask
  lpm,      ///< longest prefix: at most one key of a table
  range,    ///< from first to last, both included
};

/// The kind's name in P4.
constexpr std::string_view name_of(MatchKind kind) {
  constexpr std::string_view kNames[] = {"exact", "ternary", "lpm", "range"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// The most keys of a table in TCAM, a limit of the model: a lookup gathers their values on the stack.
inline constexpr std::size_t kMaxTernaryKeys = 32;

/// What an entry asks of one key field. A plain number asks for exactly that value, whatever the kind.
class KeyMatch {
 public:
  enum class Form : std::uint8_t { value, masked, prefix, range, any };

  constexpr KeyMatch(std::uint64_t value) : KeyMatch(Form::value, value, 0) {}
  /// Equal to `value` in the bits that are set in `mask`.
  static constexpr KeyMatch masked(std::uint64_t value, std::uint64_t mask) { return {Form::masked, value, mask}; }
  /// Equal to `value` in the upper `length` bits of the field.
  static constexpr KeyMatch prefix(std::uint64_t value, unsigned length) { return {Form::prefix, value, length}; }
  /// From `first` to `last`.
  static constexpr KeyMatch range(std::uint64_t first, std::uint64_t last) { return {Form::range, first, last}; }
  /// Anything.
  static constexpr KeyMatch any() { return {Form::any, 0, 0}; }

  constexpr Form form() const { return form_; }
  /// The value, or the first of a range.
  constexpr std::uint64_t value() const { return value_; }
  /// The mask, the prefix length or the last of a range.
  constexpr std::uint64_t extent() const { return extent_; }
  bool operator==(const KeyMatch&) const = default;

 private:
  constexpr KeyMatch(Form form, std::uint64_t value, std::uint64_t extent)
      : form_(form), value_(value), extent_(extent) {}
  Form form_;
  std::uint64_t value_, extent_;
};

}  // namespace racksim::p4
