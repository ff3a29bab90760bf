internal import EventLog
internal import LMDB
public import LoyaltyCodec
internal import Projections
internal import ReadModels
internal import Search

/// Searches the read models' files for damaged pages, with plain reads. The service itself searches files that take long to read.
public struct ModelSearch {
    public private(set) var damaged: (model: String, detail: String)?
    public private(set) var whole = 0
    public let isServed: Bool

    public static var count: Int { ReadModels.names.count + 1 }

    public init(of data: DataFolder) {
        isServed = FileLock.isHeld(writerOf: data.log) ?? false
        let folders = ReadModels.names.map { ModelFolder(models: data.models, model: $0) } + [Discovery.folder(in: data.models)]
        for folder in folders {
            guard let generation = folder.current, (1...ProjectionLimits.inspectedBytesMax).contains(folder.bytes(of: generation))
            else { continue }
            do throws(ReadModelError) {
                try Self.search(generation, in: folder, besideServer: isServed)
                whole += 1
            } catch {
                // A file that cannot be opened now, or that was replaced meanwhile, is no damage.
                if error.code == .damaged, folder.current == generation { damaged = damaged ?? (folder.model, error.detail) }
            }
        }
    }

    private static func search(_ generation: Generation, in folder: ModelFolder, besideServer isServed: Bool) throws(ReadModelError) {
        if !isServed { try folder.requireSealed(generation) }
        if folder.dataFile != ModelFolder.lmdbFile { return try Discovery.search(generation, in: folder) }
        let directory = folder.path(of: generation)
        do throws(LMDBError) {
            try Environment.requireWholePages(in: directory, headsOnly: isServed)
            // The environment keeps the server from overwriting the pages meanwhile.
            if isServed { try Environment(directory: directory, access: .readOnly).requireWholePages() }
        } catch {
            throw ReadModelError(any: error, model: folder.model)
        }
    }
}
