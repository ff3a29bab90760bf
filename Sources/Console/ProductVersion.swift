/// The answer of all programs of this package to `--version`.
public enum ProductVersion {
    public static let text = "1.0.0"
}
