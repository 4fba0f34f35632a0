// Packet files that come with the program, sent through their switch programs; and what happened there.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "p4model/execute/registry.hpp"
#include "tools/files/data_files.hpp"
#include "tools/json/json_document.hpp"
#include "tools/lone_switch/lone_switch.hpp"

namespace racksim::tools::testing {

/// A program by name, as a person gives it.
inline std::shared_ptr<const p4::Program> program_named(const std::string& name) {
  const auto* entry = sim::Registry<p4::ProgramEntry>::find(name);
  REQUIRE(entry != nullptr);
  return entry->make();
}

/// The story of a document.
inline SwitchStory story_of(const std::string& program, const JsonValue& document) {
  const auto made = program_named(program);
  return send_through_switch(made, read_packet_file(document, "packets.json", *made));
}

/// The story of scenarios/switch/FILE.json.
inline SwitchStory story_of_example(const std::string& program, const std::string& file) {
  return story_of(program, read_json_file((scenarios_folder() / "switch" / (file + ".json")).string()));
}

/// All events of one kind of a packet, in the order of time.
template <class Event>
std::vector<std::pair<sim::Time, Event>> all(const PacketStory& packet) {
  std::vector<std::pair<sim::Time, Event>> found;
  for (const auto& event : packet.events) {
    if (const auto* what = std::get_if<Event>(&event.what)) found.emplace_back(event.at, *what);
  }
  return found;
}

/// The steps of one kind of all passes of a packet.
inline std::vector<StageStep> steps(const PacketStory& packet, StageStep::Type type) {
  std::vector<StageStep> found;
  for (const auto& [at, pass] : all<PassStory>(packet)) {
    for (const auto& step : pass.steps) {
      if (step.type == type) found.push_back(step);
    }
  }
  return found;
}

/// The ports by which a packet and its copies left, in the order of time; recirculation ports included.
inline std::vector<unsigned> ports_of(const PacketStory& packet) {
  std::vector<unsigned> ports;
  for (const auto& [at, departure] : all<DepartureStory>(packet)) ports.push_back(departure.port);
  return ports;
}

/// A field of a header of what left.
inline std::string field_of(const std::vector<HeaderStory>& headers, const std::string& header,
                            const std::string& field) {
  for (const auto& one : headers) {
    if (one.name != header) continue;
    for (const auto& [name, value] : one.fields) {
      if (name == field) return value;
    }
  }
  return "";
}

}  // namespace racksim::tools::testing
