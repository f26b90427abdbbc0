internal import COpenSSL

/// Whether certificates form a chain up to one given anchor, by libcrypto's `X509_verify_cert`.
///
/// No system store is asked, no network, no clock: the anchor and the moment come from the caller.
public enum ChainCheck {
    /// Why there is no chain.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// libcrypto's `X509_V_ERR_` number.
        public let number: Int
        /// libcrypto's words for it.
        public let detail: String
        /// Whether a certificate was not valid at that moment, and nothing else was wrong first.
        public var isAboutValidity: Bool {
            number == Int(X509_V_ERR_CERT_HAS_EXPIRED)
                || number == Int(X509_V_ERR_CERT_NOT_YET_VALID)
        }
        /// Number and words.
        public var description: String { "\(detail) (X509 \(number))" }
    }

    /// Checks leaf, intermediates and anchor at a second since 1970; all signatures are verified.
    ///
    /// With `isStrict` RFC 5280 is taken at its word, as Apple's chains can bear. Costs one signature
    /// for each certificate below the anchor.
    ///
    /// With `anchorIsIntermediate` the anchor, which must have been proved before, need not be
    /// self-signed; the chain ends there.
    public static func verify(
        leaf: Certificate, intermediates: [Certificate], anchor: Certificate, at seconds: Int64,
        anchorIsIntermediate: Bool = false, isStrict: Bool = true
    ) throws(Failure) {
        var number = Int(X509_V_ERR_UNSPECIFIED)
        leavingNoErrors {
            number = run(
                leaf: leaf, intermediates: intermediates, anchor: anchor, at: seconds,
                isPartial: anchorIsIntermediate, isStrict: isStrict)
        }
        guard number == Int(X509_V_OK) else {
            let words = unsafe String(cString: X509_verify_cert_error_string(number))
            throw Failure(number: number, detail: words)
        }
    }

    private static func run(
        leaf: Certificate, intermediates: [Certificate], anchor: Certificate, at seconds: Int64,
        isPartial: Bool, isStrict: Bool
    ) -> Int {
        let failed = Int(X509_V_ERR_OUT_OF_MEM)
        guard let store = unsafe X509_STORE_new() else { return failed }
        defer { unsafe X509_STORE_free(store) }
        guard unsafe X509_STORE_add_cert(store, anchor.pointer) == 1,
            let untrusted = unsafe till_x509_stack_new()
        else { return failed }
        defer { unsafe till_x509_stack_free(untrusted) }
        for certificate in intermediates {
            guard unsafe till_x509_stack_push(untrusted, certificate.pointer) == 1 else {
                return failed
            }
        }
        guard let context = unsafe X509_STORE_CTX_new() else { return failed }
        defer { unsafe X509_STORE_CTX_free(context) }
        guard unsafe X509_STORE_CTX_init(context, store, leaf.pointer, untrusted) == 1,
            let parameters = unsafe X509_STORE_CTX_get0_param(context)
        else { return failed }
        unsafe X509_VERIFY_PARAM_set_time(parameters, time_t(seconds))
        let flags =
            (isStrict ? UInt(X509_V_FLAG_X509_STRICT) : 0)
            | (isPartial ? UInt(X509_V_FLAG_PARTIAL_CHAIN) : 0)
        guard unsafe X509_VERIFY_PARAM_set_flags(parameters, flags) == 1,
            unsafe X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY) == 1
        else { return failed }
        let verdict = unsafe X509_verify_cert(context)
        if verdict == 1 { return Int(X509_V_OK) }
        let number = unsafe Int(X509_STORE_CTX_get_error(context))
        // A negative verdict may leave no number behind; that is no success.
        return number == Int(X509_V_OK) ? Int(X509_V_ERR_UNSPECIFIED) : number
    }
}
