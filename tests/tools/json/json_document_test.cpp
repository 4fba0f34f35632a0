// JSON is read within limits and written without loss.
#include "tools/json/json_document.hpp"

#include <catch2/catch.hpp>

#include "tests/tools/refusal.hpp"
#include "tests/tools/temporary_folder.hpp"

namespace json_document_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

std::string refuse(std::string_view text) {
  return refusal([&] { parse_json(text, "f.json"); });
}

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

/// An empty object of so many bytes.
std::string padded(std::size_t bytes) {
  std::string text(bytes - 2, ' ');
  text += "{}";
  return text;
}

}  // namespace

TEST_CASE("values keep their kinds, and members their order") {
  const auto json = parse_json(R"({"z": [1, -2, 2.5, "x", true, null], "a": {}})", "f.json");
  REQUIRE(json.members()->size() == 2);
  CHECK(json.members()->front().key == "z");
  const auto& z = *json.find("z")->elements();
  CHECK(z[0].natural() == 1);
  CHECK(!z[1].natural());
  CHECK(z[1].number() == -2.0);
  CHECK(!z[2].natural());
  CHECK(z[2].number() == 2.5);
  CHECK(*z[3].string() == "x");
  CHECK(*z[4].boolean());
  CHECK(z[5].is_null());
  CHECK(json.find("a")->is_object());
  CHECK(json.find("missing") == nullptr);
}

TEST_CASE("integers are exact up to 2^64-1") {
  CHECK(parse_json("18446744073709551615", "f").natural() == 18446744073709551615ULL);
  CHECK(!parse_json("18446744073709551616", "f").natural());
  CHECK(to_canonical_json(parse_json("-9223372036854775808", "f")) == "-9223372036854775808");
}

TEST_CASE("syntax errors give line, column and pointer") {
  CHECK_THAT(refuse("{\n  \"a\": [1, 2"), Catch::StartsWith("f.json: /a/2: found unexpected end of input at line 2"));
  CHECK_THAT(refuse("{\"a\": tru}"), Catch::Contains("line 1, column 10"));
  CHECK_THAT(refuse("{\"a\": 1,}"), Catch::Contains("expected string literal"));
  CHECK_THAT(refuse(""), Catch::Contains("end of input at line 1, column 1"));
  CHECK_THAT(refuse("{} {}"), Catch::Contains("expected end of input"));
  CHECK_THAT(refuse("[1e999]"), Catch::StartsWith("f.json: /0: found number overflow"));
  CHECK_THAT(refuse("\"\xff\""), Catch::Contains("UTF-8"));
}

TEST_CASE("a document cut anywhere is refused in one line") {
  const std::string text = R"({"a": {"b": [1, "two", -3.5e1, true, null]}, "c\u00e4": "d\n"})";
  REQUIRE(refuse(text) == "accepted");
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto line = refuse(text.substr(0, length));
    CAPTURE(length, line);
    CHECK(line != "accepted");
    CHECK(line.find('\n') == std::string::npos);
  }
}

TEST_CASE("a key given twice is refused where it stands") {
  CHECK(refuse(R"({"a": {"b": 1, "c": 2, "b": 3}})") ==
        "f.json: /a/b: found the key \"b\" twice, expected each key at most once in an object");
  CHECK(refuse(R"([{"x/y~": 1}, {"x/y~": 1, "x/y~": 1}])").starts_with("f.json: /1/x~1y~0: found the key"));
  CHECK(refuse(R"({"a": 1, "\u0061": 2})").starts_with("f.json: /a: "));
  CHECK(refuse(R"([{"a": 1}, {"a": 1}])") == "accepted");
}

TEST_CASE("depth ends at 64") {
  CHECK(refuse(nested(64)) == "accepted");
  CHECK_THAT(refuse(nested(65)), Catch::Contains("a depth of at most 64"));
  CHECK_THAT(refuse(std::string(1'000'000, '[')), Catch::Contains("a depth of at most 64"));
}

TEST_CASE("the number of values is limited, because a tree is much larger than its text") {
  std::string text = "[0";
  for (std::size_t i = 2; i < JsonLimits::kValues; ++i) text += ",0";
  CHECK(refuse(text + "]") == "accepted");
  CHECK_THAT(refuse(text + ",0]"), Catch::Contains("more than 1000000 values"));
  std::string empty_arrays = "[[]";
  for (std::size_t i = 2; i < JsonLimits::kValues; ++i) empty_arrays += ",[]";
  CHECK(refuse(empty_arrays + "]") == "accepted");
  CHECK_THAT(refuse(empty_arrays + ",[]]"), Catch::Contains("more than 1000000 values"));
}

TEST_CASE("size ends at 16 MiB, for texts and for files") {
  CHECK(refuse(padded(JsonLimits::kBytes)) == "accepted");
  CHECK_THAT(refuse(padded(JsonLimits::kBytes + 1)), Catch::Contains("at most 16777216 bytes"));
  const TemporaryFolder folder;
  const auto file = folder.write("large.json", "{}");
  std::filesystem::resize_file(file, 100'000'000);  // sparse
  CHECK(refusal([&] { read_json_file(file); }) == file + ": /: found 100000000 bytes, expected at most 16777216 bytes");
}

TEST_CASE("files that cannot be read are refused") {
  const TemporaryFolder folder;
  const auto path = folder.path().string();
  CHECK(refusal([&] { read_json_file(path); }) == path + ": /: found a directory, expected a readable JSON file");
  CHECK_THAT(refusal([&] { read_json_file(path + "/none.json"); }), Catch::Contains("no such file"));
  CHECK_THAT(refusal([&] { read_json_file(path + "/" + std::string(5000, 'x')); }), !Catch::Contains("accepted"));
}

