import Foundation

/// Operations on files, for tests that damage an environment.
enum Files {
    static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    static func size(_ path: String) throws -> Int {
        try (FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? -1
    }

    static func truncate(_ path: String, to size: Int) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.truncate(atOffset: UInt64(size))
        try file.close()
    }

    /// Overwrites `count` bytes at `offset` with `byte`.
    static func overwrite(_ path: String, at offset: Int, count: Int, with byte: UInt8) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(repeating: byte, count: count))
        try file.close()
    }

    static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
}
