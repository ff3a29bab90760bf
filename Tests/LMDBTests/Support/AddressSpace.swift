import Foundation

/// The amount of address space that this process uses.
enum AddressSpace {
    /// Whether this process uses as little address space as a program without a sanitizer. Sanitizers reserve terabytes, so a test that
    /// limits the address space would end a process with a sanitizer.
    static let isPlain: Bool = {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return false }
        let pages = text.split(separator: " ").first.flatMap { Int($0) } ?? .max
        return pages < 1 << 28
    }()
}
