internal import CFuzzer
internal import Glibc

/// The entry point for libFuzzer. An environment variable selects the target, so one program serves all targets.
///
/// This file is not part of the package: `Tools/fuzz` compiles it together with the checks.
@main enum FuzzEntry {
    static let target: FuzzTarget = {
        // SAFETY: no thread of this process changes the environment.
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

    /// Checks one input. A violation ends the process, and libFuzzer then keeps the input.
    static func run(_ bytes: [UInt8]) {
        do throws(BrokenProperty) { try target.check(bytes) } catch {
            fatalError("\(target): \(error) for \(Hex.text(bytes))")
        }
    }
}

/// The function that libFuzzer calls with each input, on one thread.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // SAFETY: libFuzzer lends `count` bytes for this call; they are copied at once.
    FuzzEntry.run(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
