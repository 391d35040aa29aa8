#pragma once
#include <optional>

#include "reading/machine/machine.h"

/// Models of Python's own functions and library, split over several files.
namespace cutelab::reading::machine::python_models {
using Answer = std::optional<Value>;

Answer first_argument(Call& call);
Answer smallest(Call& call);  ///< min
Answer largest(Call& call);   ///< max
Answer ordered(Call& call);   ///< sorted
Answer prod(Call& call);
Answer to_dict(Call& call);  ///< dict()
/// str.find, str.count with where to begin and end, str.replace with how often.
Answer find_within(Call& call);
Answer count_within(Call& call);
Answer affix_within(Call& call, bool begin);  ///< startswith, endswith
Answer replace_some(Call& call);
Answer answer_nothing(Call& call);
Answer globals_of_module(Call& call);  ///< vars(), locals() where no function is around the call

/// Counter.update, Counter.subtract
template <bool more>
Answer count_more(Call& call);
std::string_view name_of_form(Dict::Form form);

void add_collections(Natives& natives);     ///< namedtuple, defaultdict, Counter, deque, OrderedDict
void add_deques(Natives& natives);          ///< collections.deque
void add_set_methods(Natives& natives);     ///< set.union, issubset …
void add_python_version(Natives& natives);  ///< sys.version_info
void add_choices(Natives& natives);         ///< combinations, permutations
void add_combinations(Natives& natives);    ///< the rest of itertools
void add_operators(Natives& natives);       ///< operator
void add_mathematics(Natives& natives);     ///< the rest of math
void add_more_texts(Natives& natives);      ///< str.rfind, partition, zfill …
void add_records(Natives& natives);         ///< dataclasses.asdict, astuple …
void add_type_questions(Natives& natives);  ///< isinstance, type, getattr …
void add_iteration(Natives& natives);       ///< iter, next, zip, map, enumerate, itertools …
void add_numbers(Natives& natives);         ///< int, float, abs, round, math
void add_library(Natives& natives);         ///< math, functools, operator, itertools, dataclasses, enum …
void add_introspection(Natives& natives);   ///< inspect.signature, dataclasses.make_dataclass, fields …
void add_text_methods(Natives& natives);
void add_container_methods(Natives& natives);
void add_contexts(Natives& natives);      ///< contextlib, threading.Thread
void add_copies(Natives& natives);        ///< copy
void add_surroundings(Natives& natives);  ///< os.environ, sys.argv, sys.modules, os._exit, unittest.mock
void add_files(Natives& natives);         ///< pathlib, os.path, importlib.util

}  // namespace cutelab::reading::machine::python_models
