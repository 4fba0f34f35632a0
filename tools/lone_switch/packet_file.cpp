// Reading of packet files. See packet_file.hpp.
#include "tools/lone_switch/packet_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "sim/options/parameters.hpp"
#include "tools/lone_switch/field_values.hpp"
#include "tools/lone_switch/object_reader.hpp"
#include "tools/lone_switch/packet_file_parts.hpp"
#include "tools/lone_switch/program_objects.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

constexpr std::uint64_t kMostPayload = LoneSwitchSetup::kMostPayload;

class PacketFileReader {
 public:
  PacketFileReader(const p4::Program& program, bool packets_from_elsewhere)
      : program_(program), packets_from_elsewhere_(packets_from_elsewhere) {}

  LoneSwitchSetup read(const JsonValue& document, const std::string& file) {
    const ObjectReader top(document, {file, ""},
                           {"$schema",    "doc",        "switch",        "port_rate", "seed",    "until", "tables",
                            "registers",  "meters",     "value_sets",    "multicast", "mirrors", "lags",  "generators",
                            "ports_down", "exclusions", "idle_timeouts", "control",   "packets", "expect"});
    if (const auto* schema = top.optional("$schema")) require_string(*schema, top.place().member("$schema"), "a text");
    if (const auto* doc = top.optional("doc")) setup_.doc = require_string(*doc, top.place().member("doc"), "a text");
    read_switch(top);
    objects_.emplace(program_, setup_.pipes());
    setup_.control = read_control(top, *objects_, setup_.options);
    top.each("tables", [&](const JsonValue& value, const JsonLocation& place) { read_entry(value, place); });
    top.each("registers", [&](const JsonValue& value, const JsonLocation& place) { read_register(value, place); });
    top.each("meters", [&](const JsonValue& value, const JsonLocation& place) { read_meter(value, place); });
    top.each("value_sets", [&](const JsonValue& value, const JsonLocation& place) { read_set_value(value, place); });
    top.each("multicast", [&](const JsonValue& value, const JsonLocation& place) { read_group(value, place); });
    top.each("exclusions", [&](const JsonValue& value, const JsonLocation& place) {
      const ObjectReader exclusion(value, place, {"id", "ports"});
      setup_.exclusions.push_back(
          {static_cast<std::uint16_t>(exclusion.number("id", 0, p4::ReplicationEngine::kMaxExclusionId)),
           read_ports(exclusion)});
    });
    top.each("mirrors", [&](const JsonValue& value, const JsonLocation& place) { read_mirror(value, place); });
    top.each("lags", [&](const JsonValue& value, const JsonLocation& place) {
      const ObjectReader lag(value, place, {"id", "ports"});
      const auto id = static_cast<std::uint16_t>(lag.number("id", 0, p4::ReplicationEngine::kMostLags - 1));
      setup_.lags.push_back({id, read_ports(lag)});
    });
    top.each("generators", [&](const JsonValue& value, const JsonLocation& place) { read_generator(value, place); });
    top.each("ports_down", [&](const JsonValue& value, const JsonLocation& place) {
      const ObjectReader object(value, place, {"port", "time", "until"});
      PortDown down{.port = static_cast<unsigned>(object.number("port", 0, setup_.options.ports - 1))};
      down.from = read_time(object.required("time"), place.member("time"));
      if (const auto* until = object.optional("until")) {
        down.until = read_time(*until, place.member("until"));
        if (*down.until <= down.from) place.member("until").refuse(until->description(), "later than \"time\"");
      }
      setup_.ports_down.push_back(down);
    });
    top.each("packets", [&](const JsonValue& value, const JsonLocation& place) { read_packet(value, place); });
    if (setup_.packets.empty() && setup_.generators.empty() && !packets_from_elsewhere_) {
      const JsonLocation place = top.place().member("packets");
      place.refuse(top.optional("packets") ? "no packets" : "nothing", "an array of at least one packet");
    }
    if (const auto* expect = top.optional("expect")) {
      setup_.expected = read_final_expectations(*expect, top.place().member("expect"), *objects_);
    }
    return std::move(setup_);
  }

