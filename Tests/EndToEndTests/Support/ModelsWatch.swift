import Foundation

/// Observes the files of a rebuild: requests, locks, generations, and the generation in use.
struct ModelsWatch {
    /// The maximum wait in seconds. A test's rebuild takes one or two seconds, and several dozen seconds on a loaded machine.
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

    /// Waits until the observed state has changed `steps` times.
    ///
    /// - Parameter isOver: returns true once nothing will change any more, which ends the wait.
    /// - Throws: if the wait takes longer than any rebuild.
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
