// A story for people: packet by packet, pass by pass, stage by stage. See story.hpp.
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

#include "tools/lone_switch/field_values.hpp"
#include "tools/lone_switch/story.hpp"

namespace racksim::tools {
namespace {

std::string call(const StageStep& step) {
  if (step.action.empty()) return "nothing";
  return step.data.empty() ? step.action : fmt::format("{}({})", step.action, listed(step.data));
}

std::string text_of(const StageStep& step) {
  using Type = StageStep::Type;
  switch (step.type) {
    case Type::gateway:
      return fmt::format("{}: {}", step.name, step.yes ? "yes" : "no");
    case Type::lookup:
      return fmt::format("table {}: {}: {}, {}", step.name, listed(step.values), step.yes ? "hit" : "miss", call(step));
    case Type::action:
      return step.name == step.action && step.data.empty() ? fmt::format("action {}", step.name)
                                                           : fmt::format("table {}: {}", step.name, call(step));
    case Type::meter:
      return fmt::format("meter {}[{}]: {} -> {}", step.name, step.index, step.before, step.after);
    case Type::count:
      return fmt::format("counter {}[{}]: now {}", step.name, step.index, step.after);
    case Type::access: {
      const auto by = step.action.empty() ? "" : fmt::format(" by {}", step.action);
      const auto output = step.output.empty() ? "" : fmt::format(", hands over {}", step.output);
      const auto value = step.before == step.after ? fmt::format("{} stays", step.before)
                                                   : fmt::format("{} -> {}", step.before, step.after);
      return fmt::format("register {}[{}]: {}{}{}", step.name, step.index, value, by, output);
    }
    case Type::change:
      break;
  }
  return fmt::format("  {}: {} -> {}", step.name, step.before, step.after);
}

std::string text_of(const PassStory& pass) {
  std::string text = pass.gress == p4::Gress::ingress
                         ? fmt::format("ingress of pipe {}, by port {}{}", pass.pipe, pass.port,
                                       pass.resubmitted ? ", resubmitted" : "")
                         : fmt::format("egress of pipe {}, for port {}{}{}", pass.pipe, pass.port,
                                       pass.rid == 0 ? "" : fmt::format(", replication id {}", pass.rid),
                                       pass.copy.empty() ? "" : fmt::format(", mirror copy of {}", pass.copy));
  const auto line = [&](std::string_view where, std::string_view what) {
    text += fmt::format("\n      {:<9} {}", where, what);
  };
  if (pass.rejected || !pass.parsed.empty()) {
    line("parser", fmt::format("{}{}", fmt::join(pass.parsed, ", "),
                               pass.rejected ? pass.parsed.empty() ? "rejected" : ", then rejected" : ""));
  }
  int stage = -1;
  for (const auto& step : pass.steps) {
    line(step.stage == stage ? "" : fmt::format("stage {}", step.stage), text_of(step));
    stage = step.stage;
  }
  line("end", pass.outcome);
  return text;
}

/// What the packet's headers are compared with what they were: fields that differ, headers that came or went.
std::string changes(const std::vector<HeaderStory>& before, const std::vector<HeaderStory>& after) {
  std::string text;
  const auto add = [&](std::string part) { text += (text.empty() ? "" : ", ") + std::move(part); };
  const auto find = [](const std::vector<HeaderStory>& headers, const std::string& name) {
    return std::find_if(headers.begin(), headers.end(), [&](const HeaderStory& h) { return h.name == name; });
  };
  for (const auto& header : after) {
    const auto old = find(before, header.name);
    if (old == before.end()) {
      add(fmt::format("with {} ({})", header.name, listed(header.fields)));
      continue;
    }
    for (std::size_t f = 0; f < header.fields.size(); ++f) {
      const auto& [name, value] = header.fields[f];
      if (value != old->fields[f].second) {
        add(fmt::format("{}.{} {} -> {}", header.name, name, old->fields[f].second, value));
      }
    }
  }
  for (const auto& header : before) {
    if (find(after, header.name) == after.end()) add("without " + header.name);
  }
  return text.empty() ? "as it came" : text;
}

struct EventText {
  const PacketStory& packet;

