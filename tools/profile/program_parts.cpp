// Symbols and their parts. See program_parts.hpp.
#include "tools/profile/program_parts.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>

extern "C" const char __ehdr_start;  // NOLINT(bugprone-reserved-identifier): where the linker says the program begins

namespace racksim::tools {

namespace {

/// Cuts the beginning off a text if it is there.
bool cut(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

/// Cuts off a name ("3Nic"); empty if there is none. Anonymous namespaces are passed over.
std::string_view cut_name(std::string_view& text) {
  for (;;) {
    std::size_t digits = 0, length = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9')
      length = 10 * length + (text[digits++] - '0');
    if (length == 0 || digits + length > text.size()) return {};
    const auto name = text.substr(digits, length);
    text.remove_prefix(digits + length);
    if (name != "_GLOBAL__N_1") return name;
  }
}

/// Cuts off what a nested name begins with, up to "racksim", which may be an abbreviation.
bool cut_project(std::string_view& text) {
  while (cut(text, "Z")) {  // a local function's
  }
  if (!cut(text, "N")) return false;
  cut(text, "K");
  if (cut(text, "7racksim")) return true;
  const auto end = text.starts_with('S') ? text.find('_') : std::string_view::npos;
  if (end > 2) return false;
  text.remove_prefix(end + 1);
  return true;
}

bool begins(std::string_view name, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](auto beginning) { return name.starts_with(beginning); });
}

/// Of the models by the class, or the free function.
Part part_of_model(std::string_view name) {
  if (begins(name, {"Completion", "Datagram", "Destination", "DmaWrites", "Nic", "PayloadSource", "PacketAccounting",
                    "PacketMatch", "PacketSlots", "QueuePair", "Rc", "Receive", "ReliableConnection", "Rpc",
                    "TargetedFault", "Wire"})) {
    return Part::network;
  }
  if (begins(name,
             {"Control", "Digest", "EgressEnd", "EntryTimeouts", "HeldPackets", "Idle", "IngressEnd", "PacketGenerator",
              "PipeState", "SlotAccess", "SteppedPasses", "Switch", "TrafficManager", "UnseenPackets"})) {
    return Part::network_switch;
  }
  if (begins(name, {"AccessStates", "AllocationOptions", "Answer", "Block", "ClientRoute", "Distribution", "ItemPart",
                    "ItemSizes", "Key", "Litmus", "Memory", "Micro", "OpenNodes", "OperationSet", "Service", "Session",
                    "Trace", "Workload", "WorkShare"}) &&
      name != "Memory") {
    return Part::workload;
  }
  return Part::hosts;
}

std::optional<Part> part_of(std::string_view space, std::string_view name) {
  if (space == "checkers" || name.ends_with("Oracle")) return Part::oracles;
  if (space == "sim") {
    if (name == "checkers") return Part::oracles;
    if (name == "Calendar" || name == "Engine") return Part::kernel;
    return name == "EventLog" ? std::optional(Part::hash) : std::nullopt;
  }
  if (space == "p4") {
    if (begins(name, {"Packet", "Content", "make_", "clone_"})) return {};
    return Part::passes;
  }
  if (space == "models") return part_of_model(name);
  if (space == "tools") return name.ends_with("Driver") ? Part::kernel : Part::other;
  return Part::protocol;
}

template <class Record>
std::vector<Record> records(std::istream& file, std::uint64_t offset, std::size_t bytes) {
  std::vector<Record> all(bytes / sizeof(Record));
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(all.size() * sizeof(Record)));
  if (!file) throw std::runtime_error("this program's own file cannot be read");
  return all;
}

}  // namespace

std::string_view to_string(Part part) {
  constexpr std::array<std::string_view, kParts> names{"start",   "warm-up", "kernel",   "passes",   "switch",
                                                       "network", "hosts",   "protocol", "workload", "oracles",
                                                       "hash",    "other",   "end",      "profile"};
  return names[static_cast<std::size_t>(part)];
}

std::optional<Part> part_of_symbol(std::string_view mangled) {
  if (!cut(mangled, "_Z")) return {};
  if (cut(mangled, "NSt17_Function_handler")) {  // of a lambda that is a part of it
    mangled.remove_prefix(std::min(mangled.find("EZN"), mangled.size()));
    cut(mangled, "E");
  }
  if (!cut_project(mangled)) return {};
  auto space = cut_name(mangled), name = cut_name(mangled);
  if (name == "Calendar" && cut(mangled, "6invokeIXadL_Z")) {  // an event's handler is a part of it
    if (!cut(mangled, "NS_")) return {};
    space = cut_name(mangled), name = cut_name(mangled);
  }
  if (space.empty()) return {};
  return part_of(space, name);
}

ProgramParts::ProgramParts() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const auto head = records<Elf64_Ehdr>(file, 0, sizeof(Elf64_Ehdr)).front();
  const auto sections = records<Elf64_Shdr>(file, head.e_shoff, head.e_shnum * sizeof(Elf64_Shdr));
  const auto base = head.e_type == ET_DYN ? reinterpret_cast<std::uintptr_t>(&__ehdr_start) : 0;
  for (const auto& section : sections) {
    if (section.sh_type != SHT_SYMTAB) continue;
    const auto& of_names = sections.at(section.sh_link);
    const auto names = records<char>(file, of_names.sh_offset, of_names.sh_size);
    for (const auto& symbol : records<Elf64_Sym>(file, section.sh_offset, section.sh_size)) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0) continue;
      const auto part = part_of_symbol(&names.at(symbol.st_name));
      if (!part) continue;
      const std::uintptr_t begin = base + symbol.st_value;
      functions_.push_back({begin, begin + symbol.st_size, *part});
    }
  }
  if (functions_.empty()) throw std::runtime_error("this program has no symbols to profile it by: it was stripped");
  std::sort(functions_.begin(), functions_.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
}

std::optional<Part> ProgramParts::at(std::uintptr_t address) const {
  const auto above = std::upper_bound(functions_.begin(), functions_.end(), address,
                                      [](std::uintptr_t at, const Function& function) { return at < function.begin; });
  if (above == functions_.begin() || address >= std::prev(above)->end) return {};
  return std::prev(above)->part;
}

}  // namespace racksim::tools
