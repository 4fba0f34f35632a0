// The command itself meets hostile files: one line, status 2, no crash and no gigabytes.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/places.hpp"
#include "tests/tools/temporary_folder.hpp"

namespace bad_input_test {

using namespace racksim::tools::testing;

namespace {

struct Outcome {
  int status;  ///< exit status, or 128 + signal
  std::string out, err;
  long peak_kib;
};

std::string slurp(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Runs the racksim program as a shell would.
Outcome run_program(const TemporaryFolder& folder, std::vector<std::string> arguments) {
  const auto out = folder.path() / "out.txt";
  const auto err = folder.path() / "err.txt";
  arguments.insert(arguments.begin(), racksim::places::racksim_program());
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(open(out.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDOUT_FILENO);
    dup2(open(err.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), slurp(out), slurp(err), usage.ru_maxrss};
}

/// Checks that a file with this text is refused as it should be, and returns the error without the file's name.
std::string refusal_of(const TemporaryFolder& folder, const std::string& file) {
  const auto outcome = run_program(folder, {"validate", file});
  CAPTURE(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  CHECK(outcome.peak_kib < 512 * 1024);
  return outcome.err;
}

/// The one line with which the program refuses a command line, having written and printed nothing else.
std::string refusal_of_command(const TemporaryFolder& folder, std::vector<std::string> arguments) {
  const auto outcome = run_program(folder, std::move(arguments));
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  return outcome.err;
}

std::string refusal_of_text(std::string_view text) {
  const TemporaryFolder folder;
  const auto file = folder.write("scenario.json", text);
  const auto line = refusal_of(folder, file);
  REQUIRE(line.starts_with(file + ": /"));
  return line.substr(file.size() + 2);
}

}  // namespace

TEST_CASE("the program refuses wrong types, keys and versions") {
  CHECK(refusal_of_text("{\"version\": \"1\"}") ==
        "/version: found the string \"1\", expected 1, the format that this build reads\n");
  CHECK_THAT(refusal_of_text("{\"verison\": 1}"), Catch::Contains("did you mean \"version\"?"));
  CHECK_THAT(refusal_of_text("{\"version\": 1, \"version\": 1}"),
             Catch::StartsWith("/version: found the key \"version\" twice"));
  CHECK_THAT(refusal_of_text("{\"version\": 1, \"seed\": -1}"), Catch::StartsWith("/seed: found the number -1"));
  CHECK_THAT(refusal_of_text("[]"), Catch::StartsWith("/: found an empty array"));
}

TEST_CASE("the program refuses truncated and binary files") {
  CHECK_THAT(refusal_of_text("{\"version\": 1,\n \"rack\": \"conc"), Catch::Contains("at line 2, column"));
  CHECK_THAT(refusal_of_text(""), Catch::Contains("at line 1, column 1"));
  CHECK_THAT(refusal_of_text(std::string_view("\0\1\2\xff", 4)), Catch::Contains("at line 1, column 1"));
  CHECK_THAT(refusal_of_text("\x7f"
                             "ELF"),
             Catch::Contains("at line 1, column 1"));
}

TEST_CASE("the program refuses missing files and folders") {
  const TemporaryFolder folder;
  CHECK_THAT(refusal_of(folder, (folder.path() / "none.json").string()), Catch::Contains("found no such file"));
  CHECK_THAT(refusal_of(folder, folder.path().string()), Catch::Contains("found a directory"));
  CHECK_THAT(refusal_of(folder, "none\n.json"), Catch::Contains("none\\u000a.json"));
}

TEST_CASE("the program refuses a 100 MB file without reading it") {
  const TemporaryFolder folder;
  const auto file = folder.write("large.json", "{\"version\": 1}");
  std::filesystem::resize_file(file, 100'000'000);
  CHECK_THAT(refusal_of(folder, file), Catch::Contains("found 100000000 bytes, expected at most 16777216 bytes"));
}

TEST_CASE("the program refuses endless input") {
  const TemporaryFolder folder;
  CHECK_THAT(refusal_of(folder, "/dev/zero"), Catch::Contains("more than 16777216 bytes"));
}

TEST_CASE("the program refuses a million nested brackets") {
  CHECK_THAT(refusal_of_text(std::string(1'000'000, '[')), Catch::Contains("a depth of at most 64"));
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  CHECK_THAT(refusal_of_text(objects), Catch::Contains("a depth of at most 64"));
}

TEST_CASE("the program's memory stays bounded on 16 MiB of the densest JSON") {
  std::string array = "[";
  std::string object = "{";
  while (array.size() < (16U << 20U) - 8) array += "1,";
  for (int i = 0; object.size() < (16U << 20U) - 32; ++i) object += "\"" + std::to_string(i) + "\":1,";
  CHECK_THAT(refusal_of_text(array + "1]"), Catch::Contains("more than 1000000 values"));
  CHECK_THAT(refusal_of_text(object + "\"x\":1}"), Catch::Contains("more than 1000000 values"));
  CHECK_THAT(refusal_of_text("{\"version\": \"" + std::string(16'000'000, 'x') + "\"}"), Catch::Contains("xxx...\""));
}

TEST_CASE("the program refuses numbers on the command line that are none, or are out of range") {
  const TemporaryFolder folder;
  for (const char* command : {"run", "explain", "shrink", "fuzz"}) {
    for (const char* seed :
         {"-1", "18446744073709551616", "99999999999999999999999", "1e3", "0x10", "+5", " 5", "5 ", ""}) {
      CAPTURE(command, seed);
      const auto line = refusal_of_command(folder, {command, "quickstart.json", "--seed", seed});
      CHECK_THAT(line, Catch::StartsWith(std::string("racksim ") + command + ": --seed: found \"" + seed + "\"") &&
                           Catch::Contains("expected a whole number from 0 to 18446744073709551615"));
    }
  }
  const auto refused = [&](std::vector<std::string> arguments, const char* expected) {
    CAPTURE(arguments);
    CHECK_THAT(refusal_of_command(folder, std::move(arguments)), Catch::Contains(expected));
  };
  refused({"fuzz", "fuzz/flowcc.json", "--runs", "-1"}, "--runs: found \"-1\", expected a whole number from 1 to");
  refused({"fuzz", "fuzz/flowcc.json", "--only", "-1"}, "--only: found \"-1\", expected a whole number from 0 to");
  refused({"fuzz", "fuzz/flowcc.json", "--failures", "0"}, "expected a whole number from 1 to 1000000");
  refused({"fuzz", "fuzz/flowcc.json", "--jobs", "4294967297"}, "expected a whole number from 1 to 1024");
  refused({"shrink", "quickstart.json", "--runs", "0"}, "expected a whole number from 1 to");
  refused({"test", "regress", "--limit", "0"}, "expected a whole number from 1 to 86400");
  refused({"figure", "concordia/fig9", "--jobs", "0"}, "expected a whole number from 1 to 1024");
  refused({"explain", "quickstart.json", "--violation", "0"}, "expected a whole number from 1 to");
  refused({"explain", "quickstart.json", "--last", "-3"}, "expected a whole number from 1 to");
}

TEST_CASE("the program takes the largest seed as it is") {
  const TemporaryFolder folder;
  const auto outcome = run_program(
      folder, {"run", "quickstart.json", "--seed", "18446744073709551615", "--set", "run.measure={\"operations\":10}"});
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Catch::Contains("seed 18446744073709551615)"));
}

TEST_CASE("the program refuses seeds of a scenario that are no whole numbers below 2^64") {
  const std::string rest = R"(, "version": 1, "rack": "concordia-8", "protocol": {"name": "flowcc"},
                              "workload": {"kind": "micro"}})";
  for (const char* seed : {"-1", "18446744073709551616", "1.5", "1e19", "\"1\"", "null", "[1]"}) {
    CAPTURE(seed);
    CHECK_THAT(refusal_of_text(R"({"seed": )" + std::string(seed) + rest),
               Catch::StartsWith("/seed: found ") &&
                   Catch::EndsWith("expected a whole number from 0 to 18446744073709551615\n"));
  }
}

TEST_CASE("the program refuses a phase of no operations, which would never end") {
  const TemporaryFolder folder;
  for (const char* phase : {"measure", "warmup"}) {
    const std::string change = std::string("run.") + phase + "={\"operations\":0}";
    CHECK_THAT(refusal_of_command(folder, {"run", "quickstart.json", "--set", change}),
               Catch::Contains(std::string("/run/") + phase +
                               "/operations: found the number 0, expected a whole number from 1 to"));
  }
}

TEST_CASE("the program refuses limits of no real time") {
  const TemporaryFolder folder;
  for (const char* time : {"0s", "1us", "0ms"}) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"fuzz", "fuzz/flowcc.json", "--run-limit", time},
          {"fuzz", "fuzz/flowcc.json", "--time", time},
          {"shrink", "quickstart.json", "--run-limit", time}}) {
      CAPTURE(arguments);
      CHECK_THAT(refusal_of_command(folder, arguments), Catch::Contains("expected at least \"1ms\" of real time"));
    }
  }
}

