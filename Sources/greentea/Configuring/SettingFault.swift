/// What is wrong with the value of a setting.
struct SettingFault: Error {
    let setting: Setting
    /// A clause, without a full stop.
    let reason: String

    init(_ setting: Setting, _ reason: String) {
        (self.setting, self.reason) = (setting, reason)
    }
}
