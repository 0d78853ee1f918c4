// The forms that kernels come in, of which each processor gets the fastest one it can run: what
// compilers have them, and how functions are compiled for other processors than their module.

#pragma once

// Vectors through the compiler's own extension. GCC has __builtin_shufflevector from version 12
// on; modules that older ones compile have the plain forms alone.
#if (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)) && \
    (defined(__x86_64__) || defined(__aarch64__))
#define LOA_HAS_VECTORS 1
#else
#define LOA_HAS_VECTORS 0
#endif
// MinGW's GCC does not align vectors of more than 16 bytes on the stack (GCC bug 54412).
#if LOA_HAS_VECTORS && defined(__x86_64__) && !defined(__MINGW32__)
#define LOA_HAS_X86 1
#include <immintrin.h>
#else
#define LOA_HAS_X86 0
#endif

// Functions between these two are compiled for instruction sets that have to be looked for at run
// time. GCC 12's own intrinsics set off the warnings (GCC bug 105593).
#define LOA_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define LOA_BEGIN_TARGET(features) \
    LOA_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define LOA_END_TARGET LOA_PRAGMA(clang attribute pop)
#else
#define LOA_BEGIN_TARGET(features)                          \
    LOA_PRAGMA(GCC diagnostic push)                         \
    LOA_PRAGMA(GCC diagnostic ignored "-Wmaybe-uninitialized") \
    LOA_PRAGMA(GCC diagnostic ignored "-Wuninitialized")    \
    LOA_PRAGMA(GCC push_options)                            \
    LOA_PRAGMA(GCC target(features))
#define LOA_END_TARGET \
    LOA_PRAGMA(GCC pop_options) \
    LOA_PRAGMA(GCC diagnostic pop)
#endif

namespace loa {

enum Form { PLAIN, VECTORS, AVX2, AVX512 };

}  // namespace loa
