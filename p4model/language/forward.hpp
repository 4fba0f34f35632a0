// The names of a program's parts, for headers that point at them: most sources do not need to know what is in them.
#pragma once

namespace racksim::p4 {

class Block;
class Program;
struct Action;
struct ParserState;
struct RegisterAction;
struct RegisterArray;
struct Table;
struct ValueSet;

}  // namespace racksim::p4
