internal import EventLog
internal import ReadModels

extension Discovery {
    /// How a generation of the model is followed, and how another one comes into its place.
    struct Exchange: Sendable {
        let box: ModelBox<DiscoveryFile>
        let standings: StandingCache
        let folder: ModelFolder
        let log: EventLog
        let findKey: KeyFinder?

        /// A generation as a ``ModelRunner`` takes it.
        func waiting(_ file: DiscoveryFile) throws(ReadModelError) -> WaitingModel {
            let followed = WaitingModel(
                name: Discovery.name, position: try file.mark().position, reason: file.reason, generation: file.generation,
                follower: { () throws(ReadModelError) -> any ModelFollower in
                    try DiscoveryFollower(file, log: log, standings: standings, findKey: findKey)
                },
                close: { () throws(ReadModelError) in try file.close() })
            return WaitingModel(
                followed, retire: { () throws(ReadModelError) in try file.retire() },
                serve: {
                    box.put(file)
                    // Behind it: whoever reads from now on reads the new one, and what was read before is not remembered.
                    standings.forgetAll()
                },
                exchange: ModelExchange(
                    folder, reads: { $0 == DiscoverySchema.version },
                    open: { (handover) throws(ReadModelError) in try waiting(try open(handover)) }))
        }

        private func open(_ handover: Handover) throws(ReadModelError) -> DiscoveryFile {
            try ModelExchange.requireSealed(handover, in: folder)
            let file = try DiscoveryFile.goOn(with: handover.generation, in: folder)
            let fits = try file.fits(log)
            try ModelExchange.requireMark(try file.mark(), file.reason == nil && fits, of: handover, in: folder)
            return file
        }
    }
}