TEST_CASE("the program refuses expectations of unknown metrics before it runs") {
  const TemporaryFolder folder;
  // The run would take minutes.
  const auto line = refusal_of_command(
      folder, {"run", "quickstart.json", "--set", "run.measure=\"900s\"", "--set", "/expect/throughput_mop/min=1"});
  CHECK_THAT(line, Catch::Contains("/expect/throughput_mop: found the unknown metric \"throughput_mop\"") &&
                       Catch::Contains("did you mean \"throughput_mops\"?"));
}

TEST_CASE("the program refuses to explain keys that the workload does not use") {
  const TemporaryFolder folder;
  const std::vector<std::string> length{"--set", "run.measure=\"900s\""};  // it must not run
  const auto refused = [&](const char* file, const char* key, const char* expected) {
    std::vector<std::string> arguments{"explain", file, "--key", key};
    arguments.insert(arguments.end(), length.begin(), length.end());
    CAPTURE(arguments);
    CHECK_THAT(refusal_of_command(folder, arguments),
               Catch::StartsWith("racksim explain: --key: found ") && Catch::Contains(expected));
  };
  refused("quickstart.json", "abc", "a number such as");
  refused("quickstart.json", "0x", "a number such as");
  refused("quickstart.json", "0xffffffffffffffff", "a block of the workload: node * 0x1000000000 + index");
  refused("quickstart.json", "0x8000000000", "with nodes from 0 to 7 and indices below 0x6e8");
  refused("starcache/zipf-0.99.json", "10000000", "expected a key from 0x0 to 0x98967f");
}

