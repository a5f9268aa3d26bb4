#include "pruning/npy.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim::pruning {
namespace {

using stcsim::test::message_of;
using stcsim::test::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A file as NumPy writes it, byte by byte: magic, version, length, header, data.
std::string file_text(int major, const std::string& header, const std::string& data) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(major);
  text += '\0';
  text += static_cast<char>(header.size());
  text += '\0';
  if (major > 1) text.append(2, '\0');
  return text + header + data;
}

std::string header_of(const std::string& type, const std::string& order, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }   \n";
}

/// 1.0, 2.0, -0.5, 0.25, 3.0, -4.0
const std::string kSix("\0\0\x80\x3f\0\0\0\x40\0\0\0\xbf\0\0\x80\x3e\0\0\x40\x40\0\0\x80\xc0", 24);

class NpyTest : public ::testing::Test {
 protected:
  Tensor read(const std::string& text) {
    write_file_atomically(directory_ / "x.npy", text);
    return read_npy(directory_ / "x.npy");
  }
  std::string refusal(const std::string& text) {
    const std::string message = message_of<ConfigError>([&] { static_cast<void>(read(text)); });
    const std::string head = (directory_ / "x.npy").string() + ": error: ";
    EXPECT_EQ(message.substr(0, head.size()), head);
    return message;
  }

  TemporaryDirectory directory_;
};

TEST_F(NpyTest, ReadsBothVersions) {
  for (const int major : {1, 2}) {
    const Tensor tensor = read(file_text(major, header_of("<f4", "False", "(2, 3)"), kSix));
    EXPECT_THAT(tensor.shape, ElementsAre(2, 3));
    EXPECT_THAT(tensor.values, ElementsAre(1, 2, -0.5F, 0.25F, 3, -4));
  }
}

TEST_F(NpyTest, ReadsOneAxis) {
  EXPECT_THAT(read(file_text(1, header_of("<f4", "False", "(6,)"), kSix)).shape, ElementsAre(6));
}

TEST_F(NpyTest, ReadsFortranOrder) {
  const Tensor matrix = read(file_text(1, header_of("<f4", "True", "(2, 3)"), kSix));
  EXPECT_THAT(matrix.values, ElementsAre(1, -0.5F, 3, 2, 0.25F, -4));
  const Tensor cube = read(file_text(1, header_of("<f4", "True", "(1, 3, 2)"), kSix));
  EXPECT_THAT(cube.values, ElementsAre(1, 0.25F, 2, 3, -0.5F, -4));
}

TEST_F(NpyTest, ReadsHalves) {
  // 1, -2, the largest, the smallest subnormal
  const std::string halves("\x00\x3c\x00\xc0\xff\x7b\x01\x00", 8);
  const Tensor tensor = read(file_text(1, header_of("<f2", "False", "(4,)"), halves));
  EXPECT_THAT(tensor.values, ElementsAre(1, -2, 65504, 0x1p-24F));
}

TEST_F(NpyTest, AcceptsKeysInAnyOrder) {
  const std::string header = "{\"shape\": (6,), 'descr': '<f4', 'fortran_order': False}\n";
  EXPECT_THAT(read(file_text(1, header, kSix)).shape, ElementsAre(6));
}

TEST_F(NpyTest, RefusesWhatIsNoNumPyFile) {
  EXPECT_THAT(refusal(""), HasSubstr("not a NumPy file"));
  EXPECT_THAT(refusal("scheme: asp and so on"), HasSubstr("not a NumPy file"));
  EXPECT_THAT(refusal(file_text(3, header_of("<f4", "False", "(6,)"), kSix)),
              HasSubstr("version 3.0, must be 1.0 or 2.0"));
  EXPECT_THAT(refusal(file_text(1, header_of("<f4", "False", "(6,)"), "").substr(0, 40)),
              HasSubstr("ends within its NumPy header"));
}

TEST_F(NpyTest, RefusesOtherTypes) {
  for (const std::string type : {"<f8", ">f4", "<i4", "|u1", "<c8"}) {
    EXPECT_THAT(refusal(file_text(1, header_of(type, "False", "(6,)"), kSix)),
                HasSubstr("'" + type + "', must be '<f4' (fp32) or '<f2' (fp16)"));
  }
}

TEST_F(NpyTest, RefusesAShapeThatIsNotTheDatas) {
  EXPECT_THAT(refusal(file_text(1, header_of("<f4", "False", "(7,)"), kSix)),
              HasSubstr("has 24 bytes of data, its shape 7 of '<f4' asks for 28"));
  EXPECT_THAT(refusal(file_text(1, header_of("<f4", "False", "(5,)"), kSix)), HasSubstr("for 20"));
  EXPECT_THAT(refusal(file_text(1, header_of("<f4", "False", "()"), kSix.substr(0, 4))),
              HasSubstr("no axis"));
  EXPECT_THAT(refusal(file_text(1, header_of("<f4", "False", "(3, 0)"), "")),
              HasSubstr("3x0, every axis needs at least one element"));
  EXPECT_THAT(refusal(file_text(
                  1, header_of("<f4", "False", "(9000000000000000000, 4, 9000000000)"), kSix)),
              HasSubstr("more than any file has"));
}

