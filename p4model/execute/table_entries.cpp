// The control plane's view of a pipeline's tables: entries come, change and go. See pipeline.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "p4model/execute/pipeline.hpp"

namespace racksim::p4 {

namespace {

/// Each value in its bits: cut, a port would be another one.
void check_width(const Table& table, const Action& action, std::span<const std::uint64_t> data) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto& [name, bits] = action.parameters[i];
    if (data[i] <= mask_of(bits)) continue;
    throw std::runtime_error(fmt::format("table '{}': value {} of '{}' of action '{}' exceeds its {} bits", table.name,
                                         data[i], name, action.name, bits));
  }
}

}  // namespace

std::uint32_t Pipeline::action_number(const Table& table, const Action& action, std::size_t values) const {
  const auto& all = actions_.at(table.id);
  const auto found = std::find(all.begin(), all.end(), &action);
  if (found == all.end()) {
    throw std::runtime_error(fmt::format("table '{}' has no action '{}'", table.name, action.name));
  }
  if (values != action.parameters.size()) {
    throw std::runtime_error(fmt::format("table '{}': action '{}' takes {} values, not {}", table.name, action.name,
                                         action.parameters.size(), values));
  }
  return static_cast<std::uint32_t>(found - all.begin());
}

ExactTable::Key Pipeline::exact_key(const Table& table, std::span<const KeyMatch> key, std::uint32_t priority) const {
  std::vector<std::uint64_t> values;
  for (const KeyMatch& match : key) {
    if (match.form() != KeyMatch::Form::value || priority != 0) {
      throw std::runtime_error(
          fmt::format("table '{}' matches exactly: its entries have values and no priority", table.name));
    }
    values.push_back(match.value());
  }
  return tables_.at(table.id).pack(values);
}

void Pipeline::tell_of_tables() const {
  for (StateWriteObserver* observer : observers_) observer->tables_changed();
}

void Pipeline::add_entry(const Table& table, std::span<const KeyMatch> key, const Action& action,
                         std::span<const std::uint64_t> data, std::uint32_t priority) {
  const auto number = action_number(table, action, data.size());
  check_width(table, action, data);
  if (table.in_tcam()) {
    ternary_.at(table.id)->add(key, priority, number, data);
  } else {
    tables_.at(table.id).add(exact_key(table, key, priority), number, data);
  }
  if (measures_) begin_entry(table, key, priority);
  if (table.ages) hit_.at(table.id)[*entry_number(table, key, priority)] = true;
  tell_of_tables();
}

bool Pipeline::modify_entry(const Table& table, std::span<const KeyMatch> key, const Action& action,
                            std::span<const std::uint64_t> data, std::uint32_t priority) {
  const auto number = action_number(table, action, data.size());
  check_width(table, action, data);
  const bool found = table.in_tcam() ? ternary_.at(table.id)->modify(key, priority, number, data)
                                     : tables_.at(table.id).modify(exact_key(table, key, priority), number, data);
  if (found) tell_of_tables();
  return found;
}

bool Pipeline::remove_entry(const Table& table, std::span<const KeyMatch> key, std::uint32_t priority) {
  const bool found = table.in_tcam() ? ternary_.at(table.id)->remove(key, priority)
                                     : tables_.at(table.id).remove(exact_key(table, key, priority));
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
    const Action* action = actions_.at(table.id).at(memory.action(entry));
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