TEST_CASE("the program refuses to compare with programs that cannot be executed") {
  const TemporaryFolder folder;
  const auto text = folder.write("text", "no program");
  for (const std::string& program :
       {std::string("./none"), std::string("no-such-program"), text, std::string("/tmp")}) {
    for (const char* side : {"--program-a", "--program-b"}) {
      CAPTURE(program, side);
      CHECK_THAT(
          refusal_of_command(folder, {"diff", "quickstart.json", "quickstart.json", side, program}),
          Catch::StartsWith(std::string("racksim diff: ") + side + ": found \"" + program + "\", expected a racksim"));
    }
  }
}

TEST_CASE("every sub-command refuses unknown options by its own name, with those that it has") {
  const TemporaryFolder folder;
  for (const char* command : {"run", "explain", "figure", "fuzz", "test", "shrink", "diff", "validate", "list",
                              "schema", "fit", "table", "switch", "bench"}) {
    CAPTURE(command);
    const auto line = refusal_of_command(folder, {command, "--nonsense"});
    CHECK_THAT(line, Catch::StartsWith(std::string("racksim ") + command +
                                       ": command line: found the unknown option \"--nonsense\", expected "));
    CHECK_THAT(line, Catch::Contains("\"--help\""));
  }
}

TEST_CASE("the program says what is wrong with a command line in its own words") {
  const TemporaryFolder folder;
  const auto refused = [&](std::vector<std::string> arguments, const char* expected) {
    CAPTURE(arguments);
    CHECK_THAT(refusal_of_command(folder, std::move(arguments)), Catch::Contains(expected));
  };
  refused({}, "racksim: command line: found no command, expected \"bench\", \"describe\", \"diff\"");
  refused({"rnu"}, "found the unknown command \"rnu\"");
  refused({"rnu"}, "(did you mean \"run\"?)");
  refused({"--jsn", "run", "quickstart.json"}, "racksim: command line: found the unknown option \"--jsn\"");
  refused({"run", "quickstart.json", "--sed", "5"}, "(did you mean \"--seed\"?)");
  refused({"run", "quickstart.json", "--sed=5"}, "(did you mean \"--seed\"?)");
  refused({"fuzz", "quickstart.json", "--noshrink"}, "(did you mean \"--no-shrink\"?)");
  refused({"run", "quickstart.json", "more"}, "found the argument \"more\", expected FILE and no more");
  refused({"schema", "suite", "more"}, "racksim schema: command line: found the argument \"more\"");
  refused({"run"}, "racksim run: command line: found no FILE, expected FILE: Scenario file");
  refused({"diff", "a"}, "found no RUN_B");
  refused({"run", "quickstart.json", "--seed"}, "found no value after \"--seed\"");
  refused({"explain", "quickstart.json", "--last", "3", "--from", "1us"}, "beside");
  refused({"list", "protocls"}, "(did you mean \"protocols\"?)");
  refused({"fit", "flowcc-lfc"}, "(did you mean \"flowcc-lcf\"?)");
}

