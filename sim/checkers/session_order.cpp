#include "sim/checkers/session_order.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/checkers/cycle.hpp"
#include "sim/checkers/register_values.hpp"

namespace racksim::sim::checkers {
namespace {

/// At most so many operations of a cycle are named.
constexpr std::size_t kMostNamed = 12;

/// The graph of the values: an edge from u to v says that u comes before v. Besides the values it has nodes that stand
/// for "all that the session wrote (or read) up to here", so that an operation needs one edge for all pairs that it is
/// the later of.
class ValueGraph {
 public:
  ValueGraph(Operations operations, const RegisterValues& values)
      : operations_(operations),
        values_(values),
        nodes_(values.size()),
        ordinal_(operations.size(), RegisterValues::kNone),
        covered_(values.size(), 0) {
    for (std::size_t v = 1; v < values.size(); ++v)
      edges_.push_back({0, v, RegisterValues::kNone, RegisterValues::kNone});
    in_sessions_.resize(operations.size());
    std::iota(in_sessions_.begin(), in_sessions_.end(), std::size_t{0});
    std::sort(in_sessions_.begin(), in_sessions_.end(), [&](std::size_t a, std::size_t b) {
      return std::pair{operations[a].session, a} < std::pair{operations[b].session, b};
    });
  }

  void add(SessionGuarantee guarantee) {
    switch (guarantee) {
      case SessionGuarantee::read_your_writes:
        return add_read_your_writes();
      case SessionGuarantee::monotonic_reads:
        return add_chain([](const Operation& operation) { return operation.action == Action::read; });
      case SessionGuarantee::monotonic_writes:
        return add_chain([](const Operation& operation) { return operation.action == Action::write; });
      case SessionGuarantee::writes_follow_reads:
        return add_writes_follow_reads();
    }
  }

  /// The pairs of all four guarantees. To return to a value after another one is a cycle in this chain; what else two
  /// operations on one value can break is to read it before writing it.
  void add_program_order() {
    add_chain([](const Operation&) { return true; });
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (operations_[i].action == Action::write || values_.value_of(i) == RegisterValues::kNone) continue;
      const auto value = values_.value_of(i);
      const auto write = values_.write_of(value);
      if (write != RegisterValues::kNone && write > i && operations_[write].session == operations_[i].session)
        edges_.push_back({value, value, i, write});
    }
  }

  Outcome judged(const std::string& promise) {
    const auto cycle = find_cycle(nodes_, edges_);
    if (cycle.empty()) return {};
    Outcome outcome;
    outcome.verdict = Verdict::fail;
    outcome.why = fmt::format("{}: in their sessions' orders, each of these comes before the next", promise);
    for (const auto& edge : cycle) {
      for (const auto index : {edge.earlier, edge.later}) {
        if (index == RegisterValues::kNone || outcome.operations.size() == kMostNamed) continue;
        if (outcome.operations.empty() || outcome.operations.back().id != operations_[index].id)
          outcome.operations.push_back(operations_[index]);
      }
    }
    return outcome;
  }

 private:
  /// Calls `begin` at the start of each session and `step` with each of its operations that had to do with a value.
  template <class Begin, class Step>
  void for_each_session(Begin begin, Step step) const {
    std::optional<std::uint32_t> session;
    for (const auto i : in_sessions_) {
      if (session != operations_[i].session) begin();
      session = operations_[i].session;
      if (values_.value_of(i) != RegisterValues::kNone) step(i);
    }
  }

  /// Each chosen operation's value comes before the next one's, or is the same.
  template <class Chosen>
  void add_chain(Chosen chosen) {
    auto last = RegisterValues::kNone;
    for_each_session([&] { last = RegisterValues::kNone; },
                     [&](std::size_t i) {
                       if (!chosen(operations_[i])) return;
                       const auto value = values_.value_of(i);
                       if (last != RegisterValues::kNone && values_.value_of(last) != value)
                         edges_.push_back({values_.value_of(last), value, last, i});
                       if (!operations_[i].pending()) last = i;
                     });
  }

