internal import LMDB
internal import ReadModels

/// Keys of rows as bytes that can be kept.
enum PastKey {
    static func bytes(_ key: RowKey) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(copying: key.bytes)
        return bytes
    }
}