TEST_CASE("the program takes no text that a terminal would obey, wherever it comes in") {
  const TemporaryFolder folder;
  const auto refused = [&](std::vector<std::string> arguments, const char* expected) {
    CHECK_THAT(refusal_of_command(folder, std::move(arguments)),
               Catch::Contains(expected) && !Catch::Contains("\x1b") && !Catch::Contains("\xff"));
  };
  refused(
      {"run", "a\x1b[31m.json"},
      "racksim: command line: found the control character \\u001b in \"a\\u001b[31m.json\", expected text in UTF-8");
  refused({"run", "quickstart.json", "--set", "doc=\xff"}, "found the byte \\xff, which is no UTF-8 in \"doc=\\xff\"");
  refused({"run", "quickstart.json", "--set", "name=\"\\n  verdict pass\""},
          "/name: found the control character \\u000a");
  refused({"run", "quickstart.json", "--out", "a\nb"}, "found the control character \\u000a in \"a\\u000ab\"");
  folder.write("suite/a\x1b[31m.json", "{}");
  refused({"test", (folder.path() / "suite").string()},
          "suite: /: found the control character \\u001b, expected text in");
  refused({"validate", folder.write("nul.json", std::string_view("{}\0x", 4))}, "found a NUL byte at line 1, column 3");
}

TEST_CASE("the program refuses a folder for scratch files that is none") {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "");
  setenv("TMPDIR", file.c_str(), 1);
  const std::string line = refusal_of_command(
      folder, {"diff", "quickstart.json", "quickstart.json", "--set-b", "seed=2", "--set-a", "run.measure=1us"});
  unsetenv("TMPDIR");
  CHECK(line == "environment: /TMPDIR: found \"" + file + "\", expected a folder for scratch files\n");
}

TEST_CASE("the program says of what does not fit what it is, and then what would") {
  const TemporaryFolder folder;
  const auto refused = [&](std::vector<std::string> settings, const char* found, const char* expected) {
    std::vector<std::string> arguments{"run", "quickstart.json"};
    for (auto& setting : settings) arguments.insert(arguments.end(), {"--set", std::move(setting)});
    CAPTURE(arguments);
    CHECK_THAT(refusal_of_command(folder, arguments), Catch::Contains(found) && Catch::EndsWith(expected));
  };
  refused({"rack.nodes=33"}, "/rack/nodes: found 33 servers, ", "expected at most the 32 ports of the switch\n");
  refused({"workload.threads=64"}, "/workload/threads: found 64 application threads, ",
          "expected with 2 agents no more than a node's 24 cores\n");
  refused({"workload.working_set=\"0B\""}, "/workload/working_set: found no private block for a node, ",
          "expected at least one, since sharing_ratio is below 1\n");
  refused({"faults.0={\"kind\":\"nic-stall\",\"node\":77}"}, "/faults/0/node: found node 77, ",
          "expected one of the 8 nodes, counted from 0\n");
}

TEST_CASE("a workload that wants what its protocol does not offer is refused before the run, by name") {
  const TemporaryFolder folder;
  CHECK(refusal_of_command(folder, {"run", "flowcc/lossy.json", "--set", "workload.mode=mixed"})
            .ends_with("scenarios/flowcc/lossy.json: /workload: found a workload that needs compare-and-swap and "
                       "fetch-and-add, expected one that needs no more than the protocol offers: read, write, fence, "
                       "lock, shared lock, try-lock, shared try-lock, unlock, allocate and free\n"));
  CHECK_THAT(refusal_of_command(folder, {"run", "flowcc/lossy.json", "--set", "workload.mode=lokc"}),
             Catch::EndsWith("(did you mean \"lock\"?)\n"));
}

TEST_CASE("roles that the rack or the protocol does not have are refused before the run") {
  const TemporaryFolder folder;
  CHECK_THAT(refusal_of_command(folder, {"run", "flowcc/lossy.json", "--set", "rack.roles.memory=5"}),
             Catch::Contains("/rack/roles/memory: found 5 nodes, expected at most the 4 nodes of the rack"));
  CHECK_THAT(
      refusal_of_command(folder, {"run", "flowcc/lossy.json", "--set", "rack.roles.memory=2"}),
      Catch::Contains("/rack/roles: found roles that tell nodes apart, expected none: every node runs applications"));
}

}  // namespace bad_input_test
