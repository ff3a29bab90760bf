/// Which fields a payload has, read without its description.
enum PayloadShape {
    /// Field number to wire type; nil for bytes that are no message.
    static func fields(of payload: [UInt8]) -> [Int: Int]? {
        var (fields, rest) = ([Int: Int](), payload[...])
        while !rest.isEmpty {
            guard let key = varint(&rest), let number = Int(exactly: key >> 3), number > 0 else { return nil }
            let type = Int(key & 7)
            guard let count = length(type, &rest), count <= rest.count else { return nil }
            rest = rest.dropFirst(count)
            fields[number] = type
        }
        return fields
    }

    private static func length(_ type: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
        switch type {
        case 0: varint(&rest).map { _ in 0 }
        case 1: 8
        case 2: varint(&rest).flatMap { Int(exactly: $0) }
        case 5: 4
        default: nil
        }
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
