// Which part a function belongs to, by its symbol: as gcc and clang write them, and for all classes of the tree.
#include "tools/profile/program_parts.hpp"

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "tests/places.hpp"

namespace program_parts_test {

using namespace racksim::tools;

TEST_CASE("A function belongs to the part of its class, a protocol's to the protocol") {
  CHECK(part_of_symbol("_ZN7racksim6models4Wire8transmitEONS_2p49PacketRefENS_3sim4TimeE") == Part::network);
  CHECK(part_of_symbol("_ZNK7racksim6models13SwitchChassis4nameEv") == Part::network_switch);
  CHECK(part_of_symbol("_ZN7racksim6models4Core3runEv") == Part::hosts);
  CHECK(part_of_symbol("_ZN7racksim6models6Memory4readEv") == Part::hosts);
  CHECK(part_of_symbol("_ZN7racksim6models13MemoryService4readEv") == Part::workload);
  CHECK(part_of_symbol("_ZN7racksim6models10CostOracle7observeERKNS_3sim11ObservationE") == Part::oracles);
  CHECK(part_of_symbol("_ZN7racksim3sim8checkers15HistoryRecorder7observeERKNS0_11ObservationE") == Part::oracles);
  CHECK(part_of_symbol("_ZN7racksim2p48Pipeline7ingressERNS0_6PacketE") == Part::passes);
  CHECK(part_of_symbol("_ZN7racksim3gam4Home6handleEv") == Part::protocol);
  CHECK(part_of_symbol("_ZN7racksim3sim8Calendar7run_oneENS0_4TimeE") == Part::kernel);
}

TEST_CASE("A template, a lambda, a cold part and an anonymous namespace change nothing") {
  CHECK(part_of_symbol("_ZN7racksim10line_cache11CachingNodeINS_13rpc_directory10CacheTypesEE4lockEv.actor") ==
        Part::protocol);
  CHECK(part_of_symbol("_ZZN7racksim6models3Nic4sendEvENKUlvE_clEv") == Part::network);
  CHECK(part_of_symbol("_ZN7racksim6models4Wire6arriveEPNS_2p46PacketENS_3sim4TimeE.cold") == Part::network);
  CHECK(part_of_symbol("_ZN7racksim2p412_GLOBAL__N_17ingressERNS0_8PipelineERNS0_6PacketE") == Part::passes);
}

TEST_CASE("An event belongs to whom it is handed, a stored lambda to whom it was written for") {
  CHECK(part_of_symbol("_ZN7racksim3sim8Calendar6invokeIXadL_ZNS_6models4Wire6arriveEPNS_2p46PacketENS0_4TimeEEES4_"
                       "JS7_S8_EEEvPvSt5arrayImLm2EE") == Part::network);
  CHECK(part_of_symbol("_ZN7racksim3sim8Calendar6invokeIXadL_ZNS_3gam10Allocation15tell_statisticsEvEES4_JEEEvPvSt5"
                       "arrayImLm2EE") == Part::protocol);
  CHECK(part_of_symbol("_ZNSt17_Function_handlerIFN7racksim3sim4TaskIvEEtEZNS0_3gam8Recovery10bring_backEvEUltE_E9_M_"
                       "invokeERKSt9_Any_dataOt") == Part::protocol);
}

TEST_CASE("What everybody uses belongs to its callers") {
  for (const char* symbol :
       {"_ZNSt6vectorIN7racksim6models4WireESaIS2_EE9push_backEOS2_", "_ZN7racksim3sim12RandomStream5belowEm",
        "_ZN7racksim2p410PacketPool4makeEv", "_ZN3fmt2v96detail3fooEv", "malloc", "_Z", "_ZN7racksim", "",
        "_ZN7racksim3sim8Calendar6invokeIXadL_ZNS0_5Sleep6expireEvEES3_JEEEvPvSt5arrayImLm2EE"}) {
    INFO(symbol);
    CHECK_FALSE(part_of_symbol(symbol));
  }
}

TEST_CASE("Every class of NICs, wires, switches and workloads is told from those of hosts") {
  const std::map<std::string, Part> rooms{{"models/nic", Part::network},
                                          {"models/wire", Part::network},
                                          {"models/switch", Part::network_switch},
                                          {"models/workloads", Part::workload}};
  const std::regex declared(R"(^class (?:alignas\(\d+\) )?(\w+))"),
      interface("\\w+(Listener|Handler|Observer|Sink|Program)");
  for (const auto& [room, part] : rooms) {
    for (const auto& file : std::filesystem::directory_iterator(racksim::places::source_folder() + '/' + room)) {
      if (file.path().extension() != ".hpp") continue;
      std::ifstream text(file.path());
      std::smatch match;
      for (std::string line; std::getline(text, line);) {
        if (!std::regex_search(line, match, declared) || line.ends_with(';')) continue;
        const std::string name = match[1];
        if (std::regex_match(name, interface)) continue;  // and an exception: no code of their own
        INFO(file.path() << ": " << name);
        const auto found = part_of_symbol(fmt::format("_ZN7racksim6models{}{}3runEv", name.size(), name));
        CHECK(found == (name.ends_with("Oracle") ? Part::oracles : part));
      }
    }
  }
}

TEST_CASE("The functions of a program are found by their addresses") {
  const ProgramParts parts;
  CHECK(parts.at(reinterpret_cast<std::uintptr_t>(&part_of_symbol)) == Part::other);  // of tools/
  CHECK_FALSE(parts.at(0));
  CHECK_FALSE(parts.at(~std::uintptr_t{0}));
}

}  // namespace program_parts_test
