// Operations of a packet file. See control_plane.hpp.
#include "tools/lone_switch/control_plane.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

#include "tools/lone_switch/field_values.hpp"

namespace racksim::tools {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

std::uint64_t value_of(const RuleValue& value, std::span<const p4::KeyMatch> fields) {
  if (const auto* field = std::get_if<FromTrigger>(&value)) return fields[field->field].value();
  return std::get<std::uint64_t>(value);
}

std::vector<std::uint64_t> values_of(const std::vector<RuleValue>& values, std::span<const p4::KeyMatch> fields) {
  std::vector<std::uint64_t> all;
  for (const auto& value : values) all.push_back(value_of(value, fields));
  return all;
}

std::vector<p4::KeyMatch> key_of(const std::vector<RuleKey>& key, std::span<const p4::KeyMatch> fields) {
  std::vector<p4::KeyMatch> all;
  for (const auto& part : key) {
    const auto* field = std::get_if<FromTrigger>(&part);
    all.push_back(field ? fields[field->field] : std::get<p4::KeyMatch>(part));
  }
  return all;
}

std::string cell_text(const p4::RegisterArray& array, std::uint64_t value) {
  return register_text(array.width.bits, array.width.pair, value);
}

std::string count_text(const p4::Counter& counter, const p4::CounterValue& value) {
  auto packets = fmt::format("{} packets", value.packets), bytes = fmt::format("{} bytes", value.bytes);
  if (counter.unit == p4::CounterUnit::packets) return packets;
  return counter.unit == p4::CounterUnit::bytes ? bytes : packets + ", " + bytes;
}

/// Where it says what is expected of its answer; null where nothing is.
const JsonLocation* expectation_of(const ControlOperation& operation) {
  return std::visit(
      [](const auto& what) -> const JsonLocation* {
        if constexpr (requires { what.expected; }) return what.expected ? &what.expected->place : nullptr;
        return nullptr;
      },
      operation.what);
}

/// More values than any trigger has, for a look at a rule before it is triggered.
const std::vector<p4::KeyMatch> kAnyValues(256, p4::KeyMatch(0));

}  // namespace

ControlPlane::ControlPlane(models::RackContext& context, models::SwitchChassis& chassis,
                           const std::shared_ptr<const p4::Program>& program, const LoneSwitchSetup& setup,
                           StoryRecorder& recorder)
    : context_(context),
      chassis_(chassis),
      program_(*program),
      setup_(setup.control),
      recorder_(recorder),
      cpu_(context, chassis),
      timeouts_(context, chassis, *this),
      lane_(context.calendar.add_lane("control plane")) {
  if (!setup_.operations.empty() || !setup_.rules.empty()) {
    p4::Pipeline scratch(program, setup.options.pipe);
    for (const auto& timed : setup_.operations) check(scratch, timed.operation);
    for (const auto& rule : setup_.rules) check(scratch, rule.operation);
  }
  for (const auto& idle : setup_.idle_tables) timeouts_.watch(*idle.table, idle.interval);
  for (const auto& entry : setup.entries) {
    if (entry.ttl) timeouts_.set_ttl({.table = entry.table, .key = entry.key, .priority = entry.priority}, *entry.ttl);
  }
}

// What a table says of a key or an entry, it says of it in an empty table too.
void ControlPlane::check(p4::Pipeline& scratch, const ControlOperation& operation) {
  try {
    std::visit(Overloaded{
                   [&](const EntryWrite& write) {
                     const auto key = key_of(write.key, kAnyValues);
                     const auto data = values_of(write.data, kAnyValues);
                     if (scratch.modify_entry(*write.table, key, *write.action, data, write.priority)) return;
                     scratch.add_entry(*write.table, key, *write.action, data, write.priority);
                     scratch.remove_entry(*write.table, key, write.priority);
                   },
                   [&](const EntryDelete& deletion) {
                     scratch.entry(*deletion.table, key_of(deletion.key, kAnyValues), deletion.priority);
                   },
                   [&](const EntryRead& read) { scratch.entry(*read.table, read.key, read.priority); },
                   [&](const CounterRead& read) {
                     const auto* table = read.counter->direct;
                     if (table) scratch.entry(*table, read.entry.key, read.entry.priority);
                   },
                   [](const auto&) {},
               },
               operation.what);
  } catch (const std::runtime_error& refused) {
    operation.place.refuse(refused.what(), "an entry that the table takes");
  }
}

