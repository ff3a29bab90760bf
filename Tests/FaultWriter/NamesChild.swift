import LMDB

/// Creates files several levels deep in folders that do not exist yet. Once the calls have returned, the files' names must survive a power
/// cut.
struct NamesChild {
    private let folder: String

    init(_ arguments: Arguments) throws { folder = try arguments.text("folder") }

    func run() throws -> Int32 {
        let environment = try Environment(directory: folder + "/a/b/c", access: .readWrite)
        let table = try environment.table("words")
        var write = try environment.write()
        try write.put(table, Array("key".utf8).span, Array("value".utf8).span)
        try write.commit()
        try DurableNames.makeFolder(folder + "/x/y/z")
        try DurableFile.replace(folder + "/x/y/z/value", with: Array("first".utf8))
        try DurableFile.replace(folder + "/x/y/z/value", with: Array("second".utf8))
        try DurableNames.move(folder + "/x/y/z/value", to: folder + "/x/y/last")
        return 0
    }
}
