import Foundation

/// The folder of the programs built together with these tests.
enum Products {
    /// Returns the path of a program.
    ///
    /// - Throws: if the program was not built.
    static func path(of name: String) throws -> String {
        for folder in folders {
            let path = folder.appending(path: name).path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw TestFailure("\(name) is not in \(folders.map(\.path)): build it, or set GREENTEA_PRODUCTS to its folder")
    }

    /// The folder that `GREENTEA_PRODUCTS` names, if it is set, and the folder of the test program itself.
    private static var folders: [URL] {
        let given = ProcessInfo.processInfo.environment["GREENTEA_PRODUCTS"].map { URL(filePath: $0) }
        let tests = [Bundle.main.executableURL, URL(filePath: CommandLine.arguments[0])].compactMap { $0?.deletingLastPathComponent() }
        return [given].compactMap { $0 } + tests
    }
}
