// The recording face of the key-value service. See key_value_service.hpp.
#include "models/service/key_value_service.hpp"

#include "sim/random/random.hpp"
#include "sim/record/history.hpp"

namespace racksim::models {

std::uint32_t ItemSizes::value_bytes(std::uint64_t key) const {
  constexpr std::uint64_t kDraw = 0x69'7465'6d73;  // a draw of its own, so that sizes do not depend on the run's seed
  const double unit = static_cast<double>(sim::keyed_draw(kDraw, key, 0) >> 11) * 0x1p-53;
  return unit < small_share ? small_value_bytes : large_value_bytes;
}

KeyValueService::KeyValueService(sim::Calendar& calendar, sim::Journal& journal, sim::Metrics& metrics,
                                 unsigned client_nodes, unsigned threads_per_node)
    : Service(calendar, journal, metrics, client_nodes, threads_per_node),
      client_nodes_(client_nodes),
      server_latency_(metrics.histogram("latency.server", "the same for what servers answered")),
      switch_latency_(metrics.histogram("latency.switch", "the same for what the switch answered")),
      given_up_(metrics.counter("store.given_up", "operations", "that no answer came to in time")),
      repeated_(metrics.counter("store.repeated_answers", "packets", "answers to requests that were over")),
      answered_(metrics.counter("store.answers", "operations", "that ended with an answer, in the whole run")),
      answered_by_switch_(
          metrics.counter("store.answers_by_switch", "operations", "of which the switch answered, in the whole run")),
      switch_mops_(metrics.gauge("store.switch_mops", "Mops", "measured throughput of what the switch answered", 0)),
      server_mops_(metrics.gauge("store.server_mops", "Mops", "measured throughput of what servers answered", 0)),
      switch_share_(metrics.gauge("store.switch_share", "share", "of measured operations: answered by the switch", 0)),
      overflow_share_(metrics.gauge("store.overflow_share", "share",
                                    "of measured requests for cached keys: answered by a server, the switch having "
                                    "no room for them",
                                    0)) {}

sim::Task<std::optional<std::uint64_t>> KeyValueService::get(Session session, std::uint64_t key) {
  const Begun begun = begin(session, sim::OperationKind::read, key);
  Guard guard(*this, session, begun);
  const Answer answer = co_await do_get(session, key, begun.operation);
  guard.over();
  co_return finish(session, begun, answer);
}

sim::Task<std::optional<std::uint64_t>> KeyValueService::put(Session session, std::uint64_t key) {
  const Begun begun = begin(session, sim::OperationKind::write, key, next_value(session));
  Guard guard(*this, session, begun);
  const Answer answer = co_await do_put(session, key, begun.value, begun.operation);
  guard.over();
  co_return finish(session, begun, answer);
}

void KeyValueService::describe_items(const ItemSizes& sizes) {
  sizes_ = sizes;
  do_describe_items(sizes);
}

std::optional<std::uint64_t> KeyValueService::finish(Session session, const Begun& begun, const Answer& answer) {
  if (!answer.given) {
    ++given_up_.value;
    give_up(session, begun);
    return std::nullopt;
  }
  if (answer.key != begun.key) {
    sim::record_stray_answer(journal(), source_of(session), calendar().now(), begun.operation,
                             sim::StrayAnswer::wrong_key, begun.key, answer.key);
  }
  const bool write = begun.kind == sim::OperationKind::write;
  if (!write) judge_parts(session, begun, answer);
  const std::uint64_t value = write ? begun.value : answer.value;
  const sim::Duration took = end(session, begun, value);
  const bool by_switch = answer.by == Answer::By::network_switch;
  ++answered_.value;
  if (by_switch) ++answered_by_switch_.value;
  if (!measuring()) return value;
  (by_switch ? switch_latency_ : server_latency_).record(took);
  ++(by_switch ? answers_.by_switch : answer.by == Answer::By::overflow ? answers_.overflow : answers_.by_server);
  return value;
}

// An answer about another key is whole if it is a whole item of that key.
void KeyValueService::judge_parts(Session session, const Begun& begun, const Answer& answer) {
  const auto verdict = answer.parts.judge(answer.key, answer.value, sizes_.value_bytes(answer.key));
  if (verdict.flaw == ItemParts::Flaw::none) return;
  const sim::StrayAnswer kind = verdict.flaw == ItemParts::Flaw::foreign ? sim::StrayAnswer::foreign_part
                                : verdict.flaw == ItemParts::Flaw::mixed ? sim::StrayAnswer::mixed_parts
                                                                         : sim::StrayAnswer::missing_part;
  sim::record_stray_answer(journal(), source_of(session), calendar().now(), begun.operation, kind, begun.key,
                           verdict.detail);
}

void KeyValueService::repeated_answer(Session session, std::uint64_t key) {
  ++repeated_.value;
  sim::record_stray_answer(journal(), source_of(session), calendar().now(), 0, sim::StrayAnswer::repeated, 0, key);
}

void KeyValueService::start_measuring() {
  Service::start_measuring();
  answers_ = {};
  server_latency_.clear();
  switch_latency_.clear();
  measuring_since_ = calendar().now();
}

void KeyValueService::stop_measuring() {
  Service::stop_measuring();
  const double us = (calendar().now() - measuring_since_).ns() / 1000;
  if (us <= 0) return;
  switch_mops_.value = static_cast<double>(answers_.by_switch) / us;
  server_mops_.value = static_cast<double>(answers_.by_server + answers_.overflow) / us;
  const auto all = answers_.by_switch + answers_.by_server + answers_.overflow;
  switch_share_.value = all == 0 ? 0 : static_cast<double>(answers_.by_switch) / static_cast<double>(all);
  const auto cached = answers_.by_switch + answers_.overflow;
  overflow_share_.value = cached == 0 ? 0 : static_cast<double>(answers_.overflow) / static_cast<double>(cached);
}

}  // namespace racksim::models
