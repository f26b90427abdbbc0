/// Which Till this is.
enum Version {
    /// By semantic versioning; below 1.0 anything may change.
    static let text = "0.1.0"
}
