// The table dependency graph of a program (Boost.Graph): what must be in a later stage than what. It stands apart from
// dependency.hpp because every file that knows a pipeline would otherwise compile Boost.Graph, which takes longer than
// all the rest of it.
#pragma once

#include <boost/graph/adjacency_list.hpp>

#include "p4model/fit/dependency.hpp"

namespace racksim::p4 {

/// Vertices are numbered in program order, ingress first; edges go from earlier to later.
class DependencyGraph
    : public boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, ProgramNode, Dependency> {};

DependencyGraph dependency_graph(const Program& program);

}  // namespace racksim::p4