 private:
  void read_switch(const ObjectReader& top) {
    if (const auto* given = top.optional("switch")) {
      sim::Parameters parameters;
      setup_.options.declare(parameters);
      JsonValue rack = JsonValue::object();
      rack.set("switch", *given);
      bind(rack, top.place(), parameters);
    }
    if (const auto* rate = top.optional("port_rate")) {
      const JsonLocation place = top.place().member("port_rate");
      setup_.port_bits_per_second = with_unit(*rate, place, "a rate", parse_rate);
      if (setup_.port_bits_per_second < 1'000'000) place.refuse(rate->description(), "at least \"1Mbps\"");
    }
    setup_.seed = top.number("seed", 0, ~std::uint64_t{0}, setup_.seed);
    if (const auto* until = top.optional("until")) setup_.until = read_time(*until, top.place().member("until"));
  }

  std::vector<std::uint16_t> read_ports(const ObjectReader& object) const {
    const auto what = fmt::format("a port from 0 to {} ({} front ports, recirculation ports, the CPU's)", last_port(),
                                  setup_.options.ports);
    return read_numbers(object.required("ports"), object.place().member("ports"), last_port(), what);
  }

  static std::vector<std::uint16_t> read_lags(const ObjectReader& node) {
    const auto* given = node.optional("lags");
    if (!given) return {};
    return read_numbers(*given, node.place().member("lags"), p4::ReplicationEngine::kMostLags - 1,
                        fmt::format("a LAG from 0 to {}", p4::ReplicationEngine::kMostLags - 1));
  }