  std::string operator()(const PassStory& pass) const { return text_of(pass); }
  std::string operator()(const DepartureStory& departure) const {
    const auto what = fmt::format("{} bytes, {}", departure.frame_bytes, changes(packet.headers, departure.headers));
    if (departure.recirculates) {
      return fmt::format("goes round by recirculation port {} until {}: {}", departure.port,
                         nanoseconds(departure.arrival), what);
    }
    return fmt::format("leaves by port {}, its last bit at {}: {}", departure.port, nanoseconds(departure.arrival),
                       what);
  }
  std::string operator()(const DropStory& drop) const {
    return fmt::format("dropped at {}: {}", drop.where, drop.reason);
  }
};

std::string text_of(const PacketStory& packet, std::size_t number) {
  std::string text =
      fmt::format("packet {}{}: by port {}, {} bytes\n", number,
                  packet.name.empty() ? "" : fmt::format(" ({})", packet.name), packet.port, packet.frame_bytes);
  for (const auto& header : packet.headers) {
    text += fmt::format("    {}: {}\n", header.name, listed(header.fields));
  }
  for (const auto& event : packet.events) {
    text += fmt::format("  {:<13} {}\n", nanoseconds(event.at), std::visit(EventText{packet}, event.what));
  }
  return text;
}

std::string text_of(const DigestStory& digest) {
  return fmt::format("at {} the control CPU has a digest of pipe {}, {}: {}\n", nanoseconds(digest.at), digest.pipe,
                     digest.name, listed(digest.values));
}

std::string what_of(const ControlStory& story) {
  using Type = ControlStory::Type;
  const auto place = story.index ? fmt::format("{}[{}]", story.object, *story.index)
                                 : fmt::format("the entry {} of {}", listed(story.key), story.object);
  switch (story.type) {
    case Type::write:
      return fmt::format("sets {} to {}", place, story.value);
    case Type::erase:
      return fmt::format("deletes {}", place);
    case Type::read:
      return fmt::format("reads {}", place);
    case Type::timeout:
      break;
  }
  return fmt::format("is told that {} has timed out", place);
}

std::string text_of(const ControlStory& story) {
  auto text = fmt::format("at {} the control CPU {}{}\n", nanoseconds(story.at), what_of(story),
                          story.cause.empty() ? "" : fmt::format(", for the {}", story.cause));
  for (const auto& answer : story.answers) {
    text += fmt::format("  {:<13} in pipe {}: {}; known at {}\n", nanoseconds(answer.acted), answer.pipe, answer.text,
                        nanoseconds(answer.answered));
  }
  if (story.answers.size() < story.pipes.size()) text += "  under way when the run ended\n";
  return text;
}

/// Digests and what the control plane did, in the order of time: what answers a digest comes behind it.
std::string control_text(const SwitchStory& story) {
  std::vector<std::pair<sim::Time, std::string>> parts;
  for (const auto& digest : story.digests) parts.emplace_back(digest.at, text_of(digest));
  for (const auto& control : story.control) parts.emplace_back(control.at, text_of(control));
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (const auto& part : parts) text += "\n" + part.second;
  return text;
}

}  // namespace

std::string story_text(const SwitchStory& story) {
  std::string text = fmt::format("program {}: {}\n", story.program, story.doc);
  text += fmt::format("{} ports in {} pipe{}, recirculation port{} {}; a pass takes {} in ingress and {} in egress\n",
                      story.ports, story.pipes, story.pipes == 1 ? "" : "s", story.pipes == 1 ? "" : "s",
                      story.pipes == 1 ? fmt::format("{}", story.ports)
                                       : fmt::format("{} to {}", story.ports, story.ports + story.pipes - 1),
                      nanoseconds(story.ingress_latency), nanoseconds(story.egress_latency));
  if (story.capture && !story.capture->remarks.empty()) {
    text += fmt::format("of the capture's {} frames\n", story.capture->found);
    for (const auto& [what, count] : story.capture->remarks) text += fmt::format("  {} {}\n", count, what);
  }
  for (std::size_t i = 0; i < story.packets.size(); ++i) text += "\n" + text_of(story.packets[i], i + 1);
  text += control_text(story);
  if (!story.counters.empty()) text += "\n";
  for (const auto& counter : story.counters) {
    text += fmt::format("counter {}[{}] of pipe {}: {} packets, {} bytes\n", counter.counter, counter.index,
                        counter.pipe, counter.packets, counter.bytes);
  }
  if (story.circulating > 0) {
    text += fmt::format("\nat {} {} packet{} still went round\n", nanoseconds(story.end), story.circulating,
                        story.circulating == 1 ? "" : "s");
  }
  if (story.expectations > 0) {
    text +=
        fmt::format("\n{} of {} expectations hold\n", story.expectations - story.failures.size(), story.expectations);
  }
  return text;
}

}  // namespace racksim::tools
