/// How read models are rebuilt.
package struct RebuildOptions: Sendable {
    /// Bytes that the batches of one model may take, at least ``memoryBytesMin``.
    package var memoryBytes = 2_048 << 20
    /// Whether the generation that is replaced is kept for going back.
    package var keepsOld = true
    /// Whether the content is compared with a replay before it comes into use. That folds the model's state in memory.
    package var checks = true
    /// How long to wait for the server to take a generation over.
    package var waitSecondsMax = 60.0

    /// Less would make the batches so small that nothing is gained by batches.
    package static let memoryBytesMin = 16 << 20

    package init() {}
}
