import Foundation

/// Where the programs lie that were built together with these tests.
enum Products {
    /// The path of one program.
    ///
    /// - Throws: where it was not built.
    static func path(of name: String) throws -> String {
        for folder in folders {
            let path = folder.appending(path: name).path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw TestFailure("\(name) is not in \(folders.map(\.path)): build it, or set GREENTEA_PRODUCTS to its folder")
    }

    /// The tests are a program beside the others.
    private static var folders: [URL] {
        let given = ProcessInfo.processInfo.environment["GREENTEA_PRODUCTS"].map { URL(filePath: $0) }
        let tests = [Bundle.main.executableURL, URL(filePath: CommandLine.arguments[0])].compactMap { $0?.deletingLastPathComponent() }
        return [given].compactMap { $0 } + tests
    }
}
