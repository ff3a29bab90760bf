/// The `--version` text of all programs of this package.
public enum ProductVersion {
    public static let text = "1.0.0"
}
