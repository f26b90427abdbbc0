import CCurl
import HTTPMessage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One request on its way to its response.
///
/// `@unchecked Sendable`: the calling task makes it and hands it over through the loop's mailbox; from then
/// on the loop's thread alone touches it.
@safe final class Exchange: @unchecked Sendable {
    typealias Outcome = Result<HTTPResponse, HTTPFetchError>

    let request: HTTPRequest
    let limits: HTTPFetchLimits
    /// When all must be over, in milliseconds of the steady clock.
    let deadline: Int
    let flag: CancelFlag
    private let waiter: CheckedContinuation<Outcome, Never>

    /// The library's handle and header list while the transfer runs.
    var easy: UnsafeMutableRawPointer?
    private var headers: UnsafeMutablePointer<curl_slist>?
    private let message: UnsafeMutablePointer<CChar>

    private var status = 0
    private var fields = HTTPFields()
    /// Whether the empty line after the fields has come: the library takes a head that breaks off for whole.
    private var hasHead = false
    private var body = Data()
    private var isTooLarge = false

    init(
        _ request: HTTPRequest, limits: HTTPFetchLimits, deadline: Int, flag: CancelFlag,
        waiter: CheckedContinuation<Outcome, Never>
    ) {
        self.request = request
        self.limits = limits
        self.deadline = deadline
        self.flag = flag
        self.waiter = waiter
        unsafe message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        unsafe curl_slist_free_all(headers)
        unsafe message.deallocate()
    }

    /// Ends the exchange; called once.
    func finish(_ outcome: Outcome) { waiter.resume(returning: outcome) }

    // MARK: Setting up

