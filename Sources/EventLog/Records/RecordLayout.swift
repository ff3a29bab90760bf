/// Where a stored record of format 1 keeps what, in bytes, little-endian.
///
/// ```
///  0 u8  format = 1      1 u8  tag count        2 u16 type
///  4 u16 schema version  6 u16 reserved = 0     8 i64 time, microseconds since 1970
/// 16 u128 actor         32 tags: u8 kind, u128 value; ascending, no two alike
///  … payload to the end
/// ```
/// Records are hashed and kept for ever: this form is never changed, only followed by a format 2.
@usableFromInline
enum RecordLayout {
    @usableFromInline static let format: UInt8 = 1
    @usableFromInline static let tagCountAt = 1
    @usableFromInline static let typeAt = 2
    @usableFromInline static let schemaVersionAt = 4
    @usableFromInline static let reservedAt = 6
    @usableFromInline static let timeAt = 8
    @usableFromInline static let actorAt = 16
    @usableFromInline static let tagsAt = 32
    @usableFromInline static let tagBytes = 17
}
