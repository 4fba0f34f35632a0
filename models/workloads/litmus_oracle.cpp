// See litmus_oracle.hpp.
#include "models/workloads/litmus_oracle.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "sim/checkers/store_buffer_search.hpp"

namespace racksim::models {

namespace {

using sim::checkers::Action;
using sim::checkers::Verdict;

constexpr unsigned kAddedBits = 32;  // above them: what fetch-and-adds have added to a value as the program names it
constexpr std::uint64_t kUnadded = litmus_addend(1) - 1;

/// What the program's text calls it: x=1, and 1 added, is 2.
std::uint64_t total(std::uint64_t named) {
  return (named >> kAddedBits) + (named & ((std::uint64_t{1} << kAddedBits) - 1));
}

Action action_of(sim::OperationKind kind) {
  switch (kind) {
    case sim::OperationKind::read:
      return Action::read;
    case sim::OperationKind::write:
      return Action::write;
    case sim::OperationKind::compare_and_swap:
      return Action::compare_and_swap;
    case sim::OperationKind::fetch_and_add:
      return Action::fetch_and_add;
    case sim::OperationKind::lock:
      return Action::lock;
    case sim::OperationKind::lock_shared:
      return Action::lock_shared;
    case sim::OperationKind::unlock:
      return Action::unlock;
    default:
      return Action::fence;
  }
}

std::string metric_name(const LitmusOutcome& outcome, const LitmusProgram& program) {
  std::string name = "litmus";
  for (std::size_t i = 0; i < outcome.all.size(); ++i) {
    const auto& condition = outcome.all[i];
    name += fmt::format("{}{}_{}", i == 0 ? "." : "_", program.registers[condition.in].name, condition.value);
  }
  return name;
}

std::string_view to_string(DeclaredOutcome::Verdict verdict) {
  constexpr std::string_view kNames[] = {"allowed", "required", "forbidden"};
  return kNames[static_cast<std::size_t>(verdict)];
}

}  // namespace

Verdict search_litmus(const LitmusProgram& program, const std::vector<std::uint64_t>& registers, LitmusModel model) {
  if (model == LitmusModel::none) return Verdict::pass;
  std::vector<sim::checkers::Operation> history;
  const auto add = [&](sim::checkers::Operation operation) {
    operation.id = sim::OperationId{history.size() + 1};
    operation.invoked = 2 * history.size() + 1;
    operation.responded = operation.invoked + 1;
    history.push_back(operation);
  };
  for (std::size_t session = 0; session < program.sessions.size(); ++session) {
    // What is read in the end is after everything, which a search without instants does not know.
    if (program.sessions[session].at_end) continue;
    for (const LitmusOperation& step : program.sessions[session].operations) {
      sim::checkers::Operation operation;
      operation.session = static_cast<std::uint32_t>(session);
      operation.action = action_of(step.kind);
      operation.key = sim::Key{step.object};
      operation.argument = step.kind == sim::OperationKind::fetch_and_add ? step.value << kAddedBits : step.value;
      operation.expected = step.expected ? registers[*step.expected] : 0;
      if (step.reads()) operation.result = registers[step.into];
      add(operation);
      if (model != LitmusModel::sc || operation.action != Action::write) continue;
      // Whose writes wait has one memory.
      operation.action = Action::fence;
      add(operation);
    }
  }
  using sim::checkers::StoreOrder;
  return search_store_buffers(history, model == LitmusModel::tso ? StoreOrder::total : StoreOrder::partial).verdict;
}

LitmusOracle::LitmusOracle(const LitmusProgram& program, LitmusModel model, std::vector<DeclaredOutcome> declared,
                           std::vector<std::string> places, std::vector<sim::Key> keys, sim::Metrics& metrics)
    : Oracle("litmus", "repetition"),
      program_(program),
      model_(model),
      declared_(std::move(declared)),
      places_(std::move(places)),
      keys_(std::move(keys)),
      other_(metrics.counter_of_run("litmus.other", "repetitions", "that ended with no outcome that is declared",
                                    sim::Shown::always)),
      judged_(metrics.counter_of_run("litmus.repetitions", "repetitions", "of the litmus test that were judged",
                                     sim::Shown::always)),
      abandoned_(metrics.counter_of_run("litmus.abandoned", "repetitions",
                                        "that were not judged: a session died or gave up an operation",
                                        sim::Shown::always)) {
  for (const DeclaredOutcome& one : declared_) {
    seen_.push_back(&metrics.counter_of_run(
        metric_name(one.outcome, program_), "repetitions",
        fmt::format("that ended with {} ({})", one.outcome.text(program_), to_string(one.verdict)),
        sim::Shown::always));
  }
}

std::optional<std::uint64_t> LitmusOracle::named(const LitmusRepetition& repetition, std::size_t object,
                                                 std::uint64_t value) const {
  const std::uint64_t base = value & kUnadded;
  const std::uint64_t added = value / litmus_addend(1) << kAddedBits;
  if (base == repetition.first[object]) return added;
  for (std::size_t s = 0; s < program_.sessions.size(); ++s) {
    const auto& operations = program_.sessions[s].operations;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const bool names =
          operations[i].kind == sim::OperationKind::write || operations[i].kind == sim::OperationKind::compare_and_swap;
      if (names && operations[i].object == object && base == repetition.written[s][i]) {
        return added | operations[i].value;
      }
    }
  }
  return std::nullopt;
}