sim::Time ControlPlane::start() {
  for (std::size_t i = 0; i < setup_.operations.size(); ++i) {
    context_.calendar.at<&ControlPlane::post_timed>(setup_.operations[i].at, lane_, *this, i);
  }
  return setup_.operations.empty() ? sim::Time{} : setup_.operations.back().at;
}

void ControlPlane::post_timed(std::size_t number) {
  post(setup_.operations[number].operation, "", {});
}

void ControlPlane::digest_arrived(unsigned pipe, const p4::Digest& digest) {
  recorder_.digest_arrived(pipe, digest);
  const std::vector<p4::KeyMatch> values(digest.values.begin(), digest.values.end());
  for (const auto& rule : setup_.rules) {
    if (rule.digest == digest.what) post(rule.operation, "digest " + digest.what->name, values);
  }
}

void ControlPlane::timed_out(const models::TableEntry& entry) {
  recorder_.keep();
  posted_.push_back({.story = {.at = context_.calendar.now(),
                               .type = ControlStory::Type::timeout,
                               .object = entry.table->name,
                               .key = named_key(program_, *entry.table, entry.key)}});
  for (const auto& rule : setup_.rules) {
    if (rule.timeout == entry.table) post(rule.operation, "time-out in " + entry.table->name, entry.key);
  }
}

void ControlPlane::post(const ControlOperation& operation, std::string cause, TriggerValues values) {
  recorder_.keep();
  auto& posted = posted_.emplace_back(Posted{.operation = &operation});
  posted.story.at = context_.calendar.now();
  posted.story.cause = std::move(cause);
  std::visit([&](const auto& what) { describe(posted.story, what, values); }, operation.what);
  const bool reads = posted.story.type == ControlStory::Type::read;
  for (unsigned pipe = 0; pipe < (reads ? 1 : chassis_.pipes()); ++pipe) {
    const unsigned chosen = operation.pipe.value_or(pipe);
    if (chosen != pipe && !reads) continue;
    posted.story.pipes.push_back(chosen);
    std::visit([&](const auto& what) { post(posted, chosen, what, values); }, operation.what);
  }
}

void ControlPlane::answer(Posted& posted, unsigned pipe, std::string text) {
  posted.story.answers.push_back(
      {.pipe = pipe, .acted = cpu_.answered(), .answered = context_.calendar.now(), .text = std::move(text)});
}

void ControlPlane::post(Posted& posted, unsigned pipe, const EntryWrite& write, TriggerValues values) {
  const models::TableEntry entry{.table = write.table, .key = key_of(write.key, values), .priority = write.priority};
  if (write.ttl) timeouts_.set_ttl(entry, *write.ttl);
  cpu_.try_set_entry(pipe, write.table, entry.key, write.action, values_of(write.data, values), write.priority,
                     [this, &posted, pipe](const models::ControlCpu::EntryAnswer& is) {
                       answer(posted, pipe, !is.refused.empty() ? is.refused : is.known ? "changed" : "added");
                     });
}

void ControlPlane::post(Posted& posted, unsigned pipe, const EntryDelete& deletion, TriggerValues values) {
  const models::TableEntry entry{
      .table = deletion.table, .key = key_of(deletion.key, values), .priority = deletion.priority};
  if (idle_table(setup_, *deletion.table)) timeouts_.forget(entry);
  cpu_.remove_entry(
      pipe, deletion.table, entry.key,
      [this, &posted, pipe](std::uint64_t known) { answer(posted, pipe, known ? "deleted" : "there is none"); },
      deletion.priority);
}

