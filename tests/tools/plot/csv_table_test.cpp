// Comma-separated text: what is a field, and what is refused.
#include <catch2/catch.hpp>

#include "tests/tools/refusal.hpp"
#include "tools/plot/result_table.hpp"
#include "tools/text/csv_field.hpp"

namespace csv_table_test {

using namespace racksim::tools;
using Catch::Contains;
using Row = std::vector<std::string>;

namespace {

std::string refused(const std::string& text) {
  return testing::refusal([&] { read_csv_table(text, "points.csv"); });
}

}  // namespace

TEST_CASE("fields are what stands between commas, in quotes whatever it is, and remarks are none") {
  const ResultTable table = read_csv_table("# a remark\n\nx,\"a, \"\"b\"\"\",y\r\n1,two,\n\n3,\"four, five\",0.5", "f");
  CHECK(table.columns == Row{"x", "a, \"b\"", "y"});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0] == Row{"1", "two", ""});
  CHECK(table.rows[1][2] == "0.5");
}

TEST_CASE("a unit in square brackets is a column's, not of its name") {
  const ResultTable table = read_csv_table("load,speed [Mops],\"a, b [ns]\",[x],speed (Mops)\n1,2,3,4,5\n", "f");
  CHECK(table.columns == Row{"load", "speed", "a, b", "[x]", "speed (Mops)"});
  CHECK(table.units == std::map<std::string, std::string>{{"speed", "Mops"}, {"a, b", "ns"}});
  CHECK_THAT(refused("x [a],x [b]\n"), Contains("line 1: found a name twice"));
}

TEST_CASE("a text written as a field is read back as it was") {
  for (const char* text : {"", "plain", "a, b", "\"quoted\"", "# no remark", "a\"b,c"}) {
    const ResultTable table = read_csv_table("x,y\n" + csv_field(text) + ",1\n", "f");
    REQUIRE(table.rows.size() == 1);
    CHECK(table.rows[0][0] == text);
  }
}

TEST_CASE("columns of text but for verdicts, hashes and commands say how a point was made") {
  const ResultTable table = read_csv_table(
      "load,series,criterion,seed,speed,verdict,run_hash,command\n1,A,strict,7,2.5e-3,pass,ab12,one\n"
      "2,B,loose,8,nan,pass,cd34,other\n",
      "f");
  CHECK(table.settings == Row{"series", "criterion"});
}

TEST_CASE("what is no table is told with its line") {
  CHECK_THAT(refused(""), Contains("points.csv") && Contains("found nothing"));
  CHECK_THAT(refused("# only\n"), Contains("found nothing"));
  CHECK_THAT(refused("x,y\n1,2\n1\n"), Contains("line 3: found 1 values under 2 names"));
  CHECK_THAT(refused("x,x\n"), Contains("line 1: found a name twice"));
  CHECK_THAT(refused("x,y\n1,\"2\n"), Contains("line 2: found a quote that does not end"));
  CHECK_THAT(refused(std::string("x,y\n1,\x1b[2J\n")), Contains("line 2: found the control character"));
  CHECK_THAT(refused("x,y\n1,\xff\n"), Contains("line 2"));
}

}  // namespace csv_table_test
