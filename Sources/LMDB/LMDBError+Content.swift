extension LMDBError {
    /// Stored bytes are not what the layer above once stored: found there, explained and remedied like a broken page.
    ///
    /// - Parameters:
    ///   - text: what is wrong with them.
    ///   - directory: the environment's folder.
    /// - Returns: an error of the code ``Code-swift.struct/damaged``.
    @inline(never)
    public static func damagedContent(_ text: String, in directory: String) -> LMDBError {
        LMDBError(.damaged, call: "mdb_get", path: directory, text: text)
    }
}
