// Every command that reads files, given every kind of file that is none of its own: one line that names the file, status
// 2, nothing printed beside it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/run_racksim.hpp"

namespace bad_files_test {

using namespace racksim::tools::testing;
namespace fs = std::filesystem;
using namespace std::string_literals;

namespace {

constexpr const char* kGood = R"({
  "version": 1, "rack": {"testbed": "concordia-8", "nodes": 2}, "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
  "workload": {"kind": "micro", "threads": 1, "working_set": "1MiB", "shared_bytes": "64KiB", "warm_passes": 0},
  "run": {"measure": {"operations": 50}}, "check": {"all": true}})";

/// Whatever a file may hold that no command takes.
std::vector<std::pair<std::string, std::string>> bad_contents() {
  std::string good = kGood;
  const auto with = [&](const std::string& found, const std::string& replaced) {
    std::string text = good;
    return text.replace(text.find(found), found.size(), replaced);
  };
  return {
      {"empty", ""},
      {"blank", " \n\t\r\n"},
      {"null", "null"},
      {"number", "7"},
      {"text", "\"racksim\""},
      {"list", "[]"},
      {"list-of-scenarios", "[" + good + "]"},
      {"cut-short", good.substr(0, good.size() / 2)},
      {"cut-by-one", good.substr(0, good.size() - 1)},
      {"twice", good + good},
      {"garbage-behind", good + "x"},
      {"nul-behind", good + "\0"s},
      {"nul-and-garbage", good + "\0garbage"s},
      {"nul-inside", with("\"micro\"", "\"mi\0cro\""s)},
      {"escaped-nul", with("\"micro\"", "\"mi\\u0000cro\"")},
      {"control-character", with("\"micro\"", "\"mi\x1b[2Jcro\"")},
      {"lone-surrogate", with("\"micro\"", "\"mi\\ud800cro\"")},
      {"not-utf-8", with("\"micro\"", "\"mi\xffro\"")},
      {"overlong-utf-8", with("\"micro\"", "\"mi\xc0\xafro\"")},
      {"utf-16", "\xff\xfe{\0}\0"s},
      {"comment", with("{", "{ // a rack\n")},
      {"comma-too-many", with("}}", "},}")},
      {"single-quotes", with("\"micro\"", "'micro'")},
      {"key-twice", with("\"version\": 1", "\"version\": 1, \"version\": 1")},
      {"nan", with("\"nodes\": 2", "\"nodes\": NaN")},
      {"beyond-double", with("\"nodes\": 2", "\"nodes\": 1e999")},
      {"hexadecimal", with("\"nodes\": 2", "\"nodes\": 0x2")},
      {"no-number-of-nodes", with("\"nodes\": 2", "\"nodes\": -2")},
      {"half-a-node", with("\"nodes\": 2", "\"nodes\": 2.5")},
      {"other-version", with("\"version\": 1", "\"version\": 2")},
      {"unknown-key", with("\"version\"", "\"nobody\": 1, \"version\"")},
      {"unknown-protocol", with("\"flowcc\"", "\"flowccc\"")},
      {"base-is-itself", R"({"base": "base-is-itself.json"})"},
      {"base-is-missing", R"({"base": "nowhere.json"})"},
      {"base-is-a-number", R"({"base": 3})"},
      {"no-cases", R"({"cases": {}})"},
      {"program",
       "\x7f"
       "ELF\x02\x01\x01\0\0\0"s},
      {"deep", std::string(100'000, '[')},
  };
}

/// Command lines with a file in the place of FILE.
const std::vector<std::string> kCommands = {"run FILE",
                                            "explain FILE",
                                            "diff FILE good.json",
                                            "diff good.json FILE",
                                            "expand FILE",
                                            "figure FILE",
                                            "fuzz FILE --runs 1",
                                            "fuzz --strength FILE --runs 1",
                                            "shrink FILE",
                                            "switch example-chain FILE",
                                            "test FILE",
                                            "test --bless FILE",
                                            "validate FILE"};

}  // namespace

TEST_CASE("every command refuses every bad file in one line that names it", "[bad]") {
  const TemporaryFolder folder;
  folder.write("good.json", kGood);
  std::vector<std::string> files;
  for (const auto& [name, text] : bad_contents()) {
    folder.write(name + ".json", text);
    files.push_back(name + ".json");
  }
  fs::create_directory(folder.path() / "folder.json");
  fs::create_symlink("nowhere", folder.path() / "dangling.json");
  fs::create_symlink("circle.json", folder.path() / "circle.json");
  for (const char* name : {"missing", "folder", "dangling", "circle", "folder.json/inside", "good.json/inside"})
    files.push_back(std::string(name) + ".json");
  std::size_t tried = 0;
  for (const auto& command : kCommands) {
    for (const auto& file : files) {
      const std::string arguments = std::string(command).replace(command.find("FILE"), 4, file);
      CAPTURE(arguments);
      const Outcome outcome = run_racksim(folder, arguments);
      CAPTURE(outcome.err, outcome.out);
      ++tried;
      CHECK(outcome.status == 2);
      CHECK(outcome.out.empty());
      CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
      CHECK(outcome.err.find(file.substr(0, file.find('.'))) != std::string::npos);
      CHECK(outcome.err.find("internal error") == std::string::npos);
      for (const char byte : outcome.err) CHECK((byte == '\n' || static_cast<unsigned char>(byte) >= ' '));
    }
  }
  CHECK(tried == kCommands.size() * files.size());
  CHECK(!fs::exists(folder.path() / "baselines"));
}

}  // namespace bad_files_test
