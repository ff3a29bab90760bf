internal import Glibc

/// What a walk that goes on from one snapshot to the next has passed, so that it is given back as one walk's. For one thread at a time.
public final class WalkMemory {
    var pages: WalkedPages?

    /// Nothing passed yet.
    public init() {}

    deinit { pages?.end() }
}

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

    /// Bytes below which nothing is given back at the end of a walk: a look-up reads less.
    private static let keptMax = 1 << 20
    /// Bytes of the largest value that is noted: no record is as long.
    private static let valueMax = 1 << 20

    private static let fileName = "/data.mdb"
    private static let pageBytes = UInt(sysconf(Int32(_SC_PAGESIZE)))

    init(limit: Int) {
        self.limit = limit
    }

    /// Notes the value that the cursor has come to.
    @unsafe mutating func pass(_ value: UnsafeBufferPointer<UInt8>) {
        // An empty value may stand nowhere, and a damaged page may claim any length: neither must stretch this beyond the map.
        guard let start = value.baseAddress, (1...Self.valueMax).contains(value.count) else { return }
        let address = UInt(bitPattern: start)
        low = min(low, address)
        high = max(high, address + UInt(value.count))
        passed += value.count
        if passed >= limit { giveBack() }
    }

    /// The walk has ended; the next one may begin where it did.
    mutating func end() {
        if passed >= min(limit, Self.keptMax) { giveBack() }
    }

    /// Unmaps the stretch. Whoever reads in it again, another thread too, gets the same bytes from the system's cache.
    ///
    /// The same call would empty memory that is no file's. So the system is asked what lies there, and nothing beyond it is touched.
    private mutating func giveBack() {
        let (low, high) = (low, high)
        self = WalkedPages(limit: limit)
        guard let region = MappedRegion.around(low), region.path.hasSuffix(Self.fileName) else { return }
        let first = max(low / Self.pageBytes * Self.pageBytes, region.addresses.lowerBound)
        let end = min(high, region.addresses.upperBound)
        guard first < end else { return }
        // SAFETY: all of it lies in the map of a file that is never written through the map, so nothing can be lost; the bytes stay
        // readable at their addresses.
        unsafe _ = madvise(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), MADV_DONTNEED)
    }
}
