// The recording face of the key-value service. See key_value_service.hpp.
#include "models/service/key_value_service.hpp"

#include <stdexcept>

#include "models/service/memory_port.hpp"
#include "sim/random/random.hpp"
#include "sim/record/history.hpp"

namespace racksim::models {

std::uint32_t ItemSizes::value_bytes(sim::Key key) const {
  const std::uint32_t* own = of_keys ? of_keys->find(key) : nullptr;
  if (own != nullptr) return *own;
  constexpr std::uint64_t kDraw = 0x69'7465'6d73;  // a draw of its own, so that sizes do not depend on the run's seed
  const double unit = static_cast<double>(sim::keyed_draw(kDraw, key, placement_seed) >> 11) * 0x1p-53;
  return unit < small_share ? small_value_bytes : large_value_bytes;
}

KeyValueService::KeyValueService(sim::Calendar& calendar, sim::EventLog& event_log, sim::Metrics& metrics,
                                 unsigned client_nodes, unsigned threads_per_node,
                                 const std::vector<AnswerLabel>& labels, unsigned sessions_per_thread)
    : Service(calendar, event_log, metrics, client_nodes, threads_per_node, sessions_per_thread),
      client_nodes_(client_nodes),
      given_up_(metrics.trouble("store.given_up", "operations", "that no answer came to in time")),
      repeated_(metrics.counter("store.repeated_answers", "packets", "answers to requests that were over")),
      answered_(metrics.counter("store.answers", "operations", "that ended with an answer")),
      begun_in_window_(metrics.counter_of_run("store.begun_in_window", "operations",
                                              "that began in the measured time, and ended then or later")),
      lost_of_window_(
          metrics.counter_of_run("store.lost_of_window", "operations", "of those, that no answer came to in time")),
      tally_(metrics, answered_, labels) {
  metrics.share("store.loss", "of the operations that began in the measured time: no answer came to them in time",
                {&lost_of_window_}, {&begun_in_window_});
}

sim::Task<std::optional<sim::Value>> KeyValueService::get(Session session, sim::Key key, NodeId at) {
  PendingOperation begun = begin(session, sim::OperationKind::read, key);
  begun.at_node = at;
  Guard guard(*this, session, begun);
  const Session place{at, session.thread, session.number};
  const Answer answer = co_await do_get(place, key, begun.operation);
  guard.over();
  co_return finish(session, begun, answer);
}

sim::Task<std::optional<sim::Value>> KeyValueService::put(Session session, sim::Key key, NodeId at) {
  PendingOperation begun = begin(session, sim::OperationKind::write, key, next_value(session));
  begun.at_node = at;
  Guard guard(*this, session, begun);
  const Session place{at, session.thread, session.number};
  const Answer answer = co_await do_put(place, key, begun.value, begun.operation);
  guard.over();
  co_return finish(session, begun, answer);
}

sim::Task<bool> KeyValueService::erase(Session session, sim::Key key, NodeId at) {
  PendingOperation begun = begin(session, sim::OperationKind::erase, key);
  begun.at_node = at;
  Guard guard(*this, session, begun);
  const Session place{at, session.thread, session.number};
  const Answer answer = co_await do_erase(place, key, begun.operation);
  guard.over();
  co_return finish(session, begun, answer).has_value();
}

sim::Task<Answer> KeyValueService::do_erase(Session, sim::Key, sim::OperationId) {
  not_offered(sim::OperationKind::erase);
}

void KeyValueService::preload(std::span<const sim::Key> hottest) {
  std::size_t turn = 0;
  for (auto key = hottest.rbegin(); key != hottest.rend(); ++key) {
    run_before(warm(session_number(turn++ % sessions()), *key));
  }
}

sim::Task<void> KeyValueService::warm(Session session, sim::Key key) {
  const Answer answer = co_await do_get(session, key, kWarmOperation);
  if (!answer.given) throw std::runtime_error("a get of the warm-up was given up");
}

std::uint64_t KeyValueService::bytes_of(const sim::OperationView& begun) const {
  return sizes_.value_bytes(begun.key);
}

void KeyValueService::describe_items(const ItemSizes& sizes) {
  sizes_ = sizes;
  do_describe_items(sizes);
}

std::optional<sim::Value> KeyValueService::finish(Session session, const PendingOperation& begun,
                                                  const Answer& answer) {
  // By when it began and not by when it ended: whatever waits at either end of the measured time, in a full ring say,
  // is counted once and with its own outcome.
  if (metrics().in_window(begun.at)) {
    ++begun_in_window_.value;
    if (!answer.given) ++lost_of_window_.value;
  }
  if (!answer.given) {
    ++given_up_.value;
    give_up(session, begun);
    return std::nullopt;
  }
  if (answer.key != begun.key) {
    sim::record_stray_answer(event_log(), source_of(session), calendar().now(), begun.operation,
                             sim::StrayAnswer::wrong_key, begun.key, answer.key);
  }
  const bool read = begun.kind == sim::OperationKind::read;
  if (read && !answer.absent) judge_parts(session, begun, answer);
  const sim::Value value = read ? answer.value : begun.value;
  if (witness() != nullptr) witness()->answered(begun.operation, tally_.name_of(answer.label));
  const sim::Duration took = end(session, begun, value);
  ++answered_.value;
  tally_.answered(answer.label, took);
  return value;
}

// An answer about another key is whole if it is a whole item of that key.
void KeyValueService::judge_parts(Session session, const PendingOperation& begun, const Answer& answer) {
  const auto verdict = answer.parts.judge(answer.key, answer.value, value_bytes(answer.key, answer.value));
  if (verdict.flaw == ItemParts::Flaw::none) return;
  const sim::StrayAnswer kind = verdict.flaw == ItemParts::Flaw::foreign ? sim::StrayAnswer::foreign_part
                                : verdict.flaw == ItemParts::Flaw::mixed ? sim::StrayAnswer::mixed_parts
                                                                         : sim::StrayAnswer::missing_part;
  sim::record_stray_answer(event_log(), source_of(session), calendar().now(), begun.operation, kind, begun.key,
                           verdict.detail);
}

void KeyValueService::repeated_answer(Session session, sim::Key key) {
  ++repeated_.value;
  sim::record_stray_answer(event_log(), source_of(session), calendar().now(), 0, sim::StrayAnswer::repeated, 0, key);
}

}  // namespace racksim::models
