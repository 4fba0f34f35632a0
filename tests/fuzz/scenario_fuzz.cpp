// libFuzzer target: any bytes, read as a scenario or as a testbed with everything that is linked in, give a value or
// an InputError. What follows the first NUL byte is a `--set` override. A scenario that is accepted must survive being
// written with every value in effect and read again: run directories depend on it. No file is touched while fuzzing.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tests/fuzz/json_mutator.hpp"
#include "tools/json/input_error.hpp"
#include "tools/scenario/scenario.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t limit);

namespace {

using namespace racksim::tools;

constexpr const char* kTestbed = "concordia-8";

struct Fixed {
  Catalogue catalogue = built_in_catalogue();
  JsonValue testbed = parse_json(R"({"version": 1})", kTestbed);  // all constants at their defaults: quickly read
  testing::JsonMutator mutator{scenario_schema(catalogue)};
};

const Fixed& fixed() {
  static const Fixed value;
  return value;
}

Testbed find_testbed(const Place& named, const std::string& name, const Catalogue& catalogue) {
  if (name != kTestbed) named.refuse(quote(name), kTestbed);
  return read_testbed(fixed().testbed, kTestbed, catalogue);
}

Scenario read(JsonValue document, const std::vector<std::string>& overrides) {
  return read_scenario(std::move(document), "fuzz", fixed().catalogue, overrides, find_testbed);
}

void check_round_trip(const Scenario& scenario) {
  const std::string written = to_json(configuration(scenario));
  std::string again;
  try {
    again = to_json(configuration(read(parse_json(written, "written"), {})));
  } catch (const InputError& error) {
    again = error.what();
  }
  if (again == written) return;
  std::fprintf(stderr, "written:\n%sread again:\n%s", written.c_str(), again.c_str());
  std::abort();
}

std::size_t copy_out(std::string_view text, std::uint8_t* data, std::size_t limit) {
  const std::size_t size = std::min(text.size(), limit);
  std::memcpy(data, text.data(), size);
  return size;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t text_end = std::min(input.find('\0'), size);
  std::vector<std::string> overrides;
  if (text_end < size) overrides.emplace_back(input.substr(text_end + 1));
  JsonValue document;
  try {
    document = parse_json(input.substr(0, text_end), "fuzz");
  } catch (const InputError&) {
    return 0;
  }
  try {
    if (document.find("protocol") || document.find("workload")) {
      check_round_trip(read(std::move(document), overrides));
    } else {
      read_testbed(document, "fuzz", fixed().catalogue);
    }
  } catch (const InputError&) {
  }
  return 0;
}

/// Half of the changes are libFuzzer's own, to bytes; the others keep the document well-formed.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t limit, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, limit);
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t text_end = std::min(input.find('\0'), size);
  JsonValue document;
  try {
    document = parse_json(input.substr(0, text_end), "fuzz");
  } catch (const InputError&) {
    return LLVMFuzzerMutate(data, size, limit);
  }
  std::string text = to_canonical_json(fixed().mutator.mutate(document, seed / 2));
  if (text.size() > limit) return LLVMFuzzerMutate(data, size, limit);
  text += input.substr(text_end);
  return copy_out(text, data, limit);
}
