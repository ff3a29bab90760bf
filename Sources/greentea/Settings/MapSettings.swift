import WebPages

/// The settings for maps on web pages.
extension MapTiles {
    /// Nil if the settings name no tile server.
    ///
    /// - Parameter isSecure: whether pages use https.
    /// - Throws: a ``SettingFault``.
    init?(_ settings: SettingsInForce, isSecure: Bool) throws {
        guard let address = settings.text(.mapTiles) else {
            for setting in [Setting.mapAttribution, .mapGrid] where settings.text(setting) != nil {
                throw SettingFault(setting, "it is given without mapTiles: give \(Setting.mapTiles.flag) URL as well, or neither")
            }
            return nil
        }
        guard let attribution = settings.text(.mapAttribution), attribution.contains(where: { $0 != " " }) else {
            throw SettingFault(.mapTiles, "the makers of a map want to be named: give \(Setting.mapAttribution.flag) TEXT as well")
        }
        let grid = settings.text(.mapGrid) ?? Grid.world.rawValue
        guard let grid = Grid(rawValue: grid) else {
            throw SettingFault(.mapGrid, "it must be \(Grid.allCases.map(\.rawValue).joined(separator: " or "))")
        }
        guard let tiles = MapTiles(address: address, attribution: attribution, grid: grid) else {
            let words = "no word in braces but z, x, y, -y, s, r"
            throw SettingFault(.mapTiles, "it must be such as https://tiles.example/{z}/{x}/{y}.png, with \(words)")
        }
        if isSecure, tiles.address.hasPrefix("http://") {
            throw SettingFault(.mapTiles, "pages by https show no pictures by http: give the tile server's https:// address")
        }
        self = tiles
    }
}
