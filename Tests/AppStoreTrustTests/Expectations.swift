import AppStoreModel
import AppStoreTrust
import Testing

/// Expects a refusal for that reason and no other.
func expectRefusal(
    _ reason: Refusal.Reason, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    let refusal = #expect(throws: Refusal.self, sourceLocation: sourceLocation) { try body() }
    #expect(
        refusal?.reason == reason, "\(refusal?.description ?? "")", sourceLocation: sourceLocation)
}

extension TestAuthority {
    /// A verifier for one sandbox app that trusts this authority.
    func verifier(
        bundleID: BundleID = TestReceipt.bundleID, appAppleID: Int64? = nil,
        environments: Set<AppStoreEnvironment> = [.sandbox]
    ) throws -> ProofVerifier {
        ProofVerifier(
            configuration: try TrustConfiguration(apps: [
                TrustedApp(
                    bundleID: bundleID, appAppleID: appAppleID, environments: environments,
                    extraRoots: [extraRoot])
            ]))
    }
}

extension ProofVerdict {
    /// The refusal, where it is one.
    var refusal: Refusal? {
        if case .failure(let refusal) = result { refusal } else { nil }
    }
}
