// States of the exploration as bytes. See explored_state.hpp. Versions, nodes, values and sessions fit one byte each.
#include "protocols/cckvs/explored/explored_state.hpp"

#include <utility>

namespace racksim::cckvs {
namespace {

class Writer {
 public:
  void byte(std::uint64_t value) { bytes_ += static_cast<char>(value); }
  void timestamp(Timestamp timestamp) {
    byte(timestamp.version);
    byte(timestamp.node);
  }
  void stored(const Stored& stored) {
    timestamp(stored.timestamp);
    byte(stored.value);
  }
  void stored(const std::optional<Stored>& copy) {
    byte(copy ? 1 : 0);
    if (copy) stored(*copy);
  }
  void stalled(const std::vector<Stalled>& operations) {
    byte(operations.size());
    for (const Stalled& one : operations) {
      byte(one.operation);
      byte(one.value);
    }
  }
  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::uint8_t byte() {
    const auto value = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return value;
  }
  Timestamp timestamp() {
    const std::uint32_t version = byte();
    return {version, byte()};
  }
  Stored stored() {
    const Timestamp of = timestamp();
    return {of, sim::Value(byte())};
  }
  std::optional<Stored> optional_stored() {
    if (byte() == 0) return std::nullopt;
    return stored();
  }
  std::vector<Stalled> stalled() {
    std::vector<Stalled> operations(byte());
    for (Stalled& one : operations) {
      one.operation = sim::OperationId(byte());
      one.value = sim::Value(byte());
      one.is_put = one.value != 0;
    }
    return operations;
  }
  std::string_view& bytes() { return bytes_; }