  /// A node for all that the session did up to and including operation i, given that for what it did before.
  std::size_t add_prefix(std::size_t before, std::size_t i) {
    const auto node = nodes_++;
    if (before != RegisterValues::kNone) edges_.push_back({before, node, RegisterValues::kNone, RegisterValues::kNone});
    edges_.push_back({values_.value_of(i), node, i, RegisterValues::kNone});
    return node;
  }

  void add_writes_follow_reads() {
    auto reads = RegisterValues::kNone;
    for_each_session([&] { reads = RegisterValues::kNone; },
                     [&](std::size_t i) {
                       if (operations_[i].action == Action::read) {
                         reads = add_prefix(reads, i);
                       } else if (reads != RegisterValues::kNone) {
                         edges_.push_back({reads, values_.value_of(i), RegisterValues::kNone, i});
                       }
                     });
  }

  void add_read_your_writes() {
    struct Written {
      std::size_t write;
      std::size_t prefix;  // stands for it and all before it
    };
    std::vector<Written> written;  // by the session
    const auto step = [&](std::size_t i) {
      const auto value = values_.value_of(i);
      if (operations_[i].action == Action::write) {
        if (operations_[i].pending()) return;
        ordinal_[i] = written.size();
        const auto before = written.empty() ? RegisterValues::kNone : written.back().prefix;
        written.push_back({i, add_prefix(before, i)});
        return;
      }
      const auto write = values_.write_of(value);
      const bool own = write != RegisterValues::kNone && operations_[write].session == operations_[i].session &&
                       ordinal_[write] != RegisterValues::kNone;
      const auto before = own ? ordinal_[write] : written.size();
      if (before > 0) edges_.push_back({written[before - 1].prefix, value, RegisterValues::kNone, i});
      if (!own) return;
      for (auto w = std::max(covered_[value], before + 1); w < written.size(); ++w)
        edges_.push_back({values_.value_of(written[w].write), value, written[w].write, i});
      covered_[value] = written.size();
    };
    for_each_session([&] { written.clear(); }, step);
  }

  Operations operations_;
  const RegisterValues& values_;
  std::size_t nodes_;
  std::vector<OrderEdge> edges_;
  std::vector<std::size_t> in_sessions_;  // all operations, session by session
  std::vector<std::size_t> ordinal_;      // of each write among its session's, once it is passed
  std::vector<std::size_t> covered_;  // of each value: its session's writes that have their edge to a later read of it
};

}  // namespace

std::string_view to_string(SessionGuarantee guarantee) {
  switch (guarantee) {
    case SessionGuarantee::read_your_writes:
      return "read-your-writes";
    case SessionGuarantee::monotonic_reads:
      return "monotonic reads";
    case SessionGuarantee::monotonic_writes:
      return "monotonic writes";
    case SessionGuarantee::writes_follow_reads:
      return "writes follow reads";
  }
  throw std::invalid_argument(fmt::format("{} is no session guarantee", static_cast<int>(guarantee)));
}

Outcome check_session_guarantee(Operations operations, std::uint64_t initial, SessionGuarantee guarantee) {
  const RegisterValues values(operations, initial);
  if (values.problem().verdict != Verdict::pass) return values.problem();
  ValueGraph graph(operations, values);
  graph.add(guarantee);
  return graph.judged(fmt::format("{} cannot hold", to_string(guarantee)));
}

Outcome check_sequential_register(Operations operations, std::uint64_t initial) {
  const RegisterValues values(operations, initial);
  if (values.problem().verdict != Verdict::pass) return values.problem();
  ValueGraph graph(operations, values);
  graph.add_program_order();
  return graph.judged("no sequential order explains the results");
}

}  // namespace racksim::sim::checkers
