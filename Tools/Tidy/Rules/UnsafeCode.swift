/// Unsafe code is permitted only in the files that wrap it.
struct UnsafeCode: Rule {
    let name = "unsafe-code"

    /// The files that may contain unsafe code, each with its reason.
    private static let allowed: [(path: String, why: String)] = [
        ("Sources/LMDB/", "the storage wrapper is where C pointers become spans"),
        ("Sources/EventLog/Writer/AwaitedThread.swift", "pthread_create takes a reference as a C pointer"),
        ("Sources/EventLog/Writer/ThreadSemaphore.swift", "POSIX threads' conditions have a fixed address"),
        ("Sources/HTTPAPI/Cards/ShownCode.swift", "libqrencode hands out C memory"),
        ("Sources/HTTPAPI/Rates/RateMiddleware.swift", "an executor runs jobs without an owner"),
        ("Sources/PhoneNumbers/NumberingPlans.swift", "the C interface to libphonenumber takes a C string"),
        ("Sources/Sheets/Canvas.swift", "Cairo and Pango hand out and take C memory"),
        ("Sources/Images/Pictures/", "libgd and the libraries of the formats read and hand out C memory"),
        ("Sources/Images/ChildProcess.swift", "posix_spawn and sockets take C memory"),
        ("Sources/BackgroundWork/", "sched_setscheduler and the calls for a timer read and fill locals"),
        ("Sources/Console/Interruption.swift", "execv takes C strings"),
        ("Sources/Archive/Questions/DescriptorLook.swift", "getrlimit fills a local"),
        ("Sources/Archive/Questions/SizeReport.swift", "lstat fills a local"),
        ("Sources/greentea/Descriptors.swift", "getrlimit fills a local and setrlimit reads it"),
        ("Sources/CommandService/Clock.swift", "clock_gettime fills a local"),
        ("Sources/Merkle/Tree/NodeHash.swift", "swift-crypto shows a digest's bytes as a buffer only, or as a copy"),
        ("Sources/LoyaltyCodec/Keys/Keys.swift", "swift-crypto shows a digest's bytes as a buffer only, or as a copy"),
    ]

    private static let words = [
        "unsafe ", "unsafe(", "(unsafe)", "@unsafe", "UnsafePointer", "UnsafeMutablePointer", "UnsafeRawPointer", "UnsafeMutableRawPointer",
        "UnsafeBufferPointer", "UnsafeMutableBufferPointer", "UnsafeRawBufferPointer", "UnsafeMutableRawBufferPointer", "OpaquePointer",
        "withUnsafe", "unsafeBitCast", "@unchecked Sendable",
    ]

    let good: KeyValuePairs = [
        "Sources/LMDB/Transactions/Cursor.swift": "let size = unsafe pointer.pointee\n",
        "Sources/EventLog/A.swift": "/// This is not unsafe at all.\nlet text = \"unsafe \"\n",
    ]
    let bad: KeyValuePairs = [
        "Sources/EventLog/A.swift": "let size = unsafe pointer.pointee\n",
        "Sources/Audit/A.swift": "func take(_ bytes: UnsafeRawBufferPointer) {}\n",
        "Tools/replay/A.swift": "final class A: @unchecked Sendable {}\n",
        "Sources/HTTPAPI/A.swift": "nonisolated(unsafe) var a = 1\n",
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isSwift, file.isShipped, !Self.allowed.contains(where: { file.path.hasPrefix($0.path) }) else { return [] }
        return findings(of: Self.words, in: file) { word in
            "move `\(word.trimmingPrefix { $0 == " " })` behind a safe type of Sources/LMDB, or say in UnsafeCode.allowed why not"
        }
    }
}
