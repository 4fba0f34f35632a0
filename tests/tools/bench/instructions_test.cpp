#include "tools/bench/instructions.hpp"

#include <catch2/catch.hpp>

using namespace racksim::tools;

namespace {

JsonValue record_of(double pass) {
  return JsonValue::object({{"instructions", JsonValue::object({{"pass", pass}, {"echo", 500.0}})}});
}

}  // namespace

TEST_CASE("A row with 3 % more instructions than on record is slower, one with 3 % fewer is to be renewed") {
  const auto against = [](double counted) {
    return against_record({{"pass", "pass", counted, {}, {}}}, record_of(1000));
  };
  CHECK(against(1030).slower.empty());
  CHECK(against(1031).slower ==
        std::vector<std::string>{"pass: 1031 instructions a pass where 1000 are on record, +3.1 %"});
  CHECK(against(970).faster.empty());
  CHECK(against(969).faster.size() == 1);
  CHECK(against(969).slower.empty());
}

TEST_CASE("A row that is not on record is told, and a quotient needs no record") {
  const auto against =
      against_record({{"wire", "packet", 10, {}, {}}, {"checks", "times", 1.3, {}, {}}}, record_of(1000));
  CHECK(against.unknown == std::vector<std::string>{"wire is not on record"});
  CHECK(against_record({{"wire", "packet", 10, {}, {}}}, JsonValue::object()).unknown.size() == 1);
}

TEST_CASE("A record is renewed in the rows that were counted, and keeps the others") {
  const auto renewed =
      renewed_record(record_of(1000), {{"pass", "pass", 900.4, {}, {}}, {"wire", "packet", 7, {}, {}}});
  const auto* rows = renewed.find("instructions");
  REQUIRE(rows);
  CHECK(rows->find("pass")->number() == 900.0);
  CHECK(rows->find("echo")->number() == 500.0);
  CHECK(rows->find("wire")->number() == 7.0);
}

TEST_CASE("Each row's name is its own, and each quotient is of two rows of one unit") {
  const auto unit = [](const std::string& name) -> std::string {
    std::vector<std::string> units;
    for (const auto& row : instruction_rows()) {
      if (row.name == name) units.push_back(row.unit);
    }
    return units.size() == 1 ? units.front() : "";
  };
  for (const auto& row : instruction_rows()) {
    INFO(row.name);
    CHECK(unit(row.name) == row.unit);
    CHECK((row.work != nullptr) != !row.command.empty());
  }
  for (const auto& quotient : instruction_quotients()) {
    INFO(quotient.name);
    CHECK_FALSE(unit(quotient.above).empty());
    CHECK(unit(quotient.above) == unit(quotient.below));
  }
}
