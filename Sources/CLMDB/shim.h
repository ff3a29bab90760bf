#include <lmdb.h>
#include <pthread.h>

/// Asks the processor to load the cache line of an address, and does not wait for it. The address need not be mapped.
static inline void clmdb_prefetch(unsigned long address) {
    __builtin_prefetch((const void *)address);
}

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/// Whether the processor has an x86-64 instruction for CRC-32C. Always 0 on other kinds of processors.
static inline int clmdb_has_crc32c(void) {
#if defined(__x86_64__)
    unsigned a, b, c = 0, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2) != 0;
#else
    return 0;
#endif
}

#if defined(__x86_64__)
__attribute__((target("sse4.2")))
#endif
/// Computes CRC-32C (Castagnoli, as in RFC 3720) with the processor's instruction. MUST NOT be called if `clmdb_has_crc32c` returns 0.
static inline uint32_t clmdb_crc32c(const unsigned char *bytes, size_t count) {
#if defined(__x86_64__)
    uint64_t state = 0xFFFFFFFF;
    for (; count >= 8; bytes += 8, count -= 8) {
        uint64_t word;
        __builtin_memcpy(&word, bytes, 8);
        state = __builtin_ia32_crc32di(state, word);
    }
    for (; count > 0; bytes++, count--) state = __builtin_ia32_crc32qi((uint32_t)state, *bytes);
    return ~(uint32_t)state;
#else
    (void)bytes;
    (void)count;
    return 0;
#endif
}

/// The next two functions read and set a flag that threads share. A thread that sees the flag set also sees every write made before the
/// flag was set.
static inline unsigned char clmdb_flag(const unsigned char *flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }
static inline void clmdb_set_flag(unsigned char *flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }

extern long syscall(long number, ...);

/// Asks the system to begin to write a file's changed bytes before the offset `end` to the disk, and does not wait for it.
static inline void clmdb_begin_writing(int file, long long end) { (void)syscall(SYS_sync_file_range, file, 0LL, end, 2U); }
/// Searches bytes for a sequence of bytes. The function is declared here because glibc exports it to every program, but declares it only
/// for sources that define _GNU_SOURCE.
void *memmem(const void *bytes, __SIZE_TYPE__ count, const void *wanted, __SIZE_TYPE__ wanted_count);

/// The offset at which `wanted` first occurs in `bytes`; -1 if it does not occur.
static inline long clmdb_find(const void *bytes, unsigned long count, const void *wanted, unsigned long wanted_count) {
    const char *found = (const char *)memmem(bytes, count, wanted, wanted_count);
    return found ? found - (const char *)bytes : -1;
}

/// The beginning of `lock.mdb` (`struct MDB_txbody` of LMDB 0.9 on Linux), which its processes map.
struct clmdb_lock_head {
    /// LMDB's magic number and the format, which stay the same while a process has the file open.
    uint64_t mark;
    pthread_mutex_t readers_mutex;
    size_t last_transaction;
    unsigned reader_slots_used;
};

static inline uint64_t clmdb_lock_mark(const void *head) {
    return __atomic_load_n(&((const struct clmdb_lock_head *)head)->mark, __ATOMIC_RELAXED);
}
/// The load is ordered before later loads of the head pages, which LMDB writes first.
static inline size_t clmdb_lock_last_transaction(const void *head) {
    return __atomic_load_n(&((const struct clmdb_lock_head *)head)->last_transaction, __ATOMIC_ACQUIRE);
}
static inline unsigned clmdb_lock_slots_used(const void *head) {
    return __atomic_load_n(&((const struct clmdb_lock_head *)head)->reader_slots_used, __ATOMIC_RELAXED);
}
