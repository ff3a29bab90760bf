/// The program that decodes pictures as a child process, and how long it may take.
public struct PictureProgram: Sendable {
    /// The subcommand of `greentea` that runs ``PictureChild``.
    public static let subcommand = "picture"
    /// Its option for a thumbnail.
    public static let widthOption = "width"

    let path: String
    let arguments: [String]
    let milliseconds: Int

    /// This very program, even where its file was replaced or removed since it started.
    public static let own = PictureProgram(path: "/proc/self/exe")

    /// - Parameters:
    ///   - path: a `greentea`.
    ///   - milliseconds: how long a child may take by the clock.
    public init(path: String, milliseconds: Int = ImageLimits.childMilliseconds) {
        self.init(path: path, arguments: [Self.subcommand], milliseconds: milliseconds)
    }

    /// Any program; tests have one that misbehaves.
    init(path: String, arguments: [String], milliseconds: Int) {
        (self.path, self.arguments, self.milliseconds) = (path, arguments, milliseconds)
    }
}
