import Merkle

extension NodeHash {
    /// This hash with one bit flipped.
    func flipping(_ bit: Int) -> NodeHash {
        var bytes = self.bytes
        bytes[bit / 8 % 32] ^= 1 << UInt8(bit % 8)
        return NodeHash(bytes) ?? self
    }
}

extension [NodeHash] {
    /// Lists that differ from this one in a single way: a flipped bit, a missing hash, an additional hash, or two exchanged hashes.
    var altered: [[NodeHash]] {
        var all: [[NodeHash]] = [self + [TreeHasher.emptyRoot], [TreeHasher.emptyRoot] + self]
        for place in indices {
            var (turned, without, twice) = (self, self, self)
            turned[place] = self[place].flipping(place * 37 + 5)
            without.remove(at: place)
            twice.insert(self[place], at: place)
            all += [turned, without, twice]
        }
        for place in indices.dropLast() {
            var exchanged = self
            exchanged.swapAt(place, place + 1)
            all.append(exchanged)
        }
        return all
    }
}

/// The code of the error that `body` throws; nil if it throws no error of this layer.
func refusal(_ body: () throws -> Void) -> MerkleError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? MerkleError)?.code
    }
}
