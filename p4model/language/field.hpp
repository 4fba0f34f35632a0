// PHV fields as a program names them, and the operands and conditions made of them.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace racksim::p4 {

/// The two halves of a switch pipeline. A register array and a metadata field belong to one of them.
enum class Gress : std::uint8_t { ingress, egress };

std::string_view name_of(Gress gress);

/// A field of the packet header vector of one program.
struct FieldRef {
  std::uint16_t id = 0;
};

/// What a field is, and so who may write it.
enum class FieldKind : std::uint8_t {
  metadata,  ///< the program's own, 0 at the start of a pass
  header,    ///< a member of a parsed header, 0 while the header is absent
  validity,  ///< whether a header is present; writing it adds or removes the header
  input,     ///< given by the hardware with the pass
  output,    ///< tells the hardware what to do; unset until written, never read
};

struct FieldInfo {
  std::string name;
  unsigned bits = 0;
  FieldKind kind = FieldKind::metadata;
  int header = -1;  ///< number of the header in the program, for header and validity
  int member = -1;  ///< position in the header, for header
  bool in_ingress = true, in_egress = true;
};

/// A value that comes with a table entry.
struct ActionDataRef {
  std::uint16_t index = 0;
};

/// A hash unit of one program.
struct HashRef {
  std::uint16_t id = 0;
};

/// What a VLIW instruction reads: a field, a constant, a word of action data, or a hash.
struct Operand {
  enum class Source : std::uint8_t { field, constant, action_data, hash };

  Operand(FieldRef field) : source(Source::field), value(field.id) {}
  Operand(ActionDataRef data) : source(Source::action_data), value(data.index) {}
  Operand(HashRef hash) : source(Source::hash), value(hash.id) {}
  template <std::integral T>
  Operand(T constant) : source(Source::constant), value(static_cast<std::uint64_t>(constant)) {}

  FieldRef field() const { return {static_cast<std::uint16_t>(value)}; }

  Source source;
  std::uint64_t value;
};

enum class Comparison : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };

/// A gateway's condition: comparisons of unsigned fields with fields or constants under and, or, not.
class Condition {
 public:
  struct Node {
    enum class Operator : std::uint8_t { compare, conjunction, disjunction, negation } op;
    FieldRef left{};
    Comparison comparison = Comparison::equal;
    Operand right{0};
    std::shared_ptr<const Node> first{}, second{};
  };

  Condition(FieldRef left, Comparison comparison, Operand right)
      : node_(std::make_shared<Node>(
            Node{.op = Node::Operator::compare, .left = left, .comparison = comparison, .right = right})) {}

  friend Condition operator&&(const Condition& a, const Condition& b) {
    return Condition(Node::Operator::conjunction, a.node_, b.node_);
  }
  friend Condition operator||(const Condition& a, const Condition& b) {
    return Condition(Node::Operator::disjunction, a.node_, b.node_);
  }
  friend Condition operator!(const Condition& a) { return Condition(Node::Operator::negation, a.node_, nullptr); }

  const Node& root() const { return *node_; }
  /// The fields it compares, each once.
  std::vector<FieldRef> fields() const;

 private:
  Condition(Node::Operator op, std::shared_ptr<const Node> first, std::shared_ptr<const Node> second)
      : node_(std::make_shared<Node>(Node{.op = op, .first = std::move(first), .second = std::move(second)})) {}
  std::shared_ptr<const Node> node_;
};

// Two fields need overloads of their own: C++20 also tries the operands of == and != reversed.
inline Condition operator==(FieldRef a, FieldRef b) {
  return {a, Comparison::equal, b};
}
inline Condition operator!=(FieldRef a, FieldRef b) {
  return {a, Comparison::not_equal, b};
}
inline Condition operator==(FieldRef a, Operand b) {
  return {a, Comparison::equal, b};
}
inline Condition operator!=(FieldRef a, Operand b) {
  return {a, Comparison::not_equal, b};
}
inline Condition operator<(FieldRef a, Operand b) {
  return {a, Comparison::less, b};
}
inline Condition operator<=(FieldRef a, Operand b) {
  return {a, Comparison::less_equal, b};
}
inline Condition operator>(FieldRef a, Operand b) {
  return {a, Comparison::greater, b};
}
inline Condition operator>=(FieldRef a, Operand b) {
  return {a, Comparison::greater_equal, b};
}

/// a op b on unsigned values.
constexpr bool compare(std::uint64_t a, Comparison comparison, std::uint64_t b) {
  switch (comparison) {
    case Comparison::equal:
      return a == b;
    case Comparison::not_equal:
      return a != b;
    case Comparison::less:
      return a < b;
    case Comparison::less_equal:
      return a <= b;
    case Comparison::greater:
      return a > b;
    case Comparison::greater_equal:
      return a >= b;
  }
  return false;
}

/// The outcomes for which a comparison holds, as bits: 0 for less, 1 for equal, 2 for greater.
constexpr std::uint8_t outcomes_of(Comparison comparison) {
  unsigned outcomes = 0;
  for (unsigned i = 0; i < 3; ++i) outcomes |= static_cast<unsigned>(compare(i, comparison, 1)) << i;
  return static_cast<std::uint8_t>(outcomes);
}

}  // namespace racksim::p4
