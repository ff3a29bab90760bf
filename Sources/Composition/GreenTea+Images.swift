public import CommandService
import EventLog
public import Images
public import Loyalty
import LoyaltyCodec

/// A take-down releases the picture (sets its file's time to 1970), appends the event, and removes the file. After a crash, the next sweep
/// removes it. Any later time of the file means that the picture was sent or named again.
extension GreenTea {
    /// Stores a picture.
    ///
    /// No event records an upload, so ``IdleRequests`` remembers its key afterwards. Calls with one key MUST NOT overlap.
    ///
    /// - Throws: ``ImageError``, `takenDown` for a picture that an operator took down; ``ServiceError/idempotencyKeyReused``.
    public func addImage(_ bytes: [UInt8], by caller: Caller) async throws -> StoredImage {
        let idle = try requireSeat().idle
        if let mark = caller.mark {
            let isReused = try idle.find(mark).map { !$0.isSame } ?? reading { try $0.facts(ofRequest: mark.request) != nil }
            if isReused { throw ServiceError.idempotencyKeyReused }
        }
        let image = try await images.add(bytes, by: caller.account, at: clock.now()) { [self] in
            try pictureEntries(of: [$0])[0].isForAll
        }
        try await deliver(picture: image.id)
        if let mark = caller.mark { try idle.note(mark, at: log.head) }
        return image
    }

    /// Keeps a picture for another day because its sender is about to refer to it. An earlier writer may have accepted it.
    ///
    /// - Returns: false if the account has not sent it, or an operator took down the same bytes.
    public func holdImage(_ id: ImageID, by account: AccountID) async throws -> Bool {
        if let peers = member?.peers, try lacks(id) {
            try? await blocking { [self] in if let file = try peers.unnamedPicture(id) { try keep(id, file) } }
        }
        guard let name = images.name(of: id), try !isForbidden(name) else { return false }
        return images.hold(id, by: account, at: clock.now())
    }

    public func hasImage(_ id: ImageID) throws -> Bool {
        guard let name = images.name(of: id) else { return false }
        return try !isForbidden(name)
    }

    /// A picture that may be shown, if any.
    ///
    /// - Returns: `isPublic` if a shop or a campaign ever named it; otherwise only the viewer's own cache may keep it.
    public func shownImage(_ id: ImageID, width: Int?) async throws -> (image: ShownImage, isPublic: Bool)? {
        guard let image = try await images.image(id, width: width) else { return nil }
        let entries = try pictureEntries(of: [id, image.name.content])
        return entries.contains(where: \.isForAll) ? nil : (image, entries[0].isNamedByShop)
    }

    /// Takes a picture down and removes its file and thumbnails.
    ///
    /// - Parameter asOperator: MUST have been checked. It forbids the bytes for ever. Others can take down only what they sent or, for
    ///   unknown senders, what they alone show.
    /// - Throws: `failed` if a file could not be removed, which the next sweep retries.
    public func takeDownImage(_ image: ImageID, asOperator: Bool, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let idle = try requireSeat().idle
        let name = images.name(of: image)
        if try !isRepeated(caller, idle) {
            guard let name else { throw .rejected(.notFound) }
            if !asOperator {
                guard try await isOwn(name, of: caller.account) else { throw .rejected(.forbidden) }
                images.release(image)
            }
        }
        let command = TakeDownImage(image: image, content: asOperator ? name?.content : nil, asOperator: asOperator)
        let acceptance = try await submit(.takeDownImage(command), by: caller)
        // A request in between may have set the file's time, which would count as sent again.
        if !asOperator, !acceptance.isReplay { images.release(image) }
        try await removeReleased([image])
        return acceptance
    }

    /// A key that only ``IdleRequests`` remembers belongs to another kind of request.
    private func isRepeated(_ caller: Caller, _ idle: IdleRequests) throws(ServiceError) -> Bool {
        guard let mark = caller.mark else { return false }
        if try reading({ try $0.facts(ofRequest: mark.request) != nil }) { return true }
        guard idle.find(mark) == nil else { throw .idempotencyKeyReused }
        return false
    }

