#include "models/service/cost_oracle.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

namespace racksim::models {
namespace {

// By the numbers of sim::OperationKind.
constexpr std::string_view kKinds[] = {"reads",       "writes",       "swaps",     "additions",        "fences",
                                       "locks",       "shared locks", "try-locks", "shared try-locks", "unlocks",
                                       "allocations", "frees"};
constexpr std::string_view kOperations = "operations", kOthers = "other holders";
constexpr std::size_t kOfMessage = 3;  // sent, received, bytes
constexpr std::string_view kPrefixes[kOfMessage] = {"sent ", "received ", "bytes of "};

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

CostOracle::CostOracle(Rack& rack, const Protocol& protocol, CostTable table, unsigned unit_bits, bool perfect_wires)
    : Oracle("cost", "operation"),
      rack_(rack),
      protocol_(protocol),
      table_(std::move(table)),
      places_(table_.messages.size() * kOfMessage + std::size(kKinds) + 2),
      totals_(places_),
      states_(rack.event_log(), unit_bits, rack.options().rtt * kRest),
      disturbed_(!perfect_wires) {
  for (const CostRow& row : table_.rows) {
    rows_.push_back({parsed(row.cost), parsed(row.per), state(row.of)});
    by_state_ |= rows_.back().of != AccessState::unknown;
  }
  for (const auto& [name, metric] : rack_.metrics().all()) {
    if (name == "nic.rc_retransmitted" || name.ends_with(".sent_again")) sent_again_.push_back(term(name));
  }
  if (perfect_wires) rack_.context().message_observers.push_back(this);
}

AccessState CostOracle::state(const std::string& text) const {
  const auto* found = std::find(std::begin(kAccessStates), std::end(kAccessStates), text);
  if (found == std::end(kAccessStates)) {
    throw std::logic_error(fmt::format("a cost table is of \"{}\", which no access is", text));
  }
  return static_cast<AccessState>(found - std::begin(kAccessStates));
}

CostOracle::Sum CostOracle::parsed(const std::string& text) const {
  Sum sum;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find(" + "), rest.size());
    sum.push_back(term(std::string(without_spaces(rest.substr(0, end)))));
    rest.remove_prefix(std::min(end + 3, rest.size()));
  }
  return sum;
}

CostOracle::Term CostOracle::term(const std::string& text) const {
  Term term;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), term.times);
  const std::string_view of =
      without_spaces(std::string_view(text).substr(static_cast<std::size_t>(end - text.data())));
  for (std::size_t i = 0; i < kOfMessage; ++i) {
    if (!of.starts_with(kPrefixes[i])) continue;
    const auto found = std::find(table_.messages.begin(), table_.messages.end(), of.substr(kPrefixes[i].size()));
    if (found == table_.messages.end()) break;
    term.place = static_cast<std::size_t>(found - table_.messages.begin()) * kOfMessage + i;
    return term;
  }
  const std::size_t kinds = table_.messages.size() * kOfMessage;
  if (of == kOperations) return term.place = kinds + std::size(kKinds), term;
  if (of == kOthers) return term.place = kinds + std::size(kKinds) + 1, term;
  if (const auto* kind = std::find(std::begin(kKinds), std::end(kKinds), of); kind != std::end(kKinds)) {
    return term.place = kinds + static_cast<std::size_t>(kind - std::begin(kKinds)), term;
  }
  const sim::Metric* metric = rack_.metrics().find(of);
  if (metric == nullptr || !std::holds_alternative<sim::Counter>(metric->value)) {
    throw std::logic_error(fmt::format("a cost table sums \"{}\": neither a message, nor a kind, nor a counter", of));
  }
  term.counter = &std::get<sim::Counter>(metric->value);
  return term;
}

// The warm-up is over: what it has counted is not of the run.
void CostOracle::begin() {
  begun_ = true;
  const auto begin = [](Sum& sum) {
    for (Term& term : sum) term.before = term.counter == nullptr ? 0 : term.counter->value;
  };
  for (Row& row : rows_) {
    begin(row.cost);
    begin(row.per);
  }
  begin(sent_again_);
}

void CostOracle::observe(const sim::Observation& observation) {
  if (!begun_) [[unlikely]]
    begin();
  switch (observation.what) {
    case sim::Observed::disturbance:
    case sim::Observed::operation_given_up:
      disturbed_ = true;
      return;
    case sim::Observed::sent_again: {
      const auto why = sim::SentAgainView::of(observation).why;
      disturbed_ |= why == sim::SentAgain::timeout || why == sim::SentAgain::transport_timeout;
      return;
    }
    case sim::Observed::permission:
      if (by_state_ && !disturbed_)
        states_.permission(sim::PermissionView::of(observation), observation.operation, observation.at);
      return;
    case sim::Observed::operation_begun:
      if (by_state_ && !disturbed_) begin_access(observation);
      return;
    case sim::Observed::performed:
      if (by_state_ && table_.writes_return_early && !disturbed_) performed(observation);
      return;
    case sim::Observed::operation_ended: {
      if (disturbed_) return;
      if (by_state_) end_access(observation);
      const std::size_t kinds = table_.messages.size() * kOfMessage;
      const std::size_t kind = kinds + static_cast<std::size_t>(sim::OperationView::of(observation).kind);
      std::uint32_t* counts = counts_of(observation.operation);
      if (counts != nullptr) operations_[latest_number_].key = sim::OperationView::of(observation).key;
      add(counts, kind, 1);
      add(counts, kinds + std::size(kKinds), 1);
      return;
    }
    default:
      return;
  }
}