TEST_F(NpyTest, RefusesADamagedHeader) {
  const auto damaged = [&](const std::string& header) {
    return refusal(file_text(1, header, kSix));
  };
  EXPECT_THAT(damaged("'descr'\n"), HasSubstr("'{' is missing"));
  EXPECT_THAT(damaged("{'descr': '<f4', 'shape': (6,)}\n"),
              HasSubstr("the key 'fortran_order' is missing"));
  EXPECT_THAT(damaged("{'descr': '<f4', 'descr': '<f4'}\n"), HasSubstr("there twice"));
  EXPECT_THAT(damaged("{'colour': '<f4'}\n"), HasSubstr("unknown key 'colour'"));
  EXPECT_THAT(damaged("{'fortran_order': Perhaps}\n"), HasSubstr("neither True nor False"));
  EXPECT_THAT(damaged("{'shape': (-6,)}\n"), HasSubstr("no extent"));
  EXPECT_THAT(damaged("{'shape': (6}\n"), HasSubstr("',' is missing"));
  EXPECT_THAT(damaged("{'descr': '<f4}\n"), HasSubstr("does not end"));
  EXPECT_THAT(damaged(header_of("<f4", "False", "(6,)") + "x"),
              HasSubstr("follows the closing brace"));
}

TEST_F(NpyTest, SurvivesEveryTruncationAndAByteChangedAnywhere) {
  const std::string whole = file_text(1, header_of("<f4", "False", "(6,)"), kSix);
  for (std::size_t length = 0; length < whole.size(); ++length) refusal(whole.substr(0, length));
  for (std::size_t at = 0; at + kSix.size() < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = '~';
    write_file_atomically(directory_ / "x.npy", changed);
    try {
      static_cast<void>(read_npy(directory_ / "x.npy"));
    } catch (const ConfigError&) {
      continue;  // anything else fails the test
    }
  }
}

TEST_F(NpyTest, NamesFilesThatCannotBeRead) {
  EXPECT_THAT(
      message_of<ConfigError>([&] { static_cast<void>(read_npy(directory_ / "none.npy")); }),
      HasSubstr("none.npy: error: cannot be read: No such file"));
  EXPECT_THAT(message_of<ConfigError>([&] { static_cast<void>(read_npy(directory_.path())); }),
              HasSubstr("is a directory"));
}

TEST_F(NpyTest, WritesWhatItReads) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{6}, {2, 3}, {1, 1, 6, 1}}) {
    const std::vector<float> values{1, 2, -0.5F, 0.25F, 3, -4};
    const std::string text = npy_text(shape, std::span<const float>(values));
    EXPECT_EQ(text.find('\n') % 64, 63U);  // data are aligned
    const Tensor tensor = read(text);
    EXPECT_EQ(tensor.shape, shape);
    EXPECT_EQ(tensor.values, values);
  }
}

TEST_F(NpyTest, WritesWholeNumbers) {
  const std::vector<std::uint32_t> words{1, 0x80000000};
  const std::string text = npy_text({2}, std::span<const std::uint32_t>(words));
  EXPECT_THAT(text, HasSubstr("{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }"));
  EXPECT_EQ(text.substr(text.size() - 8), std::string("\1\0\0\0\0\0\0\x80", 8));
  const std::vector<std::int64_t> order{-2};
  const std::string signed_text = npy_text({1}, std::span<const std::int64_t>(order));
  EXPECT_THAT(signed_text, HasSubstr("'<i8'"));
  EXPECT_EQ(signed_text.substr(signed_text.size() - 8), "\xfe\xff\xff\xff\xff\xff\xff\xff");
}

/// The definition: (-1)^s 2^(e-15) 1.f, or (-1)^s 2^-14 0.f for e = 0.
TEST(Half, EveryNumberIsWhatTheStandardSays) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const int exponent = static_cast<int>(bits >> 10 & 0x1f);
    const double fraction = static_cast<double>(bits & 0x3ff) / 1024;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    const float value = half_to_float(static_cast<std::uint16_t>(bits));
    if (exponent == 31) {
      EXPECT_EQ(std::isnan(value), fraction != 0);
      EXPECT_EQ(std::isinf(value), fraction == 0);
    } else {
      EXPECT_EQ(value, sign * (exponent == 0 ? std::ldexp(fraction, -14)
                                             : std::ldexp(1 + fraction, exponent - 15)));
    }
    EXPECT_EQ(std::signbit(value), sign < 0);
  }
}

}  // namespace
}  // namespace stcsim::pruning
