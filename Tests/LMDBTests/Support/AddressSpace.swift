import Foundation

/// How much address space this process has.
enum AddressSpace {
    /// Whether it is no more than a plain program's: sanitizers reserve terabytes, so that a limit on it ends them.
    static let isPlain: Bool = {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return false }
        let pages = text.split(separator: " ").first.flatMap { Int($0) } ?? .max
        return pages < 1 << 28
    }()
}