    /// Tells the library all about the request; the handle must be fresh or reset.
    func prepare(
        _ easy: UnsafeMutableRawPointer, _ configuration: CurlFetcherConfiguration, now: Int
    ) {
        unsafe self.easy = easy
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe till_curl_set_pointer(easy, CURLOPT_PRIVATE, context)
        unsafe till_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, message)
        unsafe till_curl_set_string(easy, CURLOPT_URL, request.target)
        unsafe till_curl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        unsafe till_curl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
        unsafe till_curl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        unsafe till_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        unsafe till_curl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        unsafe till_curl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // 0 would mean no limit.
        unsafe till_curl_set_long(easy, CURLOPT_TIMEOUT_MS, max(1, deadline - now))
        unsafe till_curl_set_long(
            easy, CURLOPT_CONNECTTIMEOUT_MS, max(1, limits.connectMilliseconds))
        if !configuration.usesEnvironmentProxies {
            unsafe till_curl_set_string(easy, CURLOPT_PROXY, "")
        }
        switch configuration.roots {
        case .system: break
        case .file(let path):
            unsafe till_curl_set_string(easy, CURLOPT_CAINFO, path)
            unsafe till_curl_set_string(easy, CURLOPT_CAPATH, nil)
        case .pem(let text):
            let bytes = [UInt8](text)
            unsafe till_curl_set_blob(easy, CURLOPT_CAINFO_BLOB, bytes, bytes.count)
            unsafe till_curl_set_string(easy, CURLOPT_CAPATH, nil)
        }
        if configuration.allowedAddresses == .publicOnly {
            unsafe till_curl_set_socket_callback(easy, openPublicSocket)
        }
        unsafe prepareMessage(easy)
        unsafe prepareFields(easy, userAgent: configuration.userAgent)
        unsafe till_curl_set_data_callback(easy, CURLOPT_HEADERFUNCTION, readLine)
        unsafe till_curl_set_pointer(easy, CURLOPT_HEADERDATA, context)
        unsafe till_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION, readBody)
        unsafe till_curl_set_pointer(easy, CURLOPT_WRITEDATA, context)
    }

    private func prepareMessage(_ easy: UnsafeMutableRawPointer) {
        if request.method == .head {
            unsafe till_curl_set_long(easy, CURLOPT_NOBODY, 1)
            return
        }
        unsafe till_curl_set_offset(
            easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(max(1, limits.responseBytes)))
        let sendsLength: [HTTPMethod] = [.post, .put, .patch]
        if !request.body.isEmpty || sendsLength.contains(request.method) {
            let bytes = [UInt8](request.body)
            // The size comes first: the library copies that many.
            unsafe till_curl_set_offset(
                easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
            unsafe till_curl_set_copied(easy, CURLOPT_COPYPOSTFIELDS, bytes)
        }
        unsafe till_curl_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }

    private func prepareFields(_ easy: UnsafeMutableRawPointer, userAgent: String) {
        // The library would wait a second for a `100 Continue`, and call every body a form.
        append("Expect:")
        if request.fields["Content-Type"] == nil { append("Content-Type:") }
        if request.fields["User-Agent"] == nil {
            unsafe till_curl_set_string(easy, CURLOPT_USERAGENT, userAgent)
        }
        let framing = ["content-length", "transfer-encoding", "connection", "expect"]
        for field in request.fields.all where !framing.contains(field.name.lowercased()) {
            // `Name:` would take the field away; `Name;` sends it empty.
            append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        unsafe till_curl_set_headers(easy, headers)
    }

    private func append(_ line: String) {
        guard let longer = unsafe curl_slist_append(headers, line) else { return }
        unsafe headers = longer
    }

    // MARK: While it runs

    fileprivate func read(line bytes: UnsafeRawBufferPointer) {
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            // After a `100 Continue` comes another head.
            status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            fields = HTTPFields()
            hasHead = false
        } else if line.allSatisfy(\.isNewline) {
            hasHead = true
        } else if let colon = line.firstIndex(of: ":") {
            let end = line.lastIndex { !$0.isNewline } ?? colon
            fields.append(
                String(line[..<colon]), String(line[line.index(after: colon)...end]))
        }
    }

    fileprivate func read(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= limits.responseBytes else {
            isTooLarge = true
            return false
        }
        unsafe body.append(contentsOf: bytes)
        return true
    }

    // MARK: How it ended

    /// The library's result in the caller's terms.
    func outcome(_ code: CURLcode) -> Outcome {
        if code == CURLE_OK {
            guard (100...999).contains(status) else {
                return .failure(HTTPFetchError(.invalidResponse, detail: "no status"))
            }
            guard hasHead else {
                return .failure(
                    HTTPFetchError(.connectionLost, detail: "the connection ended inside the head"))
            }
            return .success(
                HTTPResponse(status: HTTPStatus(rawValue: status), fields: fields, body: body))
        }
        let words = unsafe String(cString: message)
        let detail = unsafe words.isEmpty ? String(cString: curl_easy_strerror(code)) : words
        return .failure(HTTPFetchError(kind(of: code), detail: detail))
    }

    private func kind(of code: CURLcode) -> HTTPFetchError.Code {
        if isTooLarge { return .responseTooLarge }
        switch code {
        case CURLE_URL_MALFORMAT: return .invalidURL
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT:
            return .cannotConnect
        case CURLE_OPERATION_TIMEDOUT:
            // Nothing of the request has left, so asking again is safe.
            return unsafe easy.map { unsafe till_curl_info_long($0, CURLINFO_REQUEST_SIZE) } == 0
                ? .cannotConnect : .timedOut
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_CRL_BADFILE, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED:
            return .tls
        case CURLE_FILESIZE_EXCEEDED: return .responseTooLarge
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
            return .invalidResponse
        default: return .connectionLost
        }
    }
}

// The library's callbacks, on its thread, while the loop holds the exchange.

private func exchange(_ context: UnsafeMutableRawPointer?) -> Exchange? {
    unsafe context.map { unsafe Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
}

private func readLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    unsafe exchange(context)?.read(line: UnsafeRawBufferPointer(start: bytes, count: size * count))
    return size * count
}

private func readBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let part = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    // Another count than all of them ends the transfer.
    return unsafe exchange(context)?.read(body: part) == true ? size * count : -1
}
