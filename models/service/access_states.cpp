// What permissions, beginnings and ends say about units. See access_states.hpp.
#include "models/service/access_states.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

namespace racksim::models {
namespace {

bool concerns_unit(sim::OperationKind kind) {
  return sim::accesses_memory(kind) || sim::requests_lock(kind) || kind == sim::OperationKind::unlock;
}

constexpr std::uint64_t kBits = 64;

}  // namespace

AccessStates::Unit* AccessStates::unit_of(std::uint64_t number) {
  if (units_.size() < kUnits) return &units_[number];
  return units_.find(number);
}

// Sessions are called node3/thread1.
std::uint64_t AccessStates::node_bit(sim::Source session) {
  if (session.index >= node_bits_.size()) node_bits_.resize(session.index + 1);
  std::uint64_t& bit = node_bits_[session.index];
  if (bit != 0) return bit;
  const std::string_view name = event_log_.name(session);
  const std::size_t digits = std::min(name.find_first_of("0123456789"), name.size());
  std::uint64_t node = kBits;
  std::from_chars(name.data() + digits, name.data() + name.size(), node);
  return bit = node < kBits ? std::uint64_t{1} << node : 0;
}

void AccessStates::permission(const sim::PermissionView& change, sim::OperationId operation, sim::Time at) {
  Unit* unit = unit_of(change.key >> unit_bits_);
  if (unit == nullptr) return;
  const std::uint64_t bit = change.node < kBits ? std::uint64_t{1} << change.node : 0;
  unit->readers = change.permission == sim::Permission::read ? unit->readers | bit : unit->readers & ~bit;
  unit->writers = change.permission == sim::Permission::write ? unit->writers | bit : unit->writers & ~bit;
  ++unit->changes;
  if (operation != unit->latest) ++unit->foreign;
  unit->moved = at;
  unit->unknown |= bit == 0;
}

AccessStates::Access AccessStates::begin(const sim::Observation& observation) {
  const auto operation = sim::OperationView::of(observation);
  if (!concerns_unit(operation.kind)) return {};
  const std::uint64_t number = operation.key >> (sim::accesses_memory(operation.kind) ? unit_bits_ : 0);
  Unit* unit = unit_of(number);
  if (unit == nullptr) return {};
  unit->unknown |= !sim::accesses_memory(operation.kind);
  const bool at_rest = unit->open == 0 && observation.at - unit->moved >= quiet_;
  ++unit->open;
  unit->latest = observation.operation;
  Access access{number, unit->changes, unit->foreign, ++unit->begun};
  const bool writes = operation.kind == sim::OperationKind::write;
  const std::uint64_t own = node_bit(observation.source);
  if (unit->unknown || own == 0 || (!writes && operation.kind != sim::OperationKind::read)) return access;
  access.others = static_cast<std::uint8_t>(std::popcount((unit->readers | unit->writers) & ~own));
  if ((unit->writers & own) != 0) {
    access.state = writes ? AccessState::write_hit : AccessState::read_hit;
  } else if (!writes && (unit->readers & own) != 0) {
    access.state = AccessState::read_hit;
  } else if (!at_rest) {
    return access;
  } else if ((unit->readers & own) != 0) {
    access.state = AccessState::upgrade;
  } else if (unit->writers != 0) {
    access.state = writes ? AccessState::write_of_owned : AccessState::read_of_owned;
  } else if (unit->readers != 0) {
    access.state = writes ? AccessState::write_of_shared : AccessState::read_of_shared;
  } else {
    access.state = writes ? AccessState::write_of_unheld : AccessState::read_of_unheld;
  }
  return access;
}

AccessState AccessStates::end(sim::Time at, const Access& access) {
  if (access.begun == 0) return AccessState::unknown;
  Unit& unit = *units_.find(access.unit);
  --unit.open;
  unit.moved = at;
  const bool hit = access.state == AccessState::read_hit || access.state == AccessState::write_hit;
  const bool undisturbed =
      hit ? unit.changes == access.changes : unit.begun == access.begun && unit.foreign == access.foreign;
  return undisturbed && !unit.unknown ? access.state : AccessState::unknown;
}

}  // namespace racksim::models
