#pragma once

/// Before a function whose loops the compiler vectorises: also build it for AVX2 and choose when
/// the program starts. Both versions round alike, so results are the same on every computer. Left
/// out where the compiler, the C library or a sanitizer does not support it.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define STCSIM_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define STCSIM_CLONES
#endif
