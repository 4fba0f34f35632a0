// States of the exploration as bytes. See explored_state.hpp. Versions, nodes, values and sessions fit one byte each.
#include "protocols/cckvs/explored_state.hpp"

#include <algorithm>

namespace racksim::cckvs {
namespace {

class Writer {
 public:
  void byte(std::uint64_t value) { bytes_ += static_cast<char>(value); }
  void timestamp(Timestamp timestamp) {
    byte(timestamp.version);
    byte(timestamp.node);
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
  std::string_view& bytes() { return bytes_; }

 private:
  std::string_view bytes_;
};

void write(Writer& out, const ExploredState::Copy& copy) {
  out.byte(static_cast<std::uint64_t>(copy.entry.header.state));
  out.timestamp(copy.entry.header.timestamp());
  out.byte(copy.entry.value);
  out.byte(copy.work.puts.size() << 4 | copy.work.stalled.size());
  for (const Put& put : copy.work.puts) {
    out.byte(put.operation << 1 | (put.superseded ? 1 : 0));
    out.timestamp(put.timestamp);
    out.byte(put.value);
    out.byte(put.acknowledged.to_ulong());
    out.byte(put.acks);
  }
  for (const Stalled& stalled : copy.work.stalled) {
    out.byte(stalled.operation);
    out.byte(stalled.value);
  }
}

ExploredState::Copy read_copy(Reader& in) {
  ExploredState::Copy copy;
  copy.entry.header.state = static_cast<CacheState>(in.byte());
  copy.entry.header.set(in.timestamp());
  copy.entry.value = sim::Value(in.byte());
  const std::uint8_t sizes = in.byte();
  copy.work.puts.resize(sizes >> 4);
  copy.work.stalled.resize(sizes & 15);
  for (Put& put : copy.work.puts) {
    const std::uint8_t operation = in.byte();
    put.operation = sim::OperationId(static_cast<unsigned>(operation >> 1));
    put.superseded = (operation & 1) != 0;
    put.timestamp = in.timestamp();
    put.value = sim::Value(in.byte());
    put.acknowledged = NodeSet(in.byte());
    put.acks = in.byte();
  }
  for (Stalled& stalled : copy.work.stalled) {
    stalled.operation = sim::OperationId(in.byte());
    stalled.value = sim::Value(in.byte());
    stalled.is_put = stalled.value != 0;
  }
  return copy;
}

void write(Writer& out, const ExploredState::Session& session) {
  out.byte(static_cast<std::uint64_t>(session.begun << 2) | static_cast<std::uint64_t>(session.pending));
  if (session.pending == ExploredState::Session::Pending::put) out.byte(session.value);
  out.byte(session.results.size());
  for (const std::uint8_t result : session.results) out.byte(result);
}

ExploredState::Session read_session(Reader& in) {
  ExploredState::Session session;
  const std::uint8_t head = in.byte();
  session.begun = head >> 2;
  session.pending = static_cast<ExploredState::Session::Pending>(head & 3);
  if (session.pending == ExploredState::Session::Pending::put) session.value = in.byte();
  session.results.resize(in.byte());
  for (std::uint8_t& result : session.results) result = in.byte();
  return session;
}

}  // namespace

std::string ExploredState::encoded(bool judges_linearizations) const {
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
  for (const Flight& flight : flights) {
    out.byte(static_cast<std::uint64_t>(flight.kind) << 6 | static_cast<std::uint64_t>(flight.from << 3) | flight.to);
    out.byte(flight.version);
    out.byte(flight.writer);
    if (flight.kind == Flight::Kind::update) out.byte(flight.value);
  }
  if (judges_linearizations) linearizations.encode(out.bytes());
  return std::move(out.bytes());
}

ExploredState ExploredState::decoded(std::string_view bytes, bool judges_linearizations) {
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
  for (Flight& flight : state.flights) {
    const std::uint8_t head = in.byte();
    flight.kind = static_cast<Flight::Kind>(head >> 6);
    flight.from = head >> 3 & 7;
    flight.to = head & 7;
    flight.version = in.byte();
    flight.writer = in.byte();
    if (flight.kind == Flight::Kind::update) flight.value = in.byte();
  }
  if (judges_linearizations) {
    state.linearizations = sim::checkers::RegisterLinearizations::decode(in.bytes());
  }
  return state;
}

}  // namespace racksim::cckvs
