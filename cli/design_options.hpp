#pragma once

#include <boost/program_options/options_description.hpp>

#include "cli/arguments.hpp"
#include "sim/design/design_question.hpp"

namespace stcsim {

/// --at-least, --max, --least, --against, --of, --slack and --exhaustive.
void add_question_options(boost::program_options::options_description& options);

/// What they ask. @throws ConfigError if they ask nothing, or what nobody can answer
[[nodiscard]] DesignQuestion question_of(const Arguments& arguments);

}  // namespace stcsim
