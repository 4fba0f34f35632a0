// The notation of litmus tests: what it means, and what is refused where.
#include "models/workloads/litmus_program.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/options/option_error.hpp"

namespace litmus_program_test {

using namespace racksim;
using namespace racksim::models;
using sim::OperationKind;

namespace {

std::string refusal(const std::function<void()>& parse) {
  try {
    parse();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}
std::string refused(const std::string& program) {
  return refusal([&] { parse_litmus_program(program); });
}
std::string refused_outcome(const std::string& outcome) {
  const LitmusProgram program = parse_litmus_program("P0: x=1; r0=y | P1: y=1; y=2; r1=x; r2=faa(z,3)");
  return refusal([&] { parse_litmus_outcomes(outcome, program, "allowed"); });
}

}  // namespace

TEST_CASE("A program is sessions of operations, with homes and places where it names them") {
  const LitmusProgram program = parse_litmus_program(
      "{y@4; x@5} P0@2: x=1; fence; r0=y | P1@1/3: r7=cas(x,0,2); r8=cas( x , r7 , 3 ); r1=faa(counter_2, 10)|P2: y=2");
  REQUIRE(program.sessions.size() == 3);
  REQUIRE(program.objects.size() == 3);
  CHECK(program.objects[0].name == "y");
  CHECK(program.objects[0].home == 4);
  CHECK(program.objects[1].home == 5);
  CHECK(program.objects[2].name == "counter_2");
  CHECK(!program.objects[2].home);
  CHECK(program.sessions[0].name == "P0");
  CHECK(program.sessions[0].node == 2);
  CHECK(!program.sessions[0].thread);
  CHECK(program.sessions[1].node == 1);
  CHECK(program.sessions[1].thread == 3);
  CHECK(!program.sessions[2].node);
  const auto& first = program.sessions[0].operations;
  REQUIRE(first.size() == 3);
  CHECK(first[0].kind == OperationKind::write);
  CHECK(first[0].object == 1);
  CHECK(first[0].value == 1);
  CHECK(first[1].kind == OperationKind::fence);
  CHECK(first[2].kind == OperationKind::read);
  CHECK(first[2].object == 0);
  CHECK(first[2].into == 0);
  const auto& second = program.sessions[1].operations;
  REQUIRE(second.size() == 3);
  CHECK(second[0].kind == OperationKind::compare_and_swap);
  CHECK(!second[0].expected);
  CHECK(second[0].value == 2);
  CHECK(second[1].expected == 1);
  CHECK(second[1].into == 2);
  CHECK(second[2].kind == OperationKind::fetch_and_add);
  CHECK(second[2].value == 10);
  REQUIRE(program.registers.size() == 4);
  CHECK(program.registers[3].name == "r1");
  CHECK(program.registers[3].session == 1);
  CHECK(program.registers[3].object == 2);
  CHECK(program.operations() == OperationSet{OperationKind::read, OperationKind::write, OperationKind::fence,
                                             OperationKind::compare_and_swap, OperationKind::fetch_and_add});
}

TEST_CASE("A bad program is refused at its character, with what stands there and what was expected") {
  const std::string at = "program: found ";
  CHECK(refused("") == at + "its end at character 1, expected the session P0");
  CHECK(refused("P1: x=1") == at + "'P1' at character 1, expected the session P0");
  CHECK(refused("x=1") == at + "'x' at character 1, expected the session P0");
  CHECK(refused("P0 x=1") == at + "'x' at character 4, expected ':' before the operations of the session");
  CHECK(refused("P0:") == at + "its end at character 4, expected an operation: x=1, r0=x, r0=cas(x,0,1), r0=faa(x,1), "
                               "lock(x), rlock(x), unlock(x) or fence");
  CHECK_THAT(refused("P0: x=1;"), Catch::StartsWith(at + "its end at character 9, expected an operation"));
  CHECK_THAT(refused("P0: faa(x,1)"), Catch::StartsWith(at + "'faa' at character 5, expected an operation"));
  CHECK(refused("P0: x") == at + "'x' at character 5, expected an operation: x=1, r0=x, r0=cas(x,0,1), r0=faa(x,1), "
                                 "lock(x), rlock(x), unlock(x) or fence");
  CHECK(refused("P0: x=y") == at + "'y' at character 7, expected the number of a write, a whole number from 1 to 255");
  CHECK(refused("P0: x=0") == at + "'0' at character 7, expected the number of a write, a whole number from 1 to 255");
  CHECK(refused("P0: x=256") ==
        at + "'256' at character 7, expected the number of a write, a whole number from 1 to 255");
  CHECK_THAT(refused("P0: x=99999999999999999999999999"),
             Catch::StartsWith(at + "'99999999999999999999' at character 7, "));
  CHECK(refused("P0: x=1 | P1: x=1") == at + "'1' at character 17, expected a number that no other write of x has");
  CHECK(refused("P0: x=1 | P1: r1=cas(x,0,1)") ==
        at + "'1' at character 26, expected a number that no other write of x has");
  CHECK(refused("P0: r0=x | P1: r0=y") ==
        at + "'r0' at character 16, expected a register that is not set anywhere else");
  CHECK(refused("P0: r0=1") ==
        at + "'1' at character 8, expected an object to read, such as x, or cas(...) or faa(...)");
  CHECK_THAT(refused("P0: r0=r1"), Catch::StartsWith(at + "'r1' at character 8, expected an object to read"));
  CHECK(refused("P0: r0=cas x") == at + "'x' at character 12, expected '(' and the object");
  CHECK(refused("P0: r0=cas(r1,0,1)") == at + "'r1' at character 12, expected an object such as x");
  CHECK(refused("P0: r0=cas(x,1,2)") ==
        at + "'1' at character 14, expected 0 for the object's first value, or a register");
  CHECK(refused("P0: r0=y; r1=cas(x,r0,2)") ==
        at + "'r0' at character 20, expected a register that this session has read from the same object");
  CHECK(refused("P0: r0=x | P1: r1=cas(x,r0,2)") ==
        at + "'r0' at character 25, expected a register that this session has read from the same object");
  CHECK(refused("P0: r0=faa(x,200); r1=faa(x,56)") ==
        at + "'56' at character 29, expected what is added, a whole number from 1 to 55");
  CHECK(refused("P0: r0=faa(x,1") == at + "its end at character 15, expected ')' after faa");
  CHECK(refused("P0: x=1 P1: y=1") ==
        at + "'P1' at character 9, expected ';' and an operation, '|' and a session, or its end");
  CHECK(refused("{x} P0: x=1") == at + "'}' at character 3, expected '@' and the object's home");
  CHECK(refused("{x@1; x@2} P0: x=1") == at + "'x' at character 7, expected an object that has no home yet");
  CHECK(refused("{r0@1} P0: x=1") == at + "'r0' at character 2, expected an object such as x");
  CHECK(refused("{x@1 P0: x=1") == at + "'P0' at character 6, expected '}' after the homes of objects");
  CHECK(refused("{z@1} P0: x=1; fence") == at + "'z' at character 2, expected an object that the program uses");
  CHECK(refused("P0: r0=add(x,1)") == at + "'add' at character 8, expected cas(...) or faa(...)");
  CHECK(refused("P0@1024: x=1") == at + "'1024' at character 4, expected a node, a whole number from 0 to 1023");
  CHECK(refused("P0@1/64: x=1") == at + "'64' at character 6, expected a thread, a whole number from 0 to 63");
}

TEST_CASE("What is refused says what it reads as a name, and the names that could stand there") {
  using Names = std::vector<std::string>;
  const auto unknown_name = [](const std::function<void()>& parse) {
    try {
      parse();
    } catch (const sim::OptionError& error) {
      return error.unknown_name();
    }
    return sim::OptionError::UnknownName{};
  };
  const auto in_program = [&](const std::string& text) { return unknown_name([&] { parse_litmus_program(text); }); };
  CHECK(in_program("P0: x=1 | p1: y=1").word == "p1");
  CHECK(in_program("P0: x=1 | p1: y=1").names == Names{"P1"});
  CHECK(in_program("P0: x=1; fecne").word == "fecne");
  CHECK(in_program("P0: x=1; fecne").names == Names{"fence"});
  CHECK(in_program("P0: r0=ffa(x,1)").names == Names{"cas", "faa"});
  CHECK(in_program("{flga@1} P0: flag=1; r0=data").word == "flga");
  CHECK(in_program("{flga@1} P0: flag=1; r0=data").names == Names{"flag", "data"});
  const LitmusProgram program = parse_litmus_program("P0: x=1; r0=y | P1: y=1; r1=x");
  const auto in_outcome = unknown_name([&] { parse_litmus_outcomes("r0=1 & r2=0", program, "forbidden"); });
  CHECK(in_outcome.word == "r2");
  CHECK(in_outcome.names == Names{"r0", "r1"});
}

TEST_CASE("Sessions lock and unlock objects, and the session end reads when all others are over") {
  const LitmusProgram program =
      parse_litmus_program("P0: lock(x); x=1; unlock(x) | P1: rlock(x); r0=x; unlock(x); y=1 | end: r1=y");
  REQUIRE(program.sessions.size() == 3);
  CHECK(program.sessions[0].operations[0].kind == OperationKind::lock);
  CHECK(program.sessions[0].operations[2].kind == OperationKind::unlock);
  CHECK(program.sessions[1].operations[0].kind == OperationKind::lock_shared);
  CHECK(program.sessions[1].operations[0].object == program.sessions[0].operations[0].object);
  CHECK(!program.sessions[1].at_end);
  CHECK(program.sessions[2].at_end);
  CHECK(program.most_locks_held() == 1);
  CHECK(parse_litmus_program("P0: lock(x); rlock(y); unlock(x); lock(z); r0=z; unlock(z); unlock(y) | P1: lock(x); "
                             "x=1; unlock(x)")
            .most_locks_held() == 2);
  CHECK(parse_litmus_program("P0: x=1 | P1: r0=x").most_locks_held() == 0);
  CHECK(refused("P0: lock(x); x=1").find("; unlock(x)") != std::string::npos);
  CHECK(refused("P0: x=1; unlock(x)").find("that the session holds") != std::string::npos);
  CHECK(refused("P0: lock(x); rlock(x)").find("does not hold") != std::string::npos);
  CHECK(refused("P0: rlock(x); x=1; unlock(x)").find("no write under a shared lock") != std::string::npos);
  CHECK(refused("P0: x=1 | end: x=2").find("a read, as in the session end") != std::string::npos);
  CHECK(refused("P0: x=1 | end: r0=x | P1: r1=x").find("behind the session end") != std::string::npos);
}

TEST_CASE("Outcomes are conjunctions of what registers hold") {
  const LitmusProgram program = parse_litmus_program("P0: x=1; r0=y | P1: y=1; r1=x");
  const auto outcomes = parse_litmus_outcomes(" r1=0&r0=1 ; r0=0 ", program, "forbidden");
  REQUIRE(outcomes.size() == 2);
  CHECK(outcomes[0].text(program) == "r0=1 & r1=0");
  CHECK(outcomes[1].text(program) == "r0=0");
  CHECK(outcomes[0].holds({1, 0}));
  CHECK(!outcomes[0].holds({1, 1}));
  CHECK(outcomes[1].holds({0, 1}));
  CHECK(parse_litmus_outcomes("  ", program, "forbidden").empty());
}

TEST_CASE("A bad outcome is refused at its character") {
  const std::string at = "allowed: found ";
  CHECK(refused_outcome("r0=0 & r1=1; r2=27") == "accepted");
  CHECK(refused_outcome("x=1") == at + "'x' at character 1, expected a register of the program");
  CHECK(refused_outcome("r9=1") == at + "'r9' at character 1, expected a register of the program");
  CHECK(refused_outcome("r0 1") == at + "'1' at character 4, expected '=' and the register's value");
  CHECK(refused_outcome("r0=3") == at + "'3' at character 4, expected 0 or the number of a write of y");
  CHECK(refused_outcome("r1=2") == at + "'2' at character 4, expected 0 or the number of a write of x");
  CHECK(refused_outcome("r0=x") == at + "'x' at character 4, expected a value, a whole number from 0 to 510");
  CHECK(refused_outcome("r0=0 & r0=1") ==
        at + "'r0' at character 8, expected a register that this outcome has not named yet");
  CHECK(refused_outcome("r0=0;") == at + "its end at character 6, expected a register of the program");
  CHECK(refused_outcome("r0=0 r1=0") ==
        at + "'r1' at character 6, expected '&' and a register, ';' and an outcome, or its end");
}

TEST_CASE("a program is printed in one form, which reads back as the same program") {
  const auto printed = [](std::string_view text) { return parse_litmus_program(text).text(); };
  const std::string canonical =
      "{x@4; y@5} P0@0: x=1; r0=y; lock(z); r5=z; unlock(z) | P1@1/2: y=1; fence; r1=cas(y,0,3); r4=cas(y,r1,4) | "
      "P2: r2=faa(z,1); rlock(y); unlock(y) | end: r3=x";
  CHECK(printed(canonical) == canonical);
  std::string bare;
  for (const char c : canonical) {
    if (c != ' ') bare += c;
  }
  CHECK(printed(bare) == canonical);
  CHECK(printed("P0 : x = 001 ; r0 = x") == "P0: x=1; r0=x");
  CHECK(printed("P0@00/01: x=1; r0=x") == "P0@0/1: x=1; r0=x");
}

}  // namespace litmus_program_test