    /// No other account can name a picture whose sender is known.
    private func isOwn(_ name: ImageName, of account: AccountID) async throws(ServiceError) -> Bool {
        if name.hasSender { return images.isSent(name, by: account) }
        return try await readingApart { service in
            var use = PictureUse(service)
            return try use.isOnly(account, showing: name.id)
        }
    }

    /// - Throws: ``ServiceError/failed(_:)``; the next sweep retries.
    func removeReleased(_ released: Set<ImageID>) async throws(ServiceError) {
        guard !released.isEmpty else { return }
        try await readingApart { service in
            var use = PictureUse(service)
            try service.images.removeReleased(released) { try use.use(of: $0) }
        }
    }

    /// All pictures that the account and its shops ever showed. MUST be called before the erasure, while the key exists.
    @discardableResult
    package func releasePictures(of account: AccountID) throws(ServiceError) -> Set<ImageID> {
        let pictures = try pictures(of: account)
        for picture in pictures { images.release(picture) }
        return pictures
    }

    private func pictures(of account: AccountID) throws(ServiceError) -> Set<ImageID> {
        let facts = try reading { past in
            let ofShops = try past.shops(ownedBy: account).flatMap {
                try past.facts(Array(PictureUse.naming), Tag(kind: .shop, value: $0.id.value))
            }
            return try past.facts([.profileEdited], Tag(kind: .account, value: account.value)) + ofShops
        }
        var pictures: Set<ImageID> = []
        for fact in facts {
            switch fact.event {
            case .profileEdited(let event):
                guard case .set(let sealed) = event.change.avatar else { continue }
                if let id = try open(sealed, as: .avatar, of: account).flatMap({ ImageID(text: $0) }) { pictures.insert(id) }
            case .shopOpened(let event): pictures.formUnion(event.images)
            case .shopEdited(let event): pictures.formUnion(event.pictures)
            case .campaignPublished(let event): if let image = event.terms.image { pictures.insert(image) }
            case .campaignEdited(let event): if let image = event.terms.image { pictures.insert(image) }
            default: break
            }
        }
        return pictures
    }

    /// Removes pictures that nothing shows and that were released or not used for a day, and those that an operator took down.
    ///
    /// - Parameter isStopping: called before each picture; true ends the sweep.
    /// - Returns: the number of removed pictures.
    /// - Throws: ``ServiceError/failed(_:)``, also if `isStopping` ended the sweep.
    @discardableResult
    public func sweepImages(unless isStopping: @escaping @Sendable () -> Bool = { false }) async throws(ServiceError) -> Int {
        let since = clock.now().advanced(bySeconds: -ImageLimits.unusedSecondsMax)
        return try await readingApart { service in
            var use = PictureUse(service)
            return try service.images.sweep(unusedSince: since) { name in
                if isStopping() { throw CancellationError() }
                return try use.use(of: name)
            }
        }
    }

    /// The shown pictures whose files are missing or damaged. Reads all files; blocks.
    ///
    /// - Throws: errors of reading the log; `CancellationError`.
    @available(*, noasync)
    public func missingImages(unless isStopping: () -> Bool = { false }) throws -> Set<ImageID> {
        let missing = try images.missing(try shownImages(unless: isStopping), unless: isStopping)
        // A picture may have been taken down after the log was read.
        let found = missing.isEmpty ? [] : try shownImages(unless: isStopping).intersection(missing)
        pictures.note(missing: found.count)
        return found
    }

    private func shownImages(unless isStopping: () -> Bool) throws -> Set<ImageID> {
        let people = try avatars.shown(in: log, unless: isStopping) { sealed, account in
            try open(sealed, as: .avatar, of: account).flatMap { ImageID(text: $0) }
        }
        let entries = try pictures.entries(of: Array(people.keys), in: log)
        let isShown = zip(people, entries).filter { $0.value > $1.takenDown && !$1.isForAll }
        return try pictures.shown(in: log, unless: isStopping).union(isShown.map(\.0.key))
    }

    func readingApart<Value: Sendable>(_ body: @escaping @Sendable (GreenTea) throws -> Value) async throws(ServiceError) -> Value {
        do {
            return try await blocking { [self] in try body(self) }
        } catch {
            throw ServiceError(storage: error)
        }
    }
}