 private:
  std::string_view bytes_;
};

void write(Writer& out, const ExploredState::Copy& copy) {
  if (!copy.entry) return out.byte(0xff);
  out.byte(static_cast<std::uint64_t>(copy.entry->header.state));
  out.stored(Stored{copy.entry->header.timestamp(), copy.entry->value});
  out.byte(copy.work.puts.size());
  for (const Put& put : copy.work.puts) {
    out.byte(put.operation << 1 | (put.superseded ? 1 : 0));
    out.stored(Stored{put.timestamp, put.value});
    out.byte(put.acknowledged.to_ulong());
    out.byte(put.acks);
  }
  out.stalled(copy.work.stalled);
}

ExploredState::Copy read_copy(Reader& in) {
  ExploredState::Copy copy;
  const std::uint8_t state = in.byte();
  if (state == 0xff) return copy;
  const Stored stored = in.stored();
  Entry& entry = copy.entry.emplace();
  entry.header.state = static_cast<CacheState>(state);
  entry.header.set(stored.timestamp);
  entry.value = stored.value;
  copy.work.puts.resize(in.byte());
  for (Put& put : copy.work.puts) {
    const std::uint8_t operation = in.byte();
    put.operation = sim::OperationId(static_cast<unsigned>(operation >> 1));
    put.superseded = (operation & 1) != 0;
    const Stored own = in.stored();
    put.timestamp = own.timestamp;
    put.value = own.value;
    put.acknowledged = NodeSet(in.byte());
    put.acks = in.byte();
  }
  copy.work.stalled = in.stalled();
  return copy;
}

void write(Writer& out, const ExploredState::Session& session) {
  using Session = ExploredState::Session;
  out.byte(static_cast<std::uint64_t>(session.begun << 2) | static_cast<std::uint64_t>(session.pending));
  out.byte(session.results.size());
  for (const std::uint8_t result : session.results) out.byte(result);
  if (session.pending == Session::Pending::none) return;
  out.byte(static_cast<std::uint64_t>(session.node << 2) | static_cast<std::uint64_t>(session.stage));
  out.byte(session.value);
  if (session.stage == Session::Stage::answer) out.stored(session.answer);
}

ExploredState::Session read_session(Reader& in) {
  using Session = ExploredState::Session;
  Session session;
  const std::uint8_t head = in.byte();
  session.begun = head >> 2;
  session.pending = static_cast<Session::Pending>(head & 3);
  session.results.resize(in.byte());
  for (std::uint8_t& result : session.results) result = in.byte();
  if (session.pending == Session::Pending::none) return session;
  const std::uint8_t where = in.byte();
  session.node = where >> 2;
  session.stage = static_cast<Session::Stage>(where & 3);
  session.value = in.byte();
  if (session.stage == Session::Stage::answer) session.answer = in.stored();
  return session;
}

void write(Writer& out, const Flight& flight) {
  out.byte(static_cast<std::uint64_t>(flight.type) << 6 | static_cast<std::uint64_t>(flight.from << 3) | flight.to);
  out.byte(flight.version);
  out.byte(flight.writer);
  if (flight.type == CacheMessage::Type::update) out.byte(flight.value);
}

Flight read_flight(Reader& in) {
  Flight flight;
  const std::uint8_t head = in.byte();
  flight.type = static_cast<CacheMessage::Type>(head >> 6);
  flight.from = head >> 3 & 7;
  flight.to = head & 7;
  flight.version = in.byte();
  flight.writer = in.byte();
  if (flight.type == CacheMessage::Type::update) flight.value = in.byte();
  return flight;
}

void write_hand_over(Writer& out, const ExploredState& state) {
  for (const ExploredState::Copy& copy : state.copies) {
    out.byte(static_cast<std::uint64_t>(copy.hand_over.home) << 4 | static_cast<std::uint64_t>(copy.hand_over.member));
    out.byte(copy.hand_over.home_node);
  }
  out.stored(state.stored);
  out.byte(state.change.answered.to_ulong());
  out.stored(state.change.greatest);
  out.stalled(state.change.held);
  out.byte(state.changes);
  out.byte(state.controls.size());
  for (const Control& control : state.controls) {
    out.byte(static_cast<std::uint64_t>(control.from << 4) | control.to);
    out.byte(static_cast<std::uint64_t>(control.message));
    out.stored(control.copy);
  }
}

void read_hand_over(Reader& in, ExploredState& state) {
  for (ExploredState::Copy& copy : state.copies) {
    const std::uint8_t states = in.byte();
    copy.hand_over.home = static_cast<HomeState>(states >> 4);
    copy.hand_over.member = static_cast<MemberState>(states & 15);
    copy.hand_over.home_node = in.byte();
  }
  state.stored = in.stored();
  state.change.answered = NodeSet(in.byte());
  state.change.greatest = in.optional_stored();
  state.change.held = in.stalled();
  state.changes = in.byte();
  state.controls.resize(in.byte());
  for (Control& control : state.controls) {
    const std::uint8_t channel = in.byte();
    control.from = channel >> 4;
    control.to = channel & 15;
    control.message = static_cast<HandOverMessage>(in.byte());
    control.copy = in.optional_stored();
  }
}

}  // namespace

std::string ExploredState::encoded(Scope scope) const {
  Writer out;
  out.byte(copies.size());
  for (const Copy& copy : copies) write(out, copy);
  out.byte(sessions.size());
  for (const Session& session : sessions) write(out, session);
  out.byte(puts);
  out.byte(losses);
  out.byte(duplicates);
  out.byte(timeouts);
  out.timestamp(committed);
  out.byte(flights.size());
  for (const Flight& flight : flights) write(out, flight);
  if (scope.hand_overs) write_hand_over(out, *this);
  if (scope.linearizations) linearizations.encode(out.bytes());
  return std::move(out.bytes());
}

ExploredState ExploredState::decoded(std::string_view bytes, Scope scope) {
  Reader in(bytes);
  ExploredState state;
  state.copies.resize(in.byte());
  for (Copy& copy : state.copies) copy = read_copy(in);
  state.sessions.resize(in.byte());
  for (Session& session : state.sessions) session = read_session(in);
  state.puts = in.byte();
  state.losses = in.byte();
  state.duplicates = in.byte();
  state.timeouts = in.byte();
  state.committed = in.timestamp();
  state.flights.resize(in.byte());
  for (Flight& flight : state.flights) flight = read_flight(in);
  if (scope.hand_overs) read_hand_over(in, state);
  if (scope.linearizations) state.linearizations = sim::checkers::RegisterLinearizations::decode(in.bytes());
  return state;
}

}  // namespace racksim::cckvs