TEST_CASE("control characters of the input do not reach the error line") {
  const auto line = refuse("{\"\\u001b[31m\\n\": 1, \"\\u001b[31m\\n\": 2}");
  CHECK(line.find('\x1b') == std::string::npos);
  CHECK(line.find('\n') == std::string::npos);
  CHECK_THAT(line, Catch::Contains("\\u001b"));
}

TEST_CASE("a NUL byte ends no document") {
  using namespace std::string_view_literals;
  CHECK(refuse("{\"a\": 1}\0garbage"sv) ==
        "f.json: /: found a NUL byte at line 1, column 9, expected well-formed JSON");
  CHECK_THAT(refuse("{}\n\0"sv), Catch::Contains("a NUL byte at line 2, column 1"));
  CHECK_THAT(refuse("{\"a\0\": 1}"sv), Catch::Contains("a NUL byte at line 1, column 4"));
  CHECK_THAT(refuse("\0{}"sv), Catch::Contains("a NUL byte at line 1, column 1"));
}

TEST_CASE("a file's strings and keys are printable, however they are written and wherever they stand") {
  const TemporaryFolder folder;
  const auto refused = [&](std::string_view text) {
    return refusal([&] { read_json_file(folder.write("f.json", text)); });
  };
  CHECK(refused("{\"a\": [\"\xc3\xa4\", \"\\u20ac\"]}") == "accepted");
  CHECK_THAT(
      refused(R"({"a": [1, "x\n  verdict pass"]})"),
      Catch::Contains("f.json: /a/1: found the control character \\u000a, expected text in UTF-8 without control"));
  CHECK_THAT(refused(R"({"a": {"\u001b[31m": 1}})"), Catch::Contains("/a/\\u001b[31m: found the control character"));
  CHECK_THAT(refused(R"({"a": "\u0000"})"), Catch::Contains("control character \\u0000"));
  CHECK_THAT(refused(R"({"a": "\u009b31m"})"), Catch::Contains("control character \\u009b"));
  CHECK_THAT(refused("{\"a\": \"\xff\"}"), Catch::Contains("f.json: /"));
}

TEST_CASE("whole numbers are whole however they are written") {
  const auto natural = [](std::string_view text) { return parse_json(text, "f").natural(); };
  CHECK(natural("1e3") == 1000);
  CHECK(natural("500.0") == 500);
  CHECK(natural("-0.0") == 0);
  CHECK(natural("9007199254740992.0") == 9007199254740992);
  CHECK(natural("18446744073709551615") == 18446744073709551615U);
  // Beyond 2^53 a real is not what was written; the others are none.
  for (const char* text : {"9007199254740994.0", "1e300", "1.5", "-1", "-1.0", "1e-3", "\"1\"", "true", "null"}) {
    CAPTURE(text);
    CHECK_FALSE(natural(text).has_value());
  }
}

TEST_CASE("what is written reads back equal") {
  const std::string text =
      R"({"int": [0, 18446744073709551615, -9223372036854775808], "real": [0.1, 1.0, 1e300, 5e-324, 0.30000000000000004],
          "text": "\"\\\u0001\n\u00e4\u20ac", "empty": [[], {}], "null": null, "flags": [true, false]})";
  const auto json = parse_json(text, "f");
  CHECK(parse_json(to_json(json), "f") == json);
  CHECK(parse_json(to_folded_json(json), "f") == json);
  CHECK(parse_json(to_canonical_json(json), "f") != parse_json("{}", "f"));
}

TEST_CASE("JSON has two forms: indented, and canonical with sorted members") {
  const auto json = parse_json(R"({"b": [1, {"z": 2.0, "y": []}], "a": {}})", "f");
  CHECK(to_json(json) ==
        "{\n  \"b\": [\n    1,\n    {\n      \"z\": 2.0,\n      \"y\": []\n    }\n  ],\n  \"a\": {}\n}\n");
  CHECK(to_canonical_json(json) == R"({"a":{},"b":[1,{"y":[],"z":2.0}]})");
}

TEST_CASE("what fits into 120 columns is folded into a line, but for the outermost") {
  // With the comma that may follow, the line of "b" has 120 columns; one letter more and it is unfolded.
  const std::string fits(120 - std::string(R"(  "b": ["", 1],)").size(), 'x'), too_long = fits + "x";
  const auto json = parse_json(R"({"a": {"c": [1, 2]}, "b": [")" + fits + R"(", 1], "d": {}})", "f");
  CHECK(to_folded_json(json) == "{\n  \"a\": {\"c\": [1, 2]},\n  \"b\": [\"" + fits + "\", 1],\n  \"d\": {}\n}\n");
  const auto longer = parse_json(R"({"b": [")" + too_long + R"(", 1]})", "f");
  CHECK(to_folded_json(longer) == "{\n  \"b\": [\n    \"" + too_long + "\",\n    1\n  ]\n}\n");
}

TEST_CASE("trees are built member by member") {
  JsonValue json;
  json.set("a", 1);
  json.set_dotted("b.c.d", "x");
  json.set_dotted("b.e", JsonValue::array()).push(2.5);
  json.set("a", -1);
  CHECK(to_canonical_json(json) == R"({"a":-1,"b":{"c":{"d":"x"},"e":[2.5]}})");
  CHECK_THROWS_AS(json.find("a")->set("x", 1), std::logic_error);
}

}  // namespace json_document_test
