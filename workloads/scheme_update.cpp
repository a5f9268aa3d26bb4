#include "workloads/scheme_update.hpp"

#include <algorithm>

namespace stcsim {
namespace {

bool launched_alike(const std::vector<StreamKernel>& dense, const std::vector<StreamKernel>& own) {
  return std::equal(dense.begin(), dense.end(), own.begin(), own.end(),
                    [](const StreamKernel& one, const StreamKernel& other) {
                      return one.name == other.name && one.launches == other.launches;
                    });
}

/// Every launch of the kernels of that name.
std::vector<StreamWork> launches_of(const std::vector<StreamKernel>& kernels,
                                    const std::string& name) {
  std::vector<StreamWork> launches;
  for (const StreamKernel& kernel : kernels) {
    if (kernel.name != name) continue;
    launches.insert(launches.end(), static_cast<std::size_t>(kernel.launches), kernel.work);
  }
  return launches;
}

void add_share(StreamWork& work, const StreamWork& added, std::int64_t launches) {
  work.read_bytes += added.read_bytes / launches;
  work.write_bytes += added.write_bytes / launches;
  work.vector_ops += added.vector_ops / launches;
}

}  // namespace

bool shares_update_of_weights(const Network& network, const Framework& framework) {
  const std::vector<StreamKernel> kernels = optimizer_kernels(network, framework);
  return std::any_of(kernels.begin(), kernels.end(),
                     [](const StreamKernel& one) { return one.writes == Tensor::weight; });
}

std::vector<UpdateRow> update_rows(const Network& network, const Framework& framework,
                                   const SchemeUpdate& update) {
  const std::vector<StreamKernel> dense = optimizer_kernels(network, framework);
  std::vector<StreamKernel> own = optimizer_kernels(network, framework, update.kept);
  for (StreamKernel& kernel : own) {
    if (kernel.writes == Tensor::weight) add_share(kernel.work, update.added, kernel.launches);
  }
  const bool alike = launched_alike(dense, own);
  std::vector<UpdateRow> rows;
  for (std::size_t at = 0; at < dense.size(); ++at) {
    UpdateRow row{dense[at], {dense[at].work}, {}};
    if (alike) {
      row.own = {own[at].work};
    } else if (!rows.empty() && rows.back().kernel.name == dense[at].name) {
      continue;
    } else {
      row.kernel.launches = 1;
      row.dense = launches_of(dense, dense[at].name);
      row.own = launches_of(own, dense[at].name);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace stcsim
