// The type of the dependency graph (Boost.Graph), apart from dependency.hpp because every file that knows a pipeline
// would otherwise compile Boost.Graph, which takes longer than all the rest of it.
#pragma once

#include <boost/graph/adjacency_list.hpp>

#include "p4model/fit/dependency.hpp"

namespace racksim::p4 {

class DependencyGraph
    : public boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, ProgramNode, Dependency> {};

}  // namespace racksim::p4
