// Reads callgrind's graph of calls and divides it. See instruction_parts.hpp.
#include "tools/bench/instruction_parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace racksim::tools {

namespace {

/// A call's instructions, with all that was called from there.
struct Caller {
  std::size_t function;
  double instructions;
};

struct Function {
  std::optional<Part> part;
  double own = 0;
  std::vector<Caller> callers;
  InstructionsByPart shares{};  ///< of each part in what it does
};

/// The last number of a line: its instructions. Lines begin with a place in the source.
double last_number(const std::string& line) {
  const auto space = line.rfind(' ');
  const auto digits = std::string_view(line).substr(space == std::string::npos ? line.size() : space + 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    throw std::runtime_error(fmt::format("not a line of callgrind: {}", line));
  }
  return std::stod(std::string(digits));
}

class CallGraph {
 public:
  explicit CallGraph(std::istream& counted) {
    std::size_t function = none, called = none;
    bool of_call = false;  // the next number is that of a call
    for (std::string line; std::getline(counted, line);) {
      if (line.starts_with("fn=")) {
        function = named(std::string_view(line).substr(3));
      } else if (line.starts_with("cfn=")) {
        called = named(std::string_view(line).substr(4));
      } else if (line.starts_with("calls=")) {
        of_call = true;
      } else if (function != none && !line.empty() && std::string_view("0123456789+-*").find(line[0]) != line.npos) {
        const double instructions = last_number(line);
        if (!of_call) {
          functions_[function].own += instructions;
        } else if (called != function) {
          functions_.at(called).callers.push_back({function, instructions});
        }
        of_call = false;
      }
    }
    if (function == none) throw std::runtime_error("callgrind counted nothing");
  }

  InstructionsByPart divided() {
    for (auto& function : functions_) {
      if (function.part) function.shares[static_cast<std::size_t>(*function.part)] = 1;
    }
    // Shares go one call deeper with each round. Libraries call each other in circles, where little is left after some.
    for (int round = 0; round < 50; ++round) {
      for (auto& function : functions_) {
        if (!function.part) function.shares = shares_of_callers(function);
      }
    }
    InstructionsByPart parts{};
    for (const auto& function : functions_) {
      double left = function.own;
      for (std::size_t part = 0; part < kParts; ++part) {
        parts[part] += function.own * function.shares[part];
        left -= function.own * function.shares[part];
      }
      parts[static_cast<std::size_t>(Part::other)] += left;
    }
    return parts;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  InstructionsByPart shares_of_callers(const Function& function) const {
    InstructionsByPart shares{};
    double all = 0;
    for (const auto& caller : function.callers) {
      all += caller.instructions;
      for (std::size_t part = 0; part < kParts; ++part) {
        shares[part] += caller.instructions * functions_[caller.function].shares[part];
      }
    }
    if (all > 0) std::for_each(shares.begin(), shares.end(), [all](double& share) { share /= all; });
    return shares;
  }

  /// The function of "(NUMBER) NAME", whose name is told the first time only.
  std::size_t named(std::string_view text) {
    const auto end = text.find(')');
    if (!text.starts_with('(') || end == std::string_view::npos) {
      throw std::runtime_error(fmt::format("not a function of callgrind: {}", text));
    }
    const auto [at, added] = places_.emplace(text.substr(1, end - 1), functions_.size());
    if (added) functions_.emplace_back().part = part_of_symbol(text.substr(std::min(end + 2, text.size())));
    return at->second;
  }

  std::unordered_map<std::string, std::size_t> places_;
  std::vector<Function> functions_;
};

}  // namespace

InstructionsByPart instructions_by_part(std::istream& counted) {
  return CallGraph(counted).divided();
}

}  // namespace racksim::tools
