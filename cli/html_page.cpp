#include "cli/html_page.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "cli/common_options.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/text_file.hpp"
#include "reports/page/page_document.hpp"

namespace stcsim {

void add_html_option(boost::program_options::options_description& options) {
  add_option(options, "html", "FILE", "also write a page of it, to open in a browser");
}

HtmlPage::HtmlPage(const Arguments& arguments, std::string who) : who_(std::move(who)) {
  if (!arguments.has("html")) return;
  shell_ = read_text_file(page_shell_file(), "the page's shell");
  file_.emplace(arguments.text("html"));
}

void HtmlPage::write(const std::function<std::string()>& json) {
  if (!file_) return;
  const auto shown = page_document(who_, parse_json(json(), who_));
  file_->write(page_html(shell_, who_, nlohmann::ordered_json::array({shown})));
  file_->commit();
}

}  // namespace stcsim
