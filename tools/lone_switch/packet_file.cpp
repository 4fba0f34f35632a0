// Reading of packet files. See packet_file.hpp.
#include "tools/lone_switch/packet_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "sim/options/parameters.hpp"
#include "tools/lone_switch/field_values.hpp"
#include "tools/lone_switch/object_reader.hpp"
#include "tools/lone_switch/packet_file_parts.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

constexpr std::uint64_t kMostPayload = LoneSwitchSetup::kMostPayload;

template <class Things, class Name>
std::vector<std::string> names_in(const Things& things, Name name) {
  std::vector<std::string> names;
  for (const auto& thing : things) names.emplace_back(name(thing));
  return names;
}

/// The one of some things that a member names.
template <class Things>
const auto& named_in(const Things& things, const ObjectReader& object, std::string_view key,
                     const std::string& expected) {
  return things[object.choice(key, expected, names_in(things, [](const auto& one) { return one.name; }))];
}

/// A length of time or a rate in the file's units.
template <class Parse>
auto with_unit(const JsonValue& value, const JsonLocation& place, const std::string& expected, Parse parse) {
  try {
    return parse(require_string(value, place, expected));
  } catch (const UnitError& error) {
    place.refuse(value.description(), error.what());
  }
}

class PacketFileReader {
 public:
  PacketFileReader(const p4::Program& program, bool packets_from_elsewhere)
      : program_(program), packets_from_elsewhere_(packets_from_elsewhere) {}

  LoneSwitchSetup read(const JsonValue& document, const std::string& file) {
    const ObjectReader top(
        document, {file, ""},
        {"$schema", "doc", "switch", "port_rate", "seed", "until", "tables", "registers", "meters", "value_sets",
         "multicast", "mirrors", "lags", "generators", "ports_down", "exclusions", "packets"});
    if (const auto* schema = top.optional("$schema")) require_string(*schema, top.place().member("$schema"), "a text");
    if (const auto* doc = top.optional("doc")) setup_.doc = require_string(*doc, top.place().member("doc"), "a text");
    read_switch(top);
    each(top, "tables", [&](const JsonValue& value, const JsonLocation& place) { read_entry(value, place); });
    each(top, "registers", [&](const JsonValue& value, const JsonLocation& place) { read_register(value, place); });
    each(top, "meters", [&](const JsonValue& value, const JsonLocation& place) { read_meter(value, place); });
    each(top, "value_sets", [&](const JsonValue& value, const JsonLocation& place) { read_set_value(value, place); });
    each(top, "multicast", [&](const JsonValue& value, const JsonLocation& place) { read_group(value, place); });
    each(top, "exclusions", [&](const JsonValue& value, const JsonLocation& place) {
      const ObjectReader exclusion(value, place, {"id", "ports"});
      setup_.exclusions.push_back(
          {static_cast<std::uint16_t>(exclusion.number("id", 0, p4::ReplicationEngine::kMaxExclusionId)),
           read_ports(exclusion)});
    });
    each(top, "mirrors", [&](const JsonValue& value, const JsonLocation& place) { read_mirror(value, place); });
    each(top, "lags", [&](const JsonValue& value, const JsonLocation& place) {
      const ObjectReader lag(value, place, {"id", "ports"});
      const auto id = static_cast<std::uint16_t>(lag.number("id", 0, p4::ReplicationEngine::kMostLags - 1));
      setup_.lags.push_back({id, read_ports(lag)});
    });
    each(top, "generators", [&](const JsonValue& value, const JsonLocation& place) { read_generator(value, place); });
    each(top, "ports_down", [&](const JsonValue& value, const JsonLocation& place) {
      const ObjectReader object(value, place, {"port", "time", "until"});
      PortDown down{.port = static_cast<unsigned>(object.number("port", 0, setup_.options.ports - 1))};
      down.from = read_time(object.required("time"), place.member("time"));
      if (const auto* until = object.optional("until")) {
        down.until = read_time(*until, place.member("until"));
        if (*down.until <= down.from) place.member("until").refuse(until->description(), "later than \"time\"");
      }
      setup_.ports_down.push_back(down);
    });
    each(top, "packets", [&](const JsonValue& value, const JsonLocation& place) { read_packet(value, place); });
    if (setup_.packets.empty() && setup_.generators.empty() && !packets_from_elsewhere_) {
      const JsonLocation place = top.place().member("packets");
      place.refuse(top.optional("packets") ? "no packets" : "nothing", "an array of at least one packet");
    }
    return std::move(setup_);
  }

 private:
  template <class Read>
  void each(const ObjectReader& object, std::string_view key, Read read) {
    const auto* value = object.optional(key);
    if (!value) return;
    const JsonLocation place = object.place().member(key);
    const auto& elements = require_array(*value, place);
    for (std::size_t i = 0; i < elements.size(); ++i) read(elements[i], place.element(i));
  }

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

  sim::Time read_time(const JsonValue& value, const JsonLocation& place) const {
    const sim::Duration length = with_unit(value, place, "a length of time", parse_length);
    const sim::Duration most = sim::Duration::from_ps(1'000'000'000'000);
    if (length > most) place.refuse(value.description(), "at most \"1s\"");
    return sim::Time{} + length;
  }