void ControlPlane::post(Posted& posted, unsigned pipe, const CellWrite& write, TriggerValues values) {
  cpu_.write(pipe, write.array, value_of(write.index, values), value_of(write.value, values),
             [this, &posted, pipe](std::uint64_t) { answer(posted, pipe, "written"); });
}

void ControlPlane::post(Posted& posted, unsigned pipe, const CellRead& read, TriggerValues) {
  cpu_.read(pipe, read.array, read.index, [this, &posted, &read, pipe](std::uint64_t value) {
    answer(posted, pipe, cell_text(*read.array, value));
    if (read.expected) judge(*read.expected, *read.array, value, posted.judgement);
  });
}

void ControlPlane::post(Posted& posted, unsigned pipe, const EntryRead& read, TriggerValues) {
  cpu_.read_entry(pipe, read.table, read.key, read.priority,
                  [this, &posted, &read, pipe](const std::optional<p4::Pipeline::EntryContent>& found) {
                    answer(posted, pipe, found ? call_text(*found->action, found->data) : "there is none");
                    if (read.expected) judge(*read.expected, found, posted.judgement);
                  });
}

void ControlPlane::post(Posted& posted, unsigned pipe, const CounterRead& read, TriggerValues) {
  cpu_.read_counter(pipe, read.counter, read.entry, [this, &posted, &read, pipe](const p4::CounterValue& value) {
    answer(posted, pipe, count_text(*read.counter, value));
    if (read.expected) judge(*read.expected, value, posted.judgement);
  });
}

void ControlPlane::describe(ControlStory& story, const EntryWrite& write, TriggerValues values) const {
  story.type = ControlStory::Type::write;
  story.object = write.table->name;
  story.key = named_key(program_, *write.table, key_of(write.key, values));
  story.value = call_text(*write.action, values_of(write.data, values));
}

void ControlPlane::describe(ControlStory& story, const EntryDelete& deletion, TriggerValues values) const {
  story.type = ControlStory::Type::erase;
  story.object = deletion.table->name;
  story.key = named_key(program_, *deletion.table, key_of(deletion.key, values));
}

void ControlPlane::describe(ControlStory& story, const CellWrite& write, TriggerValues values) const {
  story.type = ControlStory::Type::write;
  story.object = write.array->name;
  story.index = value_of(write.index, values);
  story.value = cell_text(*write.array, value_of(write.value, values));
}

void ControlPlane::describe(ControlStory& story, const CellRead& read, TriggerValues) const {
  story.type = ControlStory::Type::read;
  story.object = read.array->name;
  story.index = read.index;
}

void ControlPlane::describe(ControlStory& story, const EntryRead& read, TriggerValues) const {
  story.type = ControlStory::Type::read;
  story.object = read.table->name;
  story.key = named_key(program_, *read.table, read.key);
}

void ControlPlane::describe(ControlStory& story, const CounterRead& read, TriggerValues) const {
  story.type = ControlStory::Type::read;
  story.object = read.counter->name;
  story.index = read.entry.index;
  if (read.counter->direct) story.key = named_key(program_, *read.counter->direct, read.entry.key);
}

std::vector<ControlStory> ControlPlane::take(Judgement& judgement) {
  std::vector<ControlStory> stories;
  for (auto& posted : posted_) {
    judgement.add(std::move(posted.judgement));
    if (posted.operation && posted.story.answers.empty()) {
      if (const auto* place = expectation_of(*posted.operation)) {
        judgement.expect(false, *place, "no answer when the run ended", "an answer: a later \"until\"");
      }
    }
    stories.push_back(std::move(posted.story));
  }
  return stories;
}

}  // namespace racksim::tools
