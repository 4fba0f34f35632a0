// Commands that the program prints for people to repeat do what they say when a shell is given them, whatever the names
// of files and the values hold.
#include <catch2/catch.hpp>
#include <sstream>
#include <vector>

#include "tests/tools/run_racksim.hpp"
#include "tools/json/json_document.hpp"

namespace printed_commands_test {

using namespace racksim::tools::testing;

namespace {

constexpr const char* kFolder = "it's here";

/// Scenarios in a folder whose name holds a space and an apostrophe.
class Rim {
 public:
  Rim() {
    const std::string scenarios = racksim::places::source_folder() + "/scenarios";
    folder_.write(
        std::string(kFolder) + "/my scenario's.json",
        R"({"base": ")" + scenarios + R"(/flowcc/lossy.json", "protocol": {"flowcc": {"check_table": false}}})");
    folder_.write(
        std::string(kFolder) + "/a template's.json",
        R"({"base": ")" + scenarios + R"(/fuzz/flowcc.json", "protocol": {"flowcc": {"scoreboard": false}}})");
    folder_.write(std::string(kFolder) + "/a figure's.json", R"({
      "version": 1, "title": "t", "base": "my scenario's.json", "sweep": {"path": "seed", "values": [1, 2]},
      "series": [{"name": "it's one", "set": {"doc": "it's set"}}],
      "metrics": {"throughput": "throughput_mops"},
      "claims": [{"id": "own/c", "text": "c", "paper": {"shape": "monotone_decreasing"},
                  "read": {"series": "it's one", "metric": "throughput"}}], "calibrated": []})");
    // `racksim` is found as a person finds it.
    std::filesystem::create_symlink(racksim::places::racksim_program(), folder_.path() / "racksim");
  }

  /// What a command prints, on both streams.
  std::string printed(const std::string& arguments, int status = 1) const {
    const Outcome outcome = run_racksim(folder_, arguments);
    CAPTURE(arguments, outcome.err);
    CHECK(outcome.status == status);
    return outcome.out + outcome.err;
  }

  /// The content of a file in the folder.
  std::string file(const std::string& name) const { return content(folder_.path() / name); }

  /// Gives each command in a text to `sh -c`, and counts those. None may be refused or fail to start.
  std::size_t repeated(const std::string& text) const {
    std::size_t count = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const auto begin = line.find("racksim ");
      if (begin == std::string::npos || line.compare(begin, 9, "racksim: ") == 0) continue;
      ++count;
      const std::string command = line.substr(begin);
      folder_.write("command", command);
      const Outcome outcome =
          run_racksim(folder_, "-c \"$(cat command)\" sh", "PATH=" + folder_.path().string() + ":$PATH sh");
      CAPTURE(command, outcome.err);
      CHECK((outcome.status == 0 || outcome.status == 1));
    }
    return count;
  }

  /// The same of the strings of these names in a JSON document.
  std::size_t repeated_of(const std::string& json, const std::string& key) const {
    std::string lines;
    collect(racksim::tools::parse_json(json, "printed"), key, lines);
    return repeated(lines);
  }

 private:
  static void collect(const racksim::tools::JsonValue& value, const std::string& key, std::string& lines) {
    if (value.elements() != nullptr) {
      for (const auto& element : *value.elements()) collect(element, key, lines);
    }
    if (value.members() == nullptr) return;
    for (const auto& member : *value.members()) {
      if (member.key == key && member.value.string() != nullptr) lines += *member.value.string() + '\n';
      collect(member.value, key, lines);
    }
  }

  TemporaryFolder folder_;
};

const std::string kScenario = "\"it's here/my scenario's.json\"";
const std::string kTemplate = "\"it's here/a template's.json\"";

}  // namespace

TEST_CASE("run prints commands that a shell takes as they are meant", "[printed]") {
  const Rim rim;
  CHECK(rim.repeated(rim.printed("run " + kScenario + " --set \"doc=it's \\$HOME; exit 3\"")) == 2);  // replay, explain
}

TEST_CASE("fuzz prints commands that a shell takes as they are meant, also in the files that it writes", "[printed]") {
  const Rim rim;
  CHECK(rim.repeated(rim.printed("fuzz " + kTemplate + " --runs 20 --out \"it's out\" --set \"doc=it's\"")) == 3);
  CHECK(rim.repeated_of(rim.file("it's out/run-0-shrunk.json"), "doc") == 1);
  CHECK(rim.repeated_of(rim.printed("fuzz " + kTemplate + " --runs 20 --no-shrink --json --out \"it's out\""),
                        "replay") == 1);
  CHECK(rim.repeated(rim.printed("fuzz " + kTemplate + " --only 0 --out \"it's out\"")) == 2);
  CHECK(rim.repeated(rim.printed("fuzz " + kTemplate + " --only 0")) == 1);
}

TEST_CASE("shrink prints commands that a shell takes as they are meant", "[printed]") {
  const Rim rim;
  CHECK(rim.repeated(rim.printed("shrink " + kScenario + " --runs 20 --out \"it's out.json\"", 0)) == 1);
}

TEST_CASE("test prints commands that a shell takes as they are meant", "[printed]") {
  const Rim rim;
  CHECK(rim.repeated(rim.printed("test " + kScenario)) == 1);
}

TEST_CASE("figure prints commands that a shell takes as they are meant", "[printed]") {
  const Rim rim;
  const std::string text = rim.printed("figure \"it's here/a figure's.json\" --out figure");
  CHECK(rim.repeated(text) == 2);  // a point each
  const std::string json = rim.printed("figure \"it's here/a figure's.json\" --out figure --json");
  CHECK(rim.repeated_of(json.substr(0, json.rfind("\n}\n") + 3), "command") == 2);
}

}  // namespace printed_commands_test
