/// What all programs of this package answer to `--version`.
public enum ProductVersion {
    public static let text = "1.0.0"
}
