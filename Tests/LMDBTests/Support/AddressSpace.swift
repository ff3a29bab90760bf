import Foundation

/// The amount of address space that this process uses.
enum AddressSpace {
    /// Whether it is as small as a plain program's. Sanitizers reserve terabytes, so that a limit would end them.
    static let isPlain: Bool = {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return false }
        let pages = text.split(separator: " ").first.flatMap { Int($0) } ?? .max
        return pages < 1 << 28
    }()
}
