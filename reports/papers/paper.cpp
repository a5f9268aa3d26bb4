#include "reports/papers/paper.hpp"

namespace stcsim {
namespace {

struct QuantityOf {
  PaperQuantity operator()(const std::monostate& /*none*/) const { return {}; }
  template <class Row>
  PaperQuantity operator()(const Row& row) const {
    return quantity_of(row);
  }
};

}  // namespace

PaperQuantity quantity_of(const PaperRow& row) {
  return std::visit(QuantityOf{}, row.experiment);
}

std::string published_text(const PaperRow& row) {
  if (!row.published) return "";
  return format_range(quantity_of(row).unit, row.published->least, row.published->most);
}

}  // namespace stcsim
