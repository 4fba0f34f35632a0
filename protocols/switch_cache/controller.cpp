// The look for dead keys. See controller.hpp.
#include "protocols/switch_cache/controller.hpp"

#include <utility>
#include <vector>

namespace racksim::switch_cache {

Controller::Controller(store::Shared& shared, const CacheOptions& options, Counters& counters, CacheManager& manager)
    : Rounds(shared.rack.calendar(), options.round), counters_(counters), manager_(manager) {}

sim::Task<void> Controller::look_for_dead_keys() {
  std::map<std::uint64_t, RowState> rows;
  std::vector<sim::Task<void>> revivals;
  for (const sim::Key key : manager_.cached()) {
    if (!manager_.is_cached(key)) continue;
    const RowAt at = manager_.row_of(key);
    const RowState row = co_await read_row(at);
    manager_.note_version(key, at, manager_.program().version_in(row.state));
    const bool invalid = !manager_.program().is_valid(row.state);
    const auto before = last_rows_.find(key);
    const bool same = before != last_rows_.end() && before->second.state == row.state &&
                      (invalid || before->second.front == row.front);
    if (same && (invalid || row.waited_for) && manager_.is_cached(key)) {
      manager_.met_dead_key(invalid);
      revivals.push_back(revive(key));
    }
    rows[key] = row;
  }
  last_rows_ = std::move(rows);
  co_await sim::gather(std::move(revivals));
}

sim::Task<void> Controller::revive(sim::Key key) {
  ++counters_.revivals.value;
  co_await manager_.fetch(key);
}

}  // namespace racksim::switch_cache
