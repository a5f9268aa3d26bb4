#pragma once

#include <string>
#include <vector>

namespace stcsim {

/// In MiB, of the largest process that this one has started and waited for, directly or not.
[[nodiscard]] double peak_mib_of_children();

/// `stcsim run` of networks on the A100, dense and asp.
void run_networks(const std::string& networks, const std::string& framework);

/// A step of 70 billion parameters takes a worker less than 200 MiB.
void expect_small_worker(const std::string& framework);

/// A step of each of these networks takes a worker less than 300 MiB.
void expect_small_workers_of(const std::vector<std::string>& networks);

}  // namespace stcsim
