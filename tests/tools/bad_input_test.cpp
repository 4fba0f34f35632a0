// The command itself meets hostile files: one line, status 2, no crash and no gigabytes.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/tools/temporary_folder.hpp"

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
  arguments.insert(arguments.begin(), RACKSIM_PROGRAM);
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
