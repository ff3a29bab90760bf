import Foundation

/// The steps of a rebuild as its files show them: requests, locks, generations, and which one is in use.
struct ModelsWatch {
    /// Seconds for so many steps: a rebuild of a test takes one or two, on a loaded machine some dozens.
    private static let secondsMax = 300.0

    private let folder: String
    private var last: [String]

    init(_ data: String) {
        folder = data + "/derived/models"
        last = []
        last = look()
    }

    private func look() -> [String] {
        let paths = (FileManager.default.subpaths(atPath: folder) ?? []).sorted()
        return paths.map { path in
            guard path.hasSuffix("/current") else { return path }
            return path + "=" + ((try? String(contentsOfFile: folder + "/" + path, encoding: .utf8)) ?? "")
        }
    }

    /// Waits until so many looks have differed from the one before.
    ///
    /// - Parameter isOver: whether nothing changes any more; then it returns at once.
    /// - Throws: when that takes longer than any rebuild.
    mutating func wait(steps: Int, unless isOver: () -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: Self.secondsMax)
        var left = steps
        while left > 0, !isOver() {
            guard Date() < deadline else { throw TestFailure("\(left) of \(steps) steps of a rebuild did not come") }
            let now = look()
            if now != last { left -= 1 }
            last = now
            Thread.sleep(forTimeInterval: 0.001)
        }
    }
}
