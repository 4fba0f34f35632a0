// Interleaved rounds and their statistics. See rounds.hpp.
#include "tools/bench/rounds.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <stdexcept>

#include "tools/processes/child_processes.hpp"
#include "tools/processes/interruption.hpp"

namespace racksim::tools {

Spread spread_of(std::vector<double> values) {
  if (values.empty()) throw std::logic_error("a median of no values");
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return {median, values.front(), values.back()};
}

Spread ratio_of(const std::vector<double>& above, const std::vector<double>& below) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < above.size(); ++i) ratios.push_back(above[i] / below.at(i));
  return spread_of(std::move(ratios));
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double rate_of(const Round& round) {
  const double begin = processor_seconds();
  const auto units = static_cast<double>(round());
  return units / (processor_seconds() - begin);
}

double measured_apart(const std::function<double()>& measure) {
  return std::stod(answer_of([&] { return fmt::format("{}", measure()); }, "as a process was measuring").text);
}

std::vector<std::vector<double>> take_turns(const std::vector<Round>& contestants, unsigned rounds) {
  std::vector<std::vector<double>> rates(contestants.size());
  for (const auto& contestant : contestants) contestant();
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      stop_if_interrupted([] { return "in the rounds of a benchmark"; });
      rates[i].push_back(rate_of(contestants[i]));
    }
  }
  return rates;
}

}  // namespace racksim::tools
