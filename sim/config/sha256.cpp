#include "sim/config/sha256.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

namespace stcsim {
namespace {

using Word = std::uint32_t;
using State = std::array<Word, 8>;

constexpr std::size_t kBlockBytes = 64;

/// Fractional parts of the square roots of the first 8 primes (section 5.3.3).
constexpr State kInitial{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/// Fractional parts of the cube roots of the first 64 primes (section 4.2.2).
constexpr std::array<Word, 64> kRound{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

Word small_sigma(Word x, int a, int b, int shift) {
  return std::rotr(x, a) ^ std::rotr(x, b) ^ (x >> shift);
}

Word big_sigma(Word x, int a, int b, int c) {
  return std::rotr(x, a) ^ std::rotr(x, b) ^ std::rotr(x, c);
}

/// The message schedule W of one 64-byte block (section 6.2.2, step 1).
std::array<Word, 64> schedule_of(std::string_view block) {
  std::array<Word, 64> w{};
  for (std::size_t i = 0; i < kBlockBytes; ++i) {
    w[i / 4] = (w[i / 4] << 8U) | static_cast<unsigned char>(block[i]);
  }
  for (std::size_t t = 16; t < w.size(); ++t) {
    w[t] =
        small_sigma(w[t - 2], 17, 19, 10) + w[t - 7] + small_sigma(w[t - 15], 7, 18, 3) + w[t - 16];
  }
  return w;
}

/// Section 6.2.2, steps 2 to 4.
void compress(State& state, std::string_view block) {
  const std::array<Word, 64> w = schedule_of(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < w.size(); ++t) {
    const Word choose = (e & f) ^ (~e & g);
    const Word majority = (a & b) ^ (a & c) ^ (b & c);
    const Word first = h + big_sigma(e, 6, 11, 25) + choose + kRound[t] + w[t];
    const Word second = big_sigma(a, 2, 13, 22) + majority;
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const State change{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += change[i];
}

/// What follows the last whole block: its bytes, a 1 bit, zeros, the length in bits
/// (section 5.1.1).
std::string padded_tail(std::string_view bytes) {
  std::string tail(bytes.substr(bytes.size() / kBlockBytes * kBlockBytes));
  tail.push_back(static_cast<char>(0x80));
  while (tail.size() % kBlockBytes != kBlockBytes - 8) tail.push_back('\0');
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) tail.push_back(static_cast<char>(bits >> shift));
  return tail;
}

void compress_all(State& state, std::string_view blocks) {
  for (std::size_t at = 0; at + kBlockBytes <= blocks.size(); at += kBlockBytes) {
    compress(state, blocks.substr(at, kBlockBytes));
  }
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  State state = kInitial;
  compress_all(state, bytes);
  compress_all(state, padded_tail(bytes));
  std::string hex;
  for (const Word word : state) hex += fmt::format("{:08x}", word);
  return hex;
}

}  // namespace stcsim