  std::optional<unsigned> read_pipe(const ObjectReader& object) const {
    if (!object.optional("pipe")) return std::nullopt;
    return static_cast<unsigned>(object.number("pipe", 0, setup_.pipes() - 1));
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
    const ObjectReader object(value, place, {"table", "key", "action", "data", "priority", "pipe"});
    PresetEntry entry{.place = place};
    std::vector<const p4::Table*> tables;
    for (const auto& table : program_.tables()) {
      if (!table.keys.empty()) tables.push_back(&table);
    }
    const auto name_of = [](const auto* one) { return one->name; };
    entry.table = tables[object.choice("table", "the name of a table", names_in(tables, name_of))];
    entry.key = read_key(object, *entry.table);
    const auto actions = entry.table->all_actions();
    entry.action = actions[object.choice("action", "the name of an action", names_in(actions, name_of))];
    read_data(object, entry);
    entry.priority = static_cast<std::uint32_t>(object.number("priority", 0, 0xffff'ffff, 0));
    entry.pipe = read_pipe(object);
    setup_.entries.push_back(std::move(entry));
  }

  std::vector<p4::KeyMatch> read_key(const ObjectReader& object, const p4::Table& table) const {
    std::vector<p4::KeyMatch> read;
    const auto names = names_in(table.keys, [&](const p4::Table::Key& key) { return program_.info(key.field).name; });
    const ObjectReader given(object.required("key"), object.place().member("key"), names);
    for (const auto& key : table.keys) {
      const auto& info = program_.info(key.field);
      read.push_back(read_match(given.required(info.name), info.bits, given.place().member(info.name)));
    }
    return read;
  }

  void read_data(const ObjectReader& object, PresetEntry& entry) const {
    const auto& parameters = entry.action->parameters;
    if (parameters.empty() && !object.optional("data")) return;
    const auto names = names_in(parameters, [](const p4::Action::Parameter& one) { return one.name; });
    const ObjectReader given(object.required("data"), object.place().member("data"), names);
    for (const auto& parameter : parameters) {
      entry.data.push_back(
          read_value(given.required(parameter.name), parameter.bits, given.place().member(parameter.name)));
    }
  }

  void read_register(const JsonValue& value, const JsonLocation& place) {
    const ObjectReader object(value, place, {"array", "index", "value", "lo", "hi", "pipe"});
    const auto& array = named_in(program_.arrays(), object, "array", "the name of a register array");
    PresetRegister preset{.array = array.id, .index = object.number("index", 0, array.size - 1)};
    const auto half = [&](std::string_view key) {
      const auto* given = object.optional(key);
      return given ? read_value(*given, array.width.bits, place.member(key)) : 0;
    };
    if (array.width.pair && !object.optional("value")) {
      preset.value = half("hi") << array.width.bits | half("lo");
    } else {
      for (const char* key : {"lo", "hi"}) {
        if (object.optional(key)) place.member(key).refuse("half of an entry", "\"value\" alone");
      }
      preset.value = read_value(object.required("value"), array.width.total(), place.member("value"));
    }
    preset.pipe = read_pipe(object);
    setup_.registers.push_back(preset);
  }

  void read_meter(const JsonValue& value, const JsonLocation& place) {
    const ObjectReader object(
        value, place,
        {"meter", "index", "key", "priority", "committed", "peak", "committed_burst", "peak_burst", "pipe"});
    const auto& meter = named_in(program_.meters(), object, "meter", "the name of a meter");
    PresetMeter preset{.place = place, .meter = &meter};
    const char* other = meter.direct ? "index" : "key";
    if (object.optional(other)) {
      place.member(other).refuse("it", meter.direct ? "\"key\": the meter belongs to the entries of a table"
                                                    : "\"index\": the meter belongs to no table");
    }
    if (meter.direct) {
      preset.key = read_key(object, *meter.direct);
      preset.priority = static_cast<std::uint32_t>(object.number("priority", 0, 0xffff'ffff, 0));
    } else {
      preset.index = object.number("index", 0, meter.size - 1);
    }
    constexpr std::uint64_t kMost = 1'000'000'000'000'000;
    const auto rate = [&](std::string_view key) {
      if (meter.unit == p4::MeterUnit::packets) return object.number(key, 0, kMost);
      return with_unit(object.required(key), place.member(key), "a rate", parse_rate) / 8;
    };
    preset.rates = {.committed = rate("committed"),
                    .peak = rate("peak"),
                    .committed_burst = object.number("committed_burst", 1, kMost),
                    .peak_burst = object.number("peak_burst", 1, kMost)};
    preset.pipe = read_pipe(object);
    setup_.meters.push_back(std::move(preset));
  }

  void read_set_value(const JsonValue& value, const JsonLocation& place) {
    const ObjectReader object(value, place, {"set", "value", "mask", "pipe"});
    const auto& set = named_in(program_.value_sets(), object, "set", "the name of a value set");
    PresetValue preset{.place = place, .set = &set};
    preset.value = read_value(object.required("value"), set.bits, place.member("value"));
    preset.mask = p4::mask_of(set.bits);
    if (const auto* mask = object.optional("mask")) preset.mask = read_value(*mask, set.bits, place.member("mask"));
    preset.pipe = read_pipe(object);
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
    const ObjectReader object(value, place, {"name", "port", "time", "headers", "payload"});
    SentPacket packet;
    if (const auto* name = object.optional("name")) packet.name = require_string(*name, place.member("name"), "a text");
    packet.port = static_cast<unsigned>(object.number("port", 0, setup_.options.ports - 1));
    if (const auto* time = object.optional("time")) packet.time = read_time(*time, place.member("time"));
    read_headers(object, packet);
    if (const auto* payload = object.optional("payload")) read_payload(*payload, place.member("payload"), packet);
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
