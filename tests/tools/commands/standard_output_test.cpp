// Every command, with a standard output that takes nothing: nobody may be told that all went well.
#include "tools/commands/standard_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "tests/places.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/json/json_document.hpp"

namespace standard_output_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;

namespace {

/// A call of each command that would succeed, or fail as it should, and has something to say.
const std::map<std::string, std::string> kCalls{
    {"run", "run short.json"},
    {"explain", "explain short.json --key 0"},
    {"figure", "figure figures/one.json --out points"},
    {"fuzz", "fuzz short.json --runs 1"},
    {"test", "test short.json"},
    {"shrink", "shrink failing.json --runs 2"},
    {"diff", "diff short.json short.json"},
    {"validate", "validate short.json"},
    {"expand", "expand short.json"},
    {"list", "list protocols"},
    {"schema", "schema"},
    {"describe", "describe seed"},
    {"plot", "plot drawn --x seed --y throughput --out picture"},
    {"fit", "fit flowcc-lcf"},
    {"table", "table starcache"},
    {"explore", "explore cckvs-sc --set nodes=2 --set sessions=0,1"},
    {"switch", "switch l2l3-forwarding scenarios/switch/forwarding.json"},
    {"bench", "bench --quick"},
    {"trace", "trace info short.csv"},
};

void write_files(const TemporaryFolder& folder) {
  JsonValue scenario = parse_json(R"({
    "version": 1, "rack": {"testbed": "concordia-8", "nodes": 2}, "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
    "workload": {"kind": "micro", "threads": 1, "working_set": "1MiB", "shared_bytes": "64KiB", "warm_passes": 0},
    "run": {"measure": {"operations": 200}}, "check": {"all": true}})",
                                  "short");
  folder.write("short.json", to_json(scenario));
  scenario.set_dotted("run.time_limit", "1us");  // a violation of its own
  folder.write("failing.json", to_json(scenario));
  JsonValue figure = parse_json(R"({"version": 1, "title": "One point", "series": [{"name": "only"}],
    "metrics": {"throughput": "throughput_mops"}, "sweep": {"label": "seed", "path": "seed", "values": [1]}})",
                                "figure");
  figure.set("base", (folder.path() / "short.json").string());
  folder.write("figures/one.json", to_json(figure));
  folder.write("short.csv", "op,key\nget,1\n");
  folder.write("drawn/points.csv", "seed,series,throughput,verdict,run_hash\n1,only,2,pass,0\n");
}

/// The status and standard error of a call whose standard output is redirected as a shell does it.
Outcome redirected(const TemporaryFolder& folder, const std::string& arguments, const std::string& redirection) {
  const std::string err = (folder.path() / "err").string();
  const int status = std::system(("cd " + folder.path().string() + " && " + racksim::places::racksim_program() + " " +
                                  arguments + " 2>" + err + " " + redirection)
                                     .c_str());
  return {WEXITSTATUS(status), "", content(err)};
}

}  // namespace

TEST_CASE("a command whose standard output is full or closed ends with status 3", "[output]") {
  const TemporaryFolder folder;
  write_files(folder);
  std::ostringstream help, none;
  REQUIRE(run_command_line({"--help"}, built_in_catalogue(), help, none) == exit_ok);
  std::set<std::string> commands;
  std::istringstream lines(help.str().substr(help.str().find("Subcommands:")));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::string name;
    if (line.starts_with("  ") && std::istringstream(line) >> name && line.find(name) == 2) commands.insert(name);
  }
  REQUIRE(commands.size() >= 12);
  for (const std::string& command : commands) {
    CAPTURE(command);
    REQUIRE(kCalls.contains(command));  // a new command belongs into the list above
    const std::string& call = kCalls.at(command);
    // The call as such has no status of its own that would hide this one.
    if (command != "bench") CHECK(redirected(folder, call, ">whole").status < exit_bad_input);
    const auto full = redirected(folder, call, ">/dev/full");
    CHECK(full.status == exit_internal_error);
    CHECK_THAT(full.err, Contains("racksim: standard output could not be written: No space left on device"));
    if (command == "bench") continue;  // it takes its time
    const auto closed = redirected(folder, call, ">&-");
    CHECK(closed.status == exit_internal_error);
    CHECK_THAT(closed.err, Contains("racksim: standard output could not be written: Bad file descriptor"));
  }
  for (const char* call : {"--help", "--version", "run --help", "run short.json --json", "fuzz short.json --only 0"}) {
    CAPTURE(call);
    CHECK(redirected(folder, call, ">/dev/full").status == exit_internal_error);
  }
}

TEST_CASE("who has nothing to say loses nothing, and bad input stays bad input", "[output]") {
  const TemporaryFolder folder;
  write_files(folder);
  CHECK(redirected(folder, "run short.json --quiet", ">/dev/full").status == exit_ok);
  CHECK(redirected(folder, "run short.json --quiet", ">&-").status == exit_ok);
  CHECK(redirected(folder, "run none.json", ">/dev/full").status == exit_bad_input);
  // Without any standard descriptor no file gets the number of one.
  CHECK(redirected(folder, "run short.json --quiet --out run", "<&- >&- 2>&-").status == exit_ok);
  CHECK(parse_json(content(folder.path() / "run/report.json"), "report").find("run_hash") != nullptr);
}

TEST_CASE("output that is not taken at once arrives whole", "[output]") {
  int ends[2];
  REQUIRE(pipe2(ends, O_NONBLOCK) == 0);
  const std::string text(1 << 20, 'x');  // many times what a pipe holds
  std::string arrived;
  std::thread reader([&] {
    char buffer[1000];
    for (;;) {
      const ssize_t n = read(ends[0], buffer, sizeof buffer);
      if (n == 0) return;
      if (n > 0) arrived.append(buffer, static_cast<std::size_t>(n));
    }
  });
  DescriptorBuffer buffer(ends[1]);
  std::ostream out(&buffer);
  out << text << "end";
  std::ostringstream err;
  CHECK(finish_output(buffer, exit_failed, err) == exit_failed);
  close(ends[1]);
  reader.join();
  close(ends[0]);
  CHECK(arrived == text + "end");
  CHECK(err.str().empty());
}

TEST_CASE("a file that cannot be written whole is status 3 and does not appear", "[output]") {
  const TemporaryFolder folder;
  write_files(folder);
  // Files of at most 1 KiB, as on a full disk.
  const std::string full =
      "ulimit -f 1; cd " + folder.path().string() + " && " + racksim::places::racksim_program() + " ";
  const auto status = [&](const std::string& arguments) {
    return WEXITSTATUS(
        std::system(("bash -c \"" + full + arguments + "\" >/dev/null 2>" + (folder.path() / "err").string()).c_str()));
  };
  const auto exists = [&](const char* file) { return std::filesystem::exists(folder.path() / file); };
  CHECK(status("run short.json --quiet --out run") == exit_internal_error);
  CHECK_THAT(content(folder.path() / "err"), Contains("could not be written") && !Contains("internal error"));
  CHECK_FALSE(exists("run/config.json"));
  CHECK(std::filesystem::is_empty(folder.path() / "run"));
  CHECK(status("run short.json --quiet --set observe.trace=trace.jsonl") == exit_internal_error);
  CHECK_FALSE(exists("trace.jsonl"));
  CHECK(status("fit flowcc-lcf --dot graph.dot") == exit_internal_error);
  CHECK_FALSE(exists("graph.dot"));
}

}  // namespace standard_output_test