  static std::vector<std::uint16_t> read_numbers(const JsonValue& value, const JsonLocation& place, std::uint64_t most,
                                                 const std::string& what) {
    std::vector<std::uint16_t> numbers;
    const auto& elements = require_array(value, place);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const auto number = elements[i].natural();
      if (!number || *number > most) place.element(i).refuse(elements[i].description(), what);
      numbers.push_back(static_cast<std::uint16_t>(*number));
    }
    return numbers;
  }

  void read_entry(const JsonValue& value, const JsonLocation& place) {
    const ObjectReader object(value, place, {"table", "key", "action", "data", "priority", "pipe", "ttl"});
    PresetEntry entry{.place = place};
    entry.table = &objects_->table(object);
    entry.key = objects_->key(object, *entry.table);
    entry.action = &objects_->action(object, *entry.table);
    entry.data = objects_->data(object, *entry.action, read_value);
    entry.priority = ProgramObjects::priority(object);
    entry.pipe = objects_->pipe(object);
    entry.ttl = read_ttl(object, *entry.table, setup_.control);
    setup_.entries.push_back(std::move(entry));
  }

  void read_register(const JsonValue& value, const JsonLocation& place) {
    const ObjectReader object(value, place, {"array", "index", "value", "lo", "hi", "pipe"});
    const auto& array = objects_->array(object);
    PresetRegister preset{.array = array.id, .index = object.number("index", 0, array.size - 1)};
    preset.value = ProgramObjects::cell(object, array);
    preset.pipe = objects_->pipe(object);
    setup_.registers.push_back(preset);
  }

  void read_meter(const JsonValue& value, const JsonLocation& place) {
    const ObjectReader object(
        value, place,
        {"meter", "index", "key", "priority", "committed", "peak", "committed_burst", "peak_burst", "pipe"});
    const auto& meter = named_in(program_.meters(), object, "meter", "the name of a meter");
    PresetMeter preset{.place = place, .meter = &meter, .entry = objects_->entry_of(object, meter, "meter")};
    constexpr std::uint64_t kMost = 1'000'000'000'000'000;
    const auto rate = [&](std::string_view key) {
      if (meter.unit == p4::MeterUnit::packets) return object.number(key, 0, kMost);
      return with_unit(object.required(key), place.member(key), "a rate", parse_rate) / 8;
    };
    preset.rates = {.committed = rate("committed"),
                    .peak = rate("peak"),
                    .committed_burst = object.number("committed_burst", 1, kMost),
                    .peak_burst = object.number("peak_burst", 1, kMost)};
    preset.pipe = objects_->pipe(object);
    setup_.meters.push_back(std::move(preset));
  }

  void read_set_value(const JsonValue& value, const JsonLocation& place) {
    const ObjectReader object(value, place, {"set", "value", "mask", "pipe"});
    const auto& set = named_in(program_.value_sets(), object, "set", "the name of a value set");
    PresetValue preset{.place = place, .set = &set};
    preset.value = read_value(object.required("value"), set.bits, place.member("value"));
    preset.mask = p4::mask_of(set.bits);
    if (const auto* mask = object.optional("mask")) preset.mask = read_value(*mask, set.bits, place.member("mask"));
    preset.pipe = objects_->pipe(object);
    setup_.values.push_back(std::move(preset));
  }

  void read_group(const JsonValue& value, const JsonLocation& place) {
    const ObjectReader object(value, place, {"group", "nodes"});
    PresetGroup group{.group = static_cast<std::uint16_t>(object.number("group", 0, 0xffff))};
    const JsonLocation nodes = place.member("nodes");
    const auto& elements = require_array(object.required("nodes"), nodes);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const ObjectReader node(elements[i], nodes.element(i), {"rid", "ports", "lags", "exclusion", "ecmp"});
      p4::MulticastNode read{.rid = static_cast<std::uint16_t>(node.number("rid", 0, 0xffff, 0)), .ports = {}};
      if (node.optional("ports") || !node.optional("lags")) read.ports = read_ports(node);
      read.lags = read_lags(node);
      const auto number = [&](std::string_view key) -> std::optional<std::uint16_t> {
        if (!node.optional(key)) return std::nullopt;
        return static_cast<std::uint16_t>(node.number(key, 0, 0xffff));
      };
      read.exclusion = number("exclusion");
      read.ecmp = number("ecmp");
      group.nodes.push_back(std::move(read));
    }
    setup_.groups.push_back(std::move(group));
  }

  void read_mirror(const JsonValue& value, const JsonLocation& place) {
    const ObjectReader object(value, place, {"session", "port", "bytes"});
    PresetMirror mirror{.session = static_cast<std::uint16_t>(object.number("session", 1, p4::MirrorSessions::kMost))};
    mirror.what.port = static_cast<std::uint16_t>(object.number("port", 0, last_port()));
    mirror.what.bytes = static_cast<std::uint32_t>(object.number("bytes", 1, 0xffff, mirror.what.bytes));
    setup_.mirrors.push_back(mirror);
  }

  /// The control CPU's, behind front and recirculation ports.
  std::uint64_t last_port() const { return setup_.options.ports + setup_.pipes(); }

  void read_generator(const JsonValue& value, const JsonLocation& place) {
    const ObjectReader object(value, place,
                              {"app", "pipe", "trigger", "match", "mask", "time", "period", "batches", "packets",
                               "batch_gap", "packet_gap", "headers", "payload"});
    PresetGenerator generator{.place = place};
    auto& app = generator.app;
    app.app = static_cast<unsigned>(object.number("app", 0, models::GeneratorApp::kMostApps - 1));
    app.pipe = static_cast<unsigned>(object.number("pipe", 0, std::min(setup_.pipes() - 1, 3U), 0));
    read_trigger(object, app);
    if (const auto* time = object.optional("time")) app.first = read_time(*time, place.member("time"));
    const auto length = [&](std::string_view key) -> std::optional<sim::Duration> {
      const auto* given = object.optional(key);
      if (!given) return std::nullopt;
      return read_time(*given, place.member(key)) - sim::Time{};
    };
    app.period = length("period");
    app.batches = object.number("batches", 1, 65'536, 1);
    app.packets = object.number("packets", 1, 65'536, 1);
    app.batch_gap = length("batch_gap").value_or(sim::Duration{});
    app.packet_gap = length("packet_gap").value_or(sim::Duration{});
    read_headers(object, generator.packet);
    if (const auto* payload = object.optional("payload")) {
      read_payload(*payload, place.member("payload"), generator.packet);
    }
    setup_.generators.push_back(std::move(generator));
  }

  void read_packet(const JsonValue& value, const JsonLocation& place) {
    const ObjectReader object(value, place, {"name", "port", "time", "headers", "payload", "expect"});
    SentPacket packet;
    if (const auto* name = object.optional("name")) packet.name = require_string(*name, place.member("name"), "a text");
    packet.port = static_cast<unsigned>(object.number("port", 0, setup_.options.ports - 1));
    if (const auto* time = object.optional("time")) packet.time = read_time(*time, place.member("time"));
    read_headers(object, packet);
    if (const auto* payload = object.optional("payload")) read_payload(*payload, place.member("payload"), packet);
    if (const auto* expect = object.optional("expect")) {
      packet.expected = read_expected_packet(*expect, place.member("expect"), *objects_, setup_.options.ports);
    }
    setup_.packets.push_back(std::move(packet));
  }

  void read_headers(const ObjectReader& object, SentPacket& packet) const {
    const JsonLocation place = object.place().member("headers");
    const auto known =
        names_in(program_.headers(), [](const p4::Program::HeaderUse& use) { return std::string(use.layout->name); });
    std::size_t words = 0;
    for (const auto& member : require_object(object.required("headers"), place)) {
      const auto found = std::find(known.begin(), known.end(), member.key);
      const JsonLocation header_place = place.member(member.key);
      if (found == known.end()) {
        header_place.refuse(quote(member.key), "a header of the program: " + one_of(known),
                            nearest_name(member.key, known));
      }
      const auto& use = program_.headers()[static_cast<std::size_t>(found - known.begin())];
      SentPacket::SentHeader header{.layout = use.layout, .words = use.defaults};
      std::vector<std::string> fields;
      for (std::size_t f = 0; f < use.layout->count; ++f) fields.emplace_back(use.layout->fields[f].name);
      const ObjectReader given(member.value, header_place, fields);
      for (std::size_t f = 0; f < use.layout->count; ++f) {
        const auto* field = given.optional(fields[f]);
        if (field) header.words[f] = read_value(*field, use.layout->fields[f].bits, header_place.member(fields[f]));
      }
      words += header.words.size();
      packet.headers.push_back(std::move(header));
      if (packet.headers.size() > p4::Packet::kMaxHeaders || words > p4::Packet::kMaxWords) {
        header_place.refuse("one header too many", fmt::format("at most {} headers with {} fields in all",
                                                               p4::Packet::kMaxHeaders, p4::Packet::kMaxWords));
      }
    }
    if (packet.headers.empty()) place.refuse("no header", "at least one, outermost first");
  }

  static void read_payload(const JsonValue& value, const JsonLocation& place, SentPacket& packet) {
    const auto bytes = value.natural();
    if (bytes && *bytes <= kMostPayload) {
      packet.payload_bytes = static_cast<std::uint32_t>(*bytes);
      return;
    }
    const auto* text = value.string();
    bool hexadecimal = text && text->size() % 2 == 0 && text->size() <= 2 * kMostPayload;
    for (std::size_t i = 0; hexadecimal && i < text->size(); i += 2) {
      unsigned byte = 0;
      const auto [end, error] = std::from_chars(text->data() + i, text->data() + i + 2, byte, 16);
      hexadecimal = error == std::errc{} && end == text->data() + i + 2;
      packet.payload.push_back(static_cast<std::byte>(byte));
    }
    if (!hexadecimal) {
      place.refuse(value.description(),
                   fmt::format("a number of bytes from 0 to {}, or bytes in hexadecimal (\"00ff\")", kMostPayload));
    }
    packet.payload_bytes = static_cast<std::uint32_t>(packet.payload.size());
  }

  const p4::Program& program_;
  bool packets_from_elsewhere_;
  std::optional<ProgramObjects> objects_;  // once the number of pipes is known
  LoneSwitchSetup setup_;
};

}  // namespace

unsigned LoneSwitchSetup::pipes() const {
  return static_cast<unsigned>((options.ports + options.ports_per_pipe - 1) / options.ports_per_pipe);
}

LoneSwitchSetup read_packet_file(const JsonValue& document, const std::string& file, const p4::Program& program,
                                 bool packets_from_elsewhere) {
  return PacketFileReader(program, packets_from_elsewhere).read(document, file);
}

}  // namespace racksim::tools
