#include "reports/validation/library_names.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

MachineConfig machine() {
  LibraryKernel dense;
  LibraryKernel sparse;
  sparse.kernel.sparse = true;
  MachineConfig machine;
  machine.libraries = {{"cublas", {dense}}, {"cusparselt", {sparse}}, {"spatha", {sparse, dense}}};
  return machine;
}

TEST(LibraryNames, AreFoundInTextWhateverTheirCase) {
  EXPECT_EQ(library_in("V:N:M Spatha; dense=cuBLAS", machine(), true), "spatha");
  EXPECT_EQ(library_in("cuSparseLt", machine(), true), "cusparselt");
}

TEST(LibraryNames, TheFirstNamedOneWithSuchKernelsIsTaken) {
  EXPECT_EQ(library_in("cuSPARSELt against Spatha", machine(), true), "cusparselt");
  EXPECT_EQ(library_in("cuSPARSELt against Spatha and cuBLAS", machine(), false), "spatha");
}

TEST(LibraryNames, NoneIsFoundInOtherText) {
  EXPECT_EQ(library_in("", machine(), true), "");
  EXPECT_EQ(library_in("cuBLAS", machine(), true), "");
}

TEST(LibraryNames, OnlyWhatTheMachineHasForSuchKernelsIsKnown) {
  EXPECT_EQ(library_if_known("cublas", machine(), false), "cublas");
  EXPECT_EQ(library_if_known("cublas", machine(), true), "");
  EXPECT_EQ(library_if_known("mkl", machine(), false), "");
}

}  // namespace
}  // namespace stcsim
