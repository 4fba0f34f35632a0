// The control plane's view of a pipeline's tables: entries come, change and go. See pipeline.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "p4model/execute/pipeline.hpp"

namespace racksim::p4 {

void Pipeline::tell_of_tables() const {
  for (StateWriteObserver* observer : observers_) observer->tables_changed();
}

void Pipeline::add_entry(const Table& table, std::span<const KeyMatch> key, const Action& action,
                         std::span<const std::uint64_t> data, std::uint32_t priority) {
  const auto number = loaded_->action_number(table, action, data);
  if (table.in_tcam()) {
    ternary_.at(table.id)->add(key, priority, number, data);
  } else {
    tables_.at(table.id).add(loaded_->exact_key(table, key, priority), number, data);
  }
  if (uses_.measures) begin_entry(table, key, priority);
  if (table.ages) hit_.at(table.id)[*entry_number(table, key, priority)] = true;
  tell_of_tables();
}

bool Pipeline::modify_entry(const Table& table, std::span<const KeyMatch> key, const Action& action,
                            std::span<const std::uint64_t> data, std::uint32_t priority) {
  const auto number = loaded_->action_number(table, action, data);
  const bool found = table.in_tcam()
                         ? ternary_.at(table.id)->modify(key, priority, number, data)
                         : tables_.at(table.id).modify(loaded_->exact_key(table, key, priority), number, data);
  if (found) tell_of_tables();
  return found;
}

bool Pipeline::remove_entry(const Table& table, std::span<const KeyMatch> key, std::uint32_t priority) {
  const bool found = table.in_tcam() ? ternary_.at(table.id)->remove(key, priority)
                                     : tables_.at(table.id).remove(loaded_->exact_key(table, key, priority));
  if (found) tell_of_tables();
  return found;
}

void Pipeline::share_entries(const Table& table, const Pipeline& with) {
  if (table.in_tcam()) {
    *ternary_.at(table.id) = *with.ternary_.at(table.id);
  } else {
    tables_.at(table.id) = with.tables_.at(table.id);
  }
  hit_.at(table.id) = with.hit_.at(table.id);
  tell_of_tables();
}

std::optional<Pipeline::EntryContent> Pipeline::entry(const Table& table, std::span<const KeyMatch> key,
                                                      std::uint32_t priority) const {
  const auto number = entry_number(table, key, priority);
  if (!number) return std::nullopt;
  const auto content = [&](const auto& memory) {
    const auto entry = static_cast<std::int32_t>(*number);
    const Action* action = loaded_->actions.at(table.id).at(memory.action(entry));
    const auto* data = memory.data(entry);
    return EntryContent{.action = action, .data = {data, data + action->parameters.size()}};
  };
  return table.in_tcam() ? content(*ternary_.at(table.id)) : content(tables_.at(table.id));
}

std::optional<bool> Pipeline::take_hit(const Table& table, std::span<const KeyMatch> key, std::uint32_t priority) {
  const auto number = entry_number(table, key, priority);
  if (!number) return std::nullopt;
  auto hit = hit_.at(table.id).at(*number);
  const bool was_hit = hit;
  hit = false;
  return was_hit;
}

}  // namespace racksim::p4
