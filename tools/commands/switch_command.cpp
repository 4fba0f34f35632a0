// racksim switch PROGRAM PACKETS: sends packets through a switch program without a protocol or a rack, and prints each
// packet's way stage by stage.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>

#include "p4model/execute/registry.hpp"
#include "p4model/fit/placement.hpp"
#include "tools/commands/command_arguments.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/files/data_files.hpp"
#include "tools/files/write_file.hpp"
#include "tools/json/input_error.hpp"
#include "tools/lone_switch/captured_packets.hpp"
#include "tools/lone_switch/lone_switch.hpp"

namespace racksim::tools {
namespace {

struct SwitchCommandOptions {
  std::string program, packets, setup;
  unsigned port = 0;
  std::string pcap;  ///< the folder for captures
  bool json = false;
};

/// What is sent, and what a capture had beside that.
struct SwitchInput {
  LoneSwitchSetup setup;
  std::optional<CaptureStory> capture{};
};

/// Which of the two PACKETS is, its bytes tell: it may be a pipe, which can be read once.
SwitchInput read_input(const SwitchCommandOptions& options, const p4::Program& program) {
  const auto file = find_scenario_file(options.packets);
  note_input(file);
  if (!options.setup.empty()) note_input(options.setup);
  const std::string bytes = read_whole(file, kMostCaptureBytes, "a readable packet file or capture");
  if (bytes.starts_with("\x1f\x8b")) {
    throw InputError(file, "byte 0", "gzip's magic number", "a packet file or a capture: `zcat` it to /dev/stdin");
  }
  if (!is_capture(bytes)) {
    if (!options.setup.empty()) {
      throw InputError("racksim switch", "--setup", quote(options.setup), "a capture as PACKETS, which has no setup");
    }
    return {read_packet_file(parse_json(bytes, file), file, program)};
  }
  JsonValue nothing = JsonValue::object();
  LoneSwitchSetup setup = options.setup.empty()
                              ? read_packet_file(nothing, file, program, true)
                              : read_packet_file(read_json_file(options.setup), options.setup, program, true);
  if (options.port >= setup.options.ports) {
    throw InputError("racksim switch", "--port", fmt::format("{}", options.port),
                     fmt::format("a port from 0 to {}", setup.options.ports - 1));
  }
  Capture capture = read_capture(bytes, file);
  setup.packets = packets_of(capture, program, options.port, file, setup.values);
  return {std::move(setup), CaptureStory{.found = capture.found, .remarks = capture.remarks.all()}};
}

/// What left at each front port, a capture a port.
void write_captures(const SwitchStory& story, const std::string& folder) {
  std::map<unsigned, std::vector<CapturedFrame>> ports;
  for (const auto& packet : story.packets) {
    for (const auto& event : packet.events) {
      const auto* departure = std::get_if<DepartureStory>(&event.what);
      if (departure && !departure->recirculates) ports[departure->port].push_back({event.at, departure->bytes});
    }
  }
  make_folder(folder, "racksim switch", "--pcap");
  for (auto& [port, frames] : ports) {
    std::stable_sort(frames.begin(), frames.end(),
                     [](const CapturedFrame& a, const CapturedFrame& b) { return a.at < b.at; });
    write_file(std::filesystem::path(folder) / fmt::format("port{}.pcap", port), pcap_bytes(frames), "racksim switch",
               "--pcap");
  }
}

int send(const SwitchCommandOptions& options, CommandContext& context) {
  const auto program = registered<p4::ProgramEntry>("racksim switch", options.program).make();
  const auto input = read_input(options, *program);
  try {
    if (!options.pcap.empty()) check_output_folder(options.pcap, "racksim switch", "--pcap");
    auto story = send_through_switch(program, input.setup);
    story.capture = input.capture;
    context.out << (options.json ? to_json(story_json(story)) : story_text(story)) << std::flush;
    if (!options.pcap.empty()) write_captures(story, options.pcap);
    for (const auto& failure : story.failures) context.err << failure << '\n';
    return story.failures.empty() ? exit_ok : exit_failed;
  } catch (const p4::ProgramError& error) {
    context.err << error.what() << '\n';
    return exit_failed;
  }
}

void add_switch(CommandContext& context) {
  auto* command =
      context.app.add_subcommand("switch", "Send packets through a switch program and print their way stage by stage");
  const auto options = std::make_shared<SwitchCommandOptions>();
  command->add_option("PROGRAM", options->program, "One of `racksim list programs`")->required();
  command
      ->add_option("PACKETS", options->packets,
                   "A packet file (JSON; see scenarios/switch), or a capture (pcap or pcapng)")
      ->required();
  command->add_option("--setup", options->setup, "With a capture: a packet file whose tables and registers are taken");
  add_number(*command, "--port", options->port, "With a capture: the port by which its frames come", {0, 255});
  command->add_option("--pcap", options->pcap, "Also write what leaves at each port to portN.pcap in this folder");
  command->add_flag("--json", options->json, "Print all of it as JSON");
  command->callback([&context, options] { context.action = [&context, options] { return send(*options, context); }; });
}

const sim::Registration<CommandEntry> switch_command({.name = "switch", .add = add_switch});

}  // namespace

}  // namespace racksim::tools
