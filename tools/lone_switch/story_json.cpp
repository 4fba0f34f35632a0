// A story for programs. See story.hpp.
#include "tools/lone_switch/story.hpp"

namespace racksim::tools {
namespace {

JsonValue object_of(const NamedValues& values) {
  JsonValue object = JsonValue::object();
  for (const auto& [name, value] : values) object.set(name, value);
  return object;
}

JsonValue headers_json(const std::vector<HeaderStory>& headers) {
  JsonValue object = JsonValue::object();
  for (const auto& header : headers) object.set(header.name, object_of(header.fields));
  return object;
}

JsonValue json_of(const StageStep& step) {
  using Type = StageStep::Type;
  JsonValue json = JsonValue::object();
  json.set("stage", step.stage);
  switch (step.type) {
    case Type::gateway:
      json.set({{"gateway", step.name}, {"holds", step.yes}});
      break;
    case Type::lookup:
      json.set({{"table", step.name}, {"key", object_of(step.values)}, {"hit", step.yes}});
      break;
    case Type::action:
      json.set("table", step.name);
      break;
    case Type::meter:
      json.set({{"meter", step.name}, {"index", step.index}, {"before", step.before}, {"after", step.after}});
      break;
    case Type::count:
      json.set({{"counter", step.name}, {"index", step.index}, {"after", step.after}});
      break;
    case Type::access:
      json.set({{"register", step.name}, {"index", step.index}, {"before", step.before}, {"after", step.after}});
      if (!step.output.empty()) json.set("output", step.output);
      break;
    case Type::change:
      json.set({{"field", step.name}, {"before", step.before}, {"after", step.after}});
      break;
  }
  if (!step.action.empty()) json.set("action", step.action);
  if (!step.data.empty()) json.set("data", object_of(step.data));
  return json;
}

JsonValue json_of(const ControlStory& story) {
  constexpr const char* kTypes[] = {"write", "delete", "read", "timeout"};
  auto json = JsonValue::object(
      {{"at_ps", story.at.ps()}, {"event", kTypes[static_cast<std::size_t>(story.type)]}, {"object", story.object}});
  if (!story.cause.empty()) json.set("cause", story.cause);
  if (!story.key.empty()) json.set("key", object_of(story.key));
  if (story.index) json.set("index", *story.index);
  if (!story.value.empty()) json.set("value", story.value);
  json.set("answers", array_of(story.answers, [](const auto& answer) {
             return JsonValue::object({{"pipe", answer.pipe},
                                       {"acted_ps", answer.acted.ps()},
                                       {"answered_ps", answer.answered.ps()},
                                       {"answer", answer.text}});
           }));
  return json;
}

struct EventJson {
  JsonValue json = JsonValue::object();

  void operator()(const PassStory& pass) {
    json.set({{"event", p4::name_of(pass.gress)}, {"pipe", pass.pipe}, {"port", pass.port}});
    if (pass.gress == p4::Gress::egress) json.set("rid", pass.rid);
    if (!pass.copy.empty()) json.set("mirror_copy_of", pass.copy);
    if (pass.gress == p4::Gress::ingress) json.set("resubmitted", pass.resubmitted);
    json.set({{"parsed", array_of(pass.parsed)},
              {"rejected", pass.rejected},
              {"steps", array_of(pass.steps, [&](const auto& step) { return json_of(step); })},
              {"outcome", pass.outcome}});
  }
  void operator()(const DepartureStory& departure) {
    json.set({{"event", departure.recirculates ? "recirculation" : "departure"},
              {"port", departure.port},
              {"last_bit_ps", departure.arrival.ps()},
              {"frame_bytes", departure.frame_bytes},
              {"headers", headers_json(departure.headers)}});
  }
  void operator()(const DropStory& drop) {
    json.set({{"event", "drop"}, {"where", drop.where}, {"reason", drop.reason}});
  }
};

}  // namespace

JsonValue story_json(const SwitchStory& story) {
  auto json = JsonValue::object({{"program", story.program},
                                 {"ports", story.ports},
                                 {"pipes", story.pipes},
                                 {"ingress_latency_ps", story.ingress_latency.ps()},
                                 {"egress_latency_ps", story.egress_latency.ps()},
                                 {"end_ps", story.end.ps()},
                                 {"circulating", story.circulating}});
  if (story.capture) {
    auto remarks = JsonValue::array();
    for (const auto& [what, count] : story.capture->remarks) {
      remarks.push(JsonValue::object({{"frames", count}, {"what", what}}));
    }
    json.set("capture", JsonValue::object({{"frames", story.capture->found}, {"remarks", std::move(remarks)}}));
  }
  JsonValue packets = JsonValue::array();
  for (const auto& packet : story.packets) {
    auto one = JsonValue::object({{"name", packet.name},
                                  {"port", packet.port},
                                  {"arrival_ps", packet.arrival.ps()},
                                  {"frame_bytes", packet.frame_bytes},
                                  {"headers", headers_json(packet.headers)}});
    JsonValue events = JsonValue::array();
    for (const auto& event : packet.events) {
      EventJson writer;
      writer.json.set("at_ps", event.at.ps());
      std::visit(writer, event.what);
      events.push(std::move(writer.json));
    }
    one.set("events", std::move(events));
    packets.push(std::move(one));
  }
  json.set("packets", std::move(packets));
  json.set("digests", array_of(story.digests, [&](const auto& digest) {
             return JsonValue::object({{"at_ps", digest.at.ps()},
                                       {"pipe", digest.pipe},
                                       {"digest", digest.name},
                                       {"values", object_of(digest.values)}});
           }));
  json.set("control", array_of(story.control, [](const auto& control) { return json_of(control); }));
  json.set("counters", array_of(story.counters, [&](const auto& counter) {
             return JsonValue::object({{"pipe", counter.pipe},
                                       {"counter", counter.counter},
                                       {"index", counter.index},
                                       {"packets", counter.packets},
                                       {"bytes", counter.bytes}});
           }));
  if (story.expectations > 0) json.set({{"expectations", story.expectations}, {"failures", array_of(story.failures)}});
  return json;
}

}  // namespace racksim::tools
