internal import CFuzzer
internal import Glibc

/// libFuzzer, with the target that the environment names, so that there is one program to build.
///
/// Not a part of the package: `Tools/fuzz` builds it, with the checks beside it.
@main enum FuzzEntry {
    static let target: FuzzTarget = {
        // SAFETY: the environment is not changed by anybody in this process.
        let name = unsafe getenv("GREENTEA_FUZZ").map { unsafe String(cString: $0) } ?? ""
        guard let target = FuzzTarget(rawValue: name) else { fatalError("GREENTEA_FUZZ names no target: \(name)") }
        return target
    }()

    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
        // SAFETY: the arguments live as long as the process.
        exit(unsafe LLVMFuzzerRunDriver(&count, &arguments, fuzzOneInput))
    }

    /// Ends the process when the input breaks something: libFuzzer then keeps it.
    static func run(_ bytes: [UInt8]) {
        do throws(BrokenProperty) { try target.check(bytes) } catch {
            fatalError("\(target): \(error) for \(Hex.text(bytes))")
        }
    }
}

/// What libFuzzer calls with each input, on one thread.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // SAFETY: libFuzzer lends `count` bytes for this call; they are copied at once.
    FuzzEntry.run(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
