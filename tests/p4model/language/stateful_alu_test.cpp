#include "p4model/language/stateful_alu.hpp"

#include <fmt/core.h>

#include <catch2/catch.hpp>

#include "p4model/execute/pipeline.hpp"
#include "tests/p4model/random_numbers.hpp"

namespace stateful_alu_test {

using namespace racksim::p4;
using racksim::p4::testing::RandomNumbers;

namespace {

// The reference works on wide integers with the rules of docs/hardware.md 6.3 written out one by one.
struct Reference {
  unsigned bits;
  std::uint64_t lo, hi, in[2];

  std::uint64_t cut(std::int64_t v) const { return static_cast<std::uint64_t>(v) % (std::uint64_t{1} << bits); }
  std::int64_t value(const AluWord& w) const {
    switch (w.source) {
      case AluWord::Source::lo:
        return static_cast<std::int64_t>(lo);
      case AluWord::Source::hi:
        return static_cast<std::int64_t>(hi);
      case AluWord::Source::input:
        return static_cast<std::int64_t>(cut(static_cast<std::int64_t>(in[w.value])));
      case AluWord::Source::constant:
        return static_cast<std::int64_t>(cut(static_cast<std::int64_t>(w.value)));
    }
    return 0;
  }
  static bool test(std::int64_t a, Comparison c, std::int64_t b) {
    return (c == Comparison::equal && a == b) || (c == Comparison::not_equal && a != b) ||
           (c == Comparison::less && a < b) || (c == Comparison::less_equal && a <= b) ||
           (c == Comparison::greater && a > b) || (c == Comparison::greater_equal && a >= b);
  }
  bool holds(const AluComparator& c) const {
    if (!c.signed_difference) return test(value(c.left), c.comparison, value(c.right) + c.offset);
    auto difference = static_cast<std::int64_t>(cut(value(c.left) - value(c.right)));
    if (difference >= std::int64_t{1} << (bits - 1)) difference -= std::int64_t{1} << bits;
    return test(difference, c.comparison, c.offset);
  }
  std::uint64_t result(const AluUpdate& u) const {
    const auto a = value(u.first), b = value(u.second);
    const auto most = static_cast<std::int64_t>(cut(-1));
    switch (u.operation) {
      case AluOperation::set:
        return cut(a);
      case AluOperation::add:
        return cut(a + b);
      case AluOperation::sub:
        return cut(a - b);
      case AluOperation::add_saturating:
        return static_cast<std::uint64_t>(std::min(a + b, most));
      case AluOperation::sub_saturating:
        return static_cast<std::uint64_t>(std::max<std::int64_t>(a - b, 0));
      case AluOperation::bit_and:
        return cut(a & b);
      case AluOperation::bit_or:
        return cut(a | b);
      case AluOperation::bit_xor:
        return cut(a ^ b);
      case AluOperation::min:
        return cut(std::min(a, b));
      case AluOperation::max:
        return cut(std::max(a, b));
    }
    return 0;
  }
};

}  // namespace

TEST_CASE("a compiled register action does what its description says, for random actions and values") {
  RandomNumbers random(3);
  for (int round = 0; round < 20'000; ++round) {
    RegisterArray array;
    const unsigned widths[] = {8, 16, 32};
    array.width = Width::pair_of(widths[random.below(3)]);
    const auto bits = array.width.bits;
    auto& action = array.action("act");
    action.input({0});
    action.input({1}, 3);
    const auto small = [&] { return random.below(2) ? random.below(4) : random.next() & mask_of(bits); };
    const auto word = [&](bool memory) -> AluWord {
      if (memory) return random.below(2) ? kLo : kHi;
      return random.below(2) ? AluWord{AluWord::Source::input, random.below(2)} : AluWord(small());
    };
    const auto comparison = [&] { return static_cast<Comparison>(random.below(6)); };
    if (random.below(4)) {
      const auto offset = static_cast<std::int64_t>(random.below(5)) - 2;
      random.below(2) ? action.compare_a(word(true), comparison(), word(false), offset)
                      : action.signed_difference_a(word(true), word(false), comparison(), offset);
    }
    if (random.below(4)) action.compare_b(word(false), comparison(), word(true));
    for (const auto half : {kLo, kHi}) {
      const When when{static_cast<std::uint8_t>(random.below(16))};
      const auto operation = [&] { return static_cast<AluOperation>(random.below(10)); };
      if (random.below(3)) action.update(half, operation(), word(random.below(2)), word(random.below(2)), when);
      if (random.below(3)) action.update(half, operation(), word(random.below(2)), word(random.below(2)), ~when);
    }
    action.output(static_cast<AluOutput>(random.below(8)), When{static_cast<std::uint8_t>(random.below(16))});

    const std::uint64_t phv[2] = {small(), small() << 3};
    const Reference before{bits, small(), small(), {phv[0], phv[1] >> 3}};
    unsigned predicate = 0;
    for (const auto& [which, c] : action.comparators) predicate |= static_cast<unsigned>(before.holds(c)) << which;
    auto lo = before.lo, hi = before.hi;
    for (const auto& u : action.updates) {
      if (u.when.truth >> predicate & 1) (u.hi ? hi : lo) = before.result(u);
    }
    const auto in = [&](std::uint64_t i) { return before.cut(static_cast<std::int64_t>(before.in[i])); };
    const std::uint64_t outputs[] = {0, before.lo, before.hi, lo, hi, in(0), in(1), 1};
    const auto output =
        action.output_when.truth >> predicate & 1 ? outputs[static_cast<std::size_t>(action.output_source)] : 0;

    const auto code = compile(action);
    const AluInputs taken{before.lo, before.hi, phv[code.input_slot[0]], phv[code.input_slot[1]]};
    const auto result = run_alu(code, taken);
    REQUIRE(result.lo == lo);
    REQUIRE(result.hi == hi);
    REQUIRE(result.output == output);
    if (code.probe) REQUIRE(run_probe(code, taken) == output);
  }
}

TEST_CASE("the control plane reads and writes entries of every width") {
  auto program = std::make_shared<Program>("p");
  const Width widths[] = {Width::single(1),  Width::single(8),   Width::single(16), Width::single(32),
                          Width::pair_of(8), Width::pair_of(16), Width::pair_of(32)};
  for (const auto width : widths) {
    program->register_array(fmt::format("R{}{}", width.bits, width.pair ? "p" : ""), width, 4);
  }
  Pipeline pipeline(program);
  auto& registers = pipeline.registers();
  for (const auto& array : program->arrays()) {
    const auto number = registers.array(array.name);
    const auto value = 0xfedcba9876543211u & mask_of(array.width.total());
    registers.write(number, 2, value);
    CHECK(registers.read(number, 2) == value);
    CHECK(registers.read(number, 1) == 0);
    CHECK(registers.read(number, 3) == 0);
    CHECK_THROWS_WITH(registers.read(number, 4), Catch::Contains(array.name));
    if (array.width.total() < 64) CHECK_THROWS(registers.write(number, 0, mask_of(array.width.total()) + 1));
  }
  CHECK_THROWS_WITH(registers.array("none"), Catch::Contains("none"));
}

}  // namespace stateful_alu_test
