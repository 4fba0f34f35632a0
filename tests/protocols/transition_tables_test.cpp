// What holds for the transition tables of every protocol.
#include <catch2/catch.hpp>

#include "models/service/protocol.hpp"

namespace transition_tables_test {

using namespace racksim;

TEST_CASE("the transition table of every protocol is complete") {
  std::size_t tables = 0;
  for (const auto& protocol : models::protocols()) {
    for (const auto* table : protocol.tables) {
      INFO(protocol.name << ", " << table->name);
      CHECK(models::holes(*table) == std::vector<std::string>{});
      ++tables;
    }
  }
  CHECK(tables >= 3);
}

TEST_CASE("the coverage of every protocol has the rows of its tables, in their order") {
  for (const auto& protocol : models::protocols()) {
    INFO(protocol.name);
    std::vector<std::string> rows;
    for (const auto* table : protocol.tables) {
      for (const auto& row : table->coverage_rows()) rows.push_back(row);
    }
    CHECK(protocol.coverage.rows == rows);
  }
}

}  // namespace transition_tables_test
