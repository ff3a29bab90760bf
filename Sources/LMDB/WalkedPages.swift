internal import Glibc

/// The stretch of a map that a cursor has come through, to be given back now and then.
///
/// Every page that is read stays mapped in the process until the system runs short, so that a server which once walked through its log
/// would seem to need as much memory as the log is long, and be ended for it where memory is rationed.
@safe struct WalkedPages {
    /// Bytes of values after which the stretch is given back.
    let limit: Int
    private var low = UInt.max
    private var high: UInt = 0
    private var passed = 0

    private static let pageBytes = UInt(sysconf(Int32(_SC_PAGESIZE)))

    init(limit: Int) {
        self.limit = limit
    }

    /// Notes the value that the cursor has come to.
    @unsafe mutating func pass(_ value: UnsafeBufferPointer<UInt8>) {
        let address = UInt(bitPattern: value.baseAddress)
        low = min(low, address)
        high = max(high, address + UInt(value.count))
        passed += value.count
        if passed >= limit { giveBack() }
    }

    /// Unmaps the stretch. Whoever reads in it again, another thread too, gets the same bytes from the system's cache.
    private mutating func giveBack() {
        let first = low / Self.pageBytes * Self.pageBytes
        // SAFETY: all of it lies in one map of a file that is never written through the map, so nothing can be lost; the bytes stay
        // readable at their addresses.
        unsafe _ = madvise(UnsafeMutableRawPointer(bitPattern: first), Int(high - first), MADV_DONTNEED)
        self = WalkedPages(limit: limit)
    }
}
