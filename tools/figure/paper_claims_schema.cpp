// The JSON Schemas of what paper_claims.cpp and figure_record.cpp read.
#include "tools/figure/claim_words.hpp"
#include "tools/figure/figure_record.hpp"
#include "tools/figure/paper_claims.hpp"
#include "tools/json/json_schema.hpp"

namespace racksim::tools {
namespace {

JsonValue required_member(const char* name) {
  return JsonValue::object({{"required", JsonValue::array({name})}});
}

}  // namespace

JsonValue paper_claims_schema() {
  auto claim = empty_object_schema();
  properties_of(claim).set(
      {{"id", name_schema("Begins with the paper's name.")},
       {"section", name_schema("Of the paper.")},
       {"basis", enum_schema(claim_bases(), "On what the claim rests.")},
       {"text", name_schema("The claim in words.")},
       {"expected", name_schema("The number or tendency that is expected.")},
       {"figure", name_schema("The figure file that judges it.")},
       {"tests", array_schema(type_schema("string"), 1, "Test cases with the claim's tag.")},
       {"words", words_schema()},
       {"not_modelled", name_schema("Why nothing tests the claim.")},
       {"off", name_schema("What is so instead; with tests.")},
       {"partly", name_schema("What figure and tests leave out.")},
       {"ambiguous", name_schema("What the paper leaves open.")},
       {"reason", name_schema("Why the figure's value is another or unclear, as far as that is known.")}});
  require_members(claim, {"id", "section", "basis", "text", "expected"});
  claim.set("anyOf",
            JsonValue::array({required_member("figure"), required_member("tests"), required_member("not_modelled")}));
  claim.set("dependentRequired", JsonValue::object({{"off", JsonValue::array({"tests"})},
                                                    {"words", JsonValue::array({"tests"})},
                                                    {"reason", JsonValue::array({"figure"})}}));
  claim.set("dependentSchemas",
            JsonValue::object(
                {{"not_modelled",
                  JsonValue::object(
                      {{"properties", JsonValue::object({{"off", false}, {"partly", false}, {"ambiguous", false}})},
                       {"additionalProperties", true}})}}));
  auto schema = empty_object_schema();
  properties_of(schema).set({{"version", const_schema(1)},
                             {"title", type_schema("string", "The paper.")},
                             {"claims", array_schema(std::move(claim))}});
  require_members(schema, {"version", "claims"});
  return file_schema("racksim list of claims", "A paper's claims, and where each is tested.", std::move(schema));
}

JsonValue record_schema() {
  const auto text = type_schema("string");
  auto claim = empty_object_schema();
  properties_of(claim).set({{"id", text},
                            {"paper", text},
                            {"simulated", text},
                            {"verdict", text},
                            {"met", type_schema("boolean")},
                            {"unclear", type_schema("boolean", "Neither met nor off: the verdict says why.")}});
  auto schema = empty_object_schema();
  properties_of(schema).set({{"version", const_schema(1)},
                             {"figure", type_schema("string", "As racksim list figures prints it.")},
                             {"repeats", repeats_schema()},
                             {"claims", array_schema(std::move(claim))},
                             {"run_hashes", array_schema(text, 0, "Of the points, in the figure's order.")}});
  require_members(schema, {"version", "claims", "run_hashes"});
  return file_schema("racksim record of claims",
                     "What a figure's claims came to when racksim figure NAME --record ran all its points.",
                     std::move(schema));
}

}  // namespace racksim::tools