void LitmusOracle::judge(const LitmusRepetition& repetition, sim::Time now) {
  Values values, totals;
  for (std::size_t i = 0; i < program_.registers.size(); ++i) {
    const auto value = named(repetition, program_.registers[i].object, repetition.read[i]);
    if (!value && repetition.others_may_write) return abandon();
    values.push_back(value.value_or(0));
    totals.push_back(total(values.back()));
    if (value) continue;
    ++judged_.value;
    ++other_.value;
    const LitmusRegister& odd = program_.registers[i];
    return accuse(repetition, now,
                  fmt::format("{} was read from {}, which neither held that value at first nor was given it", odd.name,
                              program_.objects[odd.object].name));
  }
  ++judged_.value;
  bool any = false;
  const DeclaredOutcome* forbidden = nullptr;
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    if (!declared_[i].outcome.holds(totals)) continue;
    any = true;
    ++seen_[i]->value;
    if (declared_[i].verdict == DeclaredOutcome::Verdict::forbidden && forbidden == nullptr) forbidden = &declared_[i];
  }
  if (forbidden != nullptr) {
    return accuse(repetition, now, fmt::format("{} is {}", forbidden->outcome.text(program_), forbidden->why));
  }
  if (any) return;
  ++other_.value;
  search(repetition, values, now);
}

void LitmusOracle::search(const LitmusRepetition& repetition, const Values& values, sim::Time now) {
  const auto [found, is_new] = searched_.try_emplace(values, Verdict::pass);
  if (is_new) found->second = search_litmus(program_, values, model_);
  if (found->second == Verdict::fail) {
    accuse(repetition, now, fmt::format("no execution of model {} ends so", models::to_string(model_)));
  } else if (found->second == Verdict::undecided && is_new) {
    violated("undecided", now,
             fmt::format("litmus: repetition {}: the search for an execution of model {} was given up",
                         repetition.number, models::to_string(model_)));
  }
}

void LitmusOracle::accuse(const LitmusRepetition& repetition, sim::Time now, const std::string& what) {
  violated(now,
           fmt::format("repetition {}, begun at {}: {}; {}", repetition.number, sim::printed(repetition.begun), what,
                       readings(repetition)),
           {keys_[program_.registers.front().object], {}});
}

std::string LitmusOracle::readings(const LitmusRepetition& repetition) const {
  std::string text;
  for (std::size_t i = 0; i < program_.registers.size(); ++i) {
    const LitmusRegister& one = program_.registers[i];
    const auto value = named(repetition, one.object, repetition.read[i]);
    text += fmt::format("{}{} on {} read {}={} from {} ({}, value {})", i == 0 ? "" : ", ",
                        program_.sessions[one.session].name, places_[one.session], one.name,
                        value ? std::to_string(total(*value)) : "?", program_.objects[one.object].name,
                        sim::printed_key(keys_[one.object]), repetition.read[i]);
  }
  return text;
}

void LitmusOracle::unseen(std::uint64_t repetition, std::size_t session, std::size_t object, sim::Time now) {
  violated(now,
           fmt::format("before repetition {}: {} on {} goes on reading {} ({}) and does not see the value that it was "
                       "given, although nobody writes it",
                       repetition, program_.sessions[session].name, places_[session], program_.objects[object].name,
                       sim::printed_key(keys_[object])),
           {keys_[object], {}});
}

void LitmusOracle::finish(sim::Time end) {
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    if (declared_[i].verdict != DeclaredOutcome::Verdict::required || seen_[i]->value > 0) continue;
    violated(end, fmt::format("{} is required, and none of {} repetitions ended so",
                              declared_[i].outcome.text(program_), judged_.value));
  }
}

}  // namespace racksim::models
