#pragma once
#include <optional>
#include <string>

#include "reading/models/arguments.h"

/// argparse's parsers, their arguments and what they parse, as Records under Python's own names.
/// "ArgumentParser", a parser or a group: _actions, a list of Records "argument"; _defaults, a dict; a group
/// shares both with its parser. `_exclusive`: the groups of a parser that exclude one another; of such a
/// group
/// `_group_actions`.
/// "argument": option_strings, dest, default, type, choices, nargs, const, required, action; of
/// add_subparsers() also parsers, a list of (name, parser).
/// "Namespace": what was parsed; also types.SimpleNamespace.
namespace cutelab::reading::machine::argparse_models {

bool is_suppressed(const Value& value);  ///< argparse.SUPPRESS
/// "--mma-tiler" -> "mma_tiler".
std::string destination(std::string_view flag, std::string_view prefixes = "-");
bool is_positional(Machine& machine, const Record* argument);
/// The parser's and its groups' arguments, in the order in which they were added.
const List* arguments_of(Machine& machine, const Record* parser);

std::optional<Value> parse_args(Call& call);
std::optional<Value> parse_known_args(Call& call);
std::optional<Value> parse_intermixed_args(Call& call);

}  // namespace cutelab::reading::machine::argparse_models
