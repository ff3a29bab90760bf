/// What went wrong in the storage layer: which call, on which folder, why, and what to do about it.
///
/// One struct with an opaque code rather than an enum, so that a new code is not a breaking change. The description reads
/// "what happened: path (mdb_call: text). remedy" and is meant for the operator's log, never for a client of the service.
///
/// After a failed ``WriteTransaction/commit()`` the outcome on disk is unknown unless the code is ``Code/mapFull`` or
/// ``Code/diskFull``; a writer should stop and let the next open decide.
public struct LMDBError: Error, Sendable {
    /// The class of the failure, for callers that act on it.
    public let code: Code
    /// The C call that failed, such as `mdb_txn_commit`.
    public let call: String
    /// The environment's folder, or the file in it.
    public let path: String
    /// The text of the error number, or the detail that this layer found.
    public let text: String
    /// The operator's name for the limit that was reached, with ``Code/mapFull``; nil where it is no setting.
    public let setting: String?

    init(_ code: Code, call: String, path: String, text: String, setting: String? = nil) {
        self.setting = setting
        self.code = code
        self.call = call
        self.path = path
        self.text = text
    }

    /// One sentence that tells the operator what to do.
    public var remedy: String {
        guard code == .mapFull, let setting else { return code.kind.remedy }
        return "Start again with a larger \(setting); what is stored stays as it is."
    }
}

extension LMDBError: CustomStringConvertible {
    /// "what happened: path (mdb_call: text). remedy"
    public var description: String { "\(statement) \(remedy)" }

    /// "what happened: path (mdb_call: text).": for layers that add the remedy, or one of their own.
    public var statement: String { "\(code.kind.summary): \(path) (\(call): \(text))." }
}