void CostOracle::count(const p4::Packet& packet, bool sent) {
  if (!begun_ || disturbed_) return;
  messages_.clear();
  protocol_.messages_of(packet, messages_);
  for (const CostedMessage& message : messages_) {
    std::uint32_t* counts = counts_of(message.operation);
    add(counts, message.type * kOfMessage + (sent ? 0 : 1), 1);
    if (sent && &message == &messages_.front()) add(counts, message.type * kOfMessage + 2, packet.payload_bytes);
  }
}

void CostOracle::begin_access(const sim::Observation& observation) {
  const AccessStates::Access access = states_.begin(observation);
  if (counts_of(observation.operation) != nullptr) operations_[latest_number_].access = access;
}

void CostOracle::end_access(const sim::Observation& observation) {
  if (counts_of(observation.operation) == nullptr) return;
  Operation& operation = operations_[latest_number_];
  operation.ended = true;
  const bool writes = sim::OperationView::of(observation).kind == sim::OperationKind::write;
  if (!table_.writes_return_early || !writes || operation.performed) close(operation, observation.at);
}

void CostOracle::performed(const sim::Observation& observation) {
  if (counts_of(observation.operation) == nullptr) return;
  Operation& operation = operations_[latest_number_];
  operation.performed = true;
  if (operation.ended) close(operation, observation.at);
}

void CostOracle::close(Operation& operation, sim::Time at) {
  operation.access.state = states_.end(at, operation.access);
  counts_[latest_number_ * places_ + places_ - 1] = operation.access.others;
}

std::uint32_t* CostOracle::counts_of(sim::OperationId operation) {
  if (operation == 0) return nullptr;
  const auto session = static_cast<std::size_t>(operation.number() >> sim::kNumberBits);
  const auto in_session = static_cast<std::size_t>(sim::number_in_session(operation));
  const bool known = session < numbers_.size() && in_session < numbers_[session].size() &&
                     numbers_[session][in_session] != kNotJudgedAlone;
  if (!known) {
    if (operations_.size() == kOneByOne) return nullptr;
    if (session >= numbers_.size()) numbers_.resize(session + 1);
    if (in_session >= numbers_[session].size()) numbers_[session].resize(in_session + 1, kNotJudgedAlone);
    numbers_[session][in_session] = static_cast<std::uint32_t>(operations_.size());
    operations_.push_back({.id = operation});
    counts_.resize(counts_.size() + places_);
  }
  latest_number_ = numbers_[session][in_session];
  return &counts_[latest_number_ * places_];
}

void CostOracle::add(std::uint32_t* counts, std::size_t place, std::uint64_t more) {
  totals_[place] += more;
  if (counts != nullptr) counts[place] += static_cast<std::uint32_t>(more);
}

std::uint64_t CostOracle::value(const Sum& sum, const auto& counts) {
  std::uint64_t value = 0;
  for (const Term& term : sum) {
    value += term.times * (term.counter == nullptr ? counts[term.place] : term.counter->value - term.before);
  }
  return value;
}

std::vector<std::vector<std::uint32_t>> CostOracle::over_by_state() const {
  std::vector<std::vector<std::uint32_t>> over(std::size(kAccessStates));
  for (std::size_t number = 0; number < operations_.size(); ++number) {
    if (counts_[number * places_ + places_ - 2] != 1) continue;
    over[static_cast<std::size_t>(operations_[number].access.state)].push_back(static_cast<std::uint32_t>(number));
  }
  return over;
}

void CostOracle::object_to(sim::Time at, const CostRow& row, std::uint64_t cost, std::uint64_t per,
                           const Operation& operation) {
  std::string what;
  if (keeps_more()) {
    const std::string allowed = row.most == CostRow::kAny ? fmt::format("at least {}", row.least * per)
                                : row.least == row.most   ? fmt::format("{}", row.least * per)
                                                          : fmt::format("{} to {}", row.least * per, row.most * per);
    what = fmt::format("{}: {} of \"{}\" for {} of \"{}\", {} allowed: {}",
                       operation.id == 0 ? "all operations" : rack_.event_log().operation(operation.id), cost, row.cost,
                       per, row.per, allowed, row.what);
    if (!row.of.empty()) what += fmt::format(" (of {}the {})", row.of_each ? "" : "all ", row.of);
  }
  violated(at, std::move(what),
           operation.id == 0 ? sim::KeyAndOperations{} : sim::KeyAndOperations{operation.key, {operation.id}});
}

void CostOracle::finish(sim::Time end) {
  if (disturbed_ || value(sent_again_, totals_) > 0) return;
  count_judged(totals_[places_ - 2]);
  const auto over = over_by_state();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const CostRow& row = table_.rows[i];
    std::uint64_t accesses = 0, cost = 0, per = 0;  // of a state
    const auto account = [&](std::size_t number) {
      const auto* counts = &counts_[number * places_];
      const std::uint64_t its_cost = value(rows_[i].cost, counts), its_per = value(rows_[i].per, counts);
      if (row.of_each && !row.allows(its_cost, its_per)) object_to(end, row, its_cost, its_per, operations_[number]);
      ++accesses;
      cost += its_cost;
      per += its_per;
    };
    if (rows_[i].of != AccessState::unknown) {
      for (const std::uint32_t number : over[static_cast<std::size_t>(rows_[i].of)]) account(number);
    } else if (row.of_each) {
      for (std::size_t number = 0; number < operations_.size(); ++number) {
        if (counts_[number * places_ + places_ - 2] == 1) account(number);
      }
    }
    if (row.of.empty()) {
      cost = value(rows_[i].cost, totals_);
      per = value(rows_[i].per, totals_);
    } else if (row.of_each || accesses < CostRow::kMany) {
      continue;
    }
    if (!row.allows(cost, per)) object_to(end, row, cost, per, {});
  }
}

}  // namespace racksim::models
