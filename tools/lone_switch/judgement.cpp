// What is against what was expected. See expectations.hpp.
#include <fmt/core.h>

#include <algorithm>

#include "tools/lone_switch/expectations.hpp"
#include "tools/lone_switch/field_values.hpp"
#include "tools/text/numbers.hpp"

namespace racksim::tools {
namespace {

std::string amount_text(const std::optional<std::uint64_t>& packets, const std::optional<std::uint64_t>& bytes) {
  std::string text;
  if (packets) text = counted(*packets, "packet");
  if (bytes) text += (text.empty() ? "" : ", ") + counted(*bytes, "byte");
  return text;
}

/// What left by front ports, in the order of time, then of ports.
std::vector<std::pair<sim::Time, const DepartureStory*>> departures_of(const PacketStory& packet,
                                                                       unsigned front_ports) {
  std::vector<std::pair<sim::Time, const DepartureStory*>> found;
  for (const auto& event : packet.events) {
    const auto* departure = std::get_if<DepartureStory>(&event.what);
    if (departure && departure->port < front_ports) found.emplace_back(event.at, departure);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second->port < b.second->port;
  });
  return found;
}

std::string ports_text(const std::vector<unsigned>& ports) {
  if (ports.empty()) return "nothing that leaves";
  std::string text;
  for (const auto port : ports) text += fmt::format("{}{}", text.empty() ? "" : ", ", port);
  return fmt::format("it leaving by port{} {}", ports.size() == 1 ? "" : "s", text);
}

const std::string* value_of(const std::vector<HeaderStory>& headers, const ExpectedDeparture::Field& field) {
  for (const auto& header : headers) {
    if (header.name != field.header) continue;
    for (const auto& [name, value] : header.fields) {
      if (name == field.field) return &value;
    }
  }
  return nullptr;
}

void judge_one(const ExpectedDeparture& expected, sim::Time at, const DepartureStory& found, Judgement& judgement) {
  if (expected.from) {
    judgement.expect(*expected.from <= at, expected.place.member("from"), nanoseconds(at),
                     "not before " + nanoseconds(*expected.from));
  }
  if (expected.until) {
    judgement.expect(at <= *expected.until, expected.place.member("until"), nanoseconds(at),
                     "not after " + nanoseconds(*expected.until));
  }
  for (const auto& field : expected.fields) {
    const auto* value = value_of(found.headers, field);
    judgement.expect(value && *value == field.value, field.place, value ? *value : "no such header", field.value);
  }
}

}  // namespace

void Judgement::expect(bool holds, const JsonLocation& place, const std::string& found, const std::string& expected) {
  ++asked;
  if (!holds) failures.emplace_back(InputError(place.file, place.pointer, found, expected).what());
}

void judge(const ExpectedCell& expected, const p4::RegisterArray& array, std::uint64_t found, Judgement& judgement) {
  const auto text = [&](std::uint64_t value) { return register_text(array.width.bits, array.width.pair, value); };
  judgement.expect(found == expected.value, expected.place, text(found), text(expected.value));
}

void judge(const ExpectedEntry& expected, const std::optional<p4::Pipeline::EntryContent>& found,
           Judgement& judgement) {
  const auto is = found ? call_text(*found->action, found->data) : "no such entry";
  if (expected.absent) return judgement.expect(!found, expected.place, is, "no such entry");
  judgement.expect(found && found->action == expected.action && found->data == expected.data, expected.place, is,
                   call_text(*expected.action, expected.data));
}

void judge(const ExpectedCount& expected, const p4::CounterValue& found, Judgement& judgement) {
  const auto only = [](const auto& asked, std::uint64_t value) { return asked ? std::optional(value) : std::nullopt; };
  judgement.expect(
      expected.packets.value_or(found.packets) == found.packets && expected.bytes.value_or(found.bytes) == found.bytes,
      expected.place, amount_text(only(expected.packets, found.packets), only(expected.bytes, found.bytes)),
      amount_text(expected.packets, expected.bytes));
}

void judge(const ExpectedPacket& expected, const PacketStory& found, unsigned front_ports, Judgement& judgement) {
  const auto departures = departures_of(found, front_ports);
  std::vector<unsigned> wanted, left;
  for (const auto& one : expected.departures) wanted.push_back(one.port);
  for (const auto& one : departures) left.push_back(one.second->port);
  judgement.expect(left == wanted, expected.place, ports_text(left), ports_text(wanted));
  if (left != wanted) return;
  for (std::size_t i = 0; i < departures.size(); ++i) {
    judge_one(expected.departures[i], departures[i].first, *departures[i].second, judgement);
  }
}

void judge(const FinalExpectations& expected, models::SwitchChassis& chassis, const std::vector<DigestStory>& digests,
           Judgement& judgement) {
  for (const auto& cell : expected.cells) {
    judge(cell.expected, *cell.array, chassis.pipeline(cell.pipe).registers().read(cell.array->id, cell.index),
          judgement);
  }
  for (const auto& entry : expected.entries) {
    judge(entry.expected, chassis.pipeline(entry.pipe).entry(*entry.table, entry.key, entry.priority), judgement);
  }
  for (const auto& size : expected.sizes) {
    const auto found = chassis.pipeline(size.pipe).entries(*size.table);
    judgement.expect(found == size.entries, size.place, fmt::format("{} entries", found),
                     fmt::format("{} entries", size.entries));
  }
  for (const auto& count : expected.counts) {
    const auto& pipeline = chassis.pipeline(count.pipe);
    const auto* table = count.counter->direct;
    const auto index = table ? pipeline.entry_number(*table, count.entry.key, count.entry.priority) : count.entry.index;
    judge(count.expected, index ? pipeline.counter(*count.counter, *index) : p4::CounterValue{}, judgement);
  }
  if (!expected.digests) return;
  judgement.expect(digests.size() == expected.digests->size(), expected.digests_place,
                   fmt::format("{} digests", digests.size()), fmt::format("{} digests", expected.digests->size()));
  for (std::size_t i = 0; i < std::min(digests.size(), expected.digests->size()); ++i) {
    const auto& wanted = (*expected.digests)[i];
    judgement.expect(digests[i].name == wanted.name, wanted.place, digests[i].name, wanted.name);
    for (const auto& value : wanted.values) {
      const auto found = std::find_if(digests[i].values.begin(), digests[i].values.end(),
                                      [&](const auto& one) { return one.first == value.first; });
      if (found == digests[i].values.end()) continue;  // of another digest, which is said
      judgement.expect(*found == value, wanted.place.member("values").member(value.first), found->second, value.second);
    }
  }
}

}  // namespace racksim::tools
