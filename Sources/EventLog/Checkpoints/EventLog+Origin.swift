extension EventLog {
    /// Whether a log may be called so, before there is one: what opening would say.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/invalidOrigin``.
    public static func check(origin: String) throws(EventLogError) {
        try LogStorage.check(origin: origin)
    }
}
