#include "cli/base/option.hpp"

#include <sstream>

#include <boost/program_options/value_semantic.hpp>
#include <fmt/format.h>

namespace stcsim {

std::string Option::spelled() const {
  const bool is_plain = *name >= 'A' && *name <= 'Z';
  return is_plain ? name : "--" + std::string(name);
}

std::vector<std::string> Option::words() const {
  std::vector<std::string> all;
  std::istringstream text(value);
  for (std::string word; std::getline(text, word, '|');) all.push_back(word);
  return all;
}

boost::program_options::options_description described(const Options& options) {
  namespace po = boost::program_options;
  po::options_description all("Options");
  for (const Option& option : options) {
    const std::string letter = option.letter == 0 ? "" : fmt::format(",{}", option.letter);
    const std::string name = option.name + letter;
    const std::string help = fmt::format(fmt::runtime(option.help), option.example);
    if (*option.value == 0) {
      all.add_options()(name.c_str(), help.c_str());
    } else if (option.repeats) {
      auto* const values = po::value<std::vector<std::string>>()->composing();
      all.add_options()(name.c_str(), values->value_name(option.value), help.c_str());
    } else {
      auto* const value = po::value<std::string>();
      all.add_options()(name.c_str(), value->value_name(option.value), help.c_str());
    }
  }
  return all;
}

}  // namespace stcsim
