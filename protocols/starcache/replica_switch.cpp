// Entries of a switch that serves none of them. See replica_switch.hpp.
#include "protocols/starcache/replica_switch.hpp"

#include <numeric>
#include <vector>

#include "models/switch/control_cpu.hpp"
#include "protocols/starcache/clone_tables.hpp"

namespace racksim::starcache {

using switch_cache::RowAt;

ReplicaSwitch::ReplicaSwitch(store::Shared& shared, unsigned network_switch, const StarProgram& program)
    : shared_(shared), switch_(network_switch), program_(program) {
  shared.rack.install_program(program.program, network_switch);
  shared.rack.observe_boots(*this, network_switch);
  configure();
}

// Its own rack has no server of the store, so the tables of own servers stay empty.
void ReplicaSwitch::configure() {
  std::vector<unsigned> pipes(shared_.rack.chassis(switch_).pipes());
  std::iota(pipes.begin(), pipes.end(), 0u);
  fill_clone_tables(shared_, switch_, pipes, program_);
}

void ReplicaSwitch::insert(store::KeyHash hash, RowAt row, std::uint64_t state) {
  rows_[{hash.high, hash.low}] = {row, state};
  models::ControlCpu& cpu = shared_.rack.control_cpu(switch_);
  cpu.write(row.pipe, program_.state, row.index, state);
  cpu.write(row.pipe, program_.queue, row.index, switch_cache::pair(*program_.queue, 0, 1));
  cpu.set_entry(row.pipe, program_.lookup, {hash.high, hash.low}, program_.set_index, {row.index});
}

void ReplicaSwitch::remove(store::KeyHash hash, RowAt row) {
  rows_.erase({hash.high, hash.low});
  shared_.rack.control_cpu(switch_).remove_entry(row.pipe, program_.lookup, {hash.high, hash.low});
}

void ReplicaSwitch::switch_booted() {
  configure();
  for (const auto& [key, row] : std::map(rows_)) insert({key.first, key.second}, row.first, row.second);
}

bool has_servers(const models::Rack& rack, unsigned network_switch) {
  for (models::NodeId node = 0; node < rack.nodes(); ++node) {
    if (rack.switch_of(node) == network_switch) return true;
  }
  return false;
}

}  // namespace racksim::starcache
