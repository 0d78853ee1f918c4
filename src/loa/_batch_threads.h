// The rows of a batch shared out among threads.

#pragma once

#include <cstddef>
#include <thread>
#include <vector>

namespace loa {

// Calls function(work, first, last) for ranges that make up the rows 0 to `count`, in so many
// threads, this one being the first. Threads live as long as the call: none is left over when a
// process forks or ends.
inline void share_rows(void (*function)(void*, std::ptrdiff_t, std::ptrdiff_t), void* work,
                       std::ptrdiff_t count, std::ptrdiff_t threads) noexcept {
    const std::ptrdiff_t share = count / threads, rest = count % threads;
    std::ptrdiff_t last = share + (rest != 0);
    const std::ptrdiff_t own_last = last;
    std::vector<std::thread> others;
    try {
        for (std::ptrdiff_t index = 1; index < threads; ++index) {
            const std::ptrdiff_t first = last, next = first + share + (index < rest);
            others.emplace_back(function, work, first, next);
            last = next;
        }
    } catch (...) {
        // No more threads, or no memory for them: the rest is done here.
        function(work, last, count);
    }
    function(work, 0, own_last);
    for (std::thread& other : others) other.join();
}

}  // namespace loa
