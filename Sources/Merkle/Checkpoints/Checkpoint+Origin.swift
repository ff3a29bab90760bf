extension Checkpoint {
    /// Whether a log may be called so: a URL without scheme and trailing slash, and the name of a key (C2SP tlog-checkpoint).
    ///
    /// One line of at most ``MerkleLimits/keyNameBytesMax`` bytes without spaces and plus signs, such as `tea.example/log`.
    public static func isOrigin(_ text: String) -> Bool {
        NoteText.isKeyName(text) && text.utf8.last != UInt8(ascii: "/") && !text.contains("://")
    }
}
