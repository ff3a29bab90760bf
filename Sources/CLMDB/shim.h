#include <lmdb.h>

/// Asks the processor for the line of its cache that holds an address, which need not be mapped; nothing waits for it.
static inline void clmdb_prefetch(unsigned long address) {
    __builtin_prefetch((const void *)address);
}
