#if canImport(Darwin)
    import Foundation
    import HTTPMessage

    /// Fetches through URLSession.
    ///
    /// `data(for:)` would need iOS 15.
    final class SessionFetcher: NSObject, HTTPFetching, URLSessionTaskDelegate, Sendable {
        func fetch(
            _ request: HTTPRequest, limits: HTTPFetchLimits
        ) async throws(HTTPFetchError) -> HTTPResponse {
            guard let address = URL(string: request.target), let scheme = address.scheme,
                ["http", "https"].contains(scheme.lowercased())
            else { throw HTTPFetchError(.invalidURL, detail: request.target) }
            var asked = URLRequest(
                url: address, cachePolicy: .reloadIgnoringLocalCacheData,
                timeoutInterval: Double(limits.totalMilliseconds) / 1_000)
            asked.httpMethod = request.method.rawValue
            for field in request.fields.all {
                asked.addValue(field.value, forHTTPHeaderField: field.name)
            }
            if !request.body.isEmpty { asked.httpBody = request.body }
            let exchange = asked
            let result = await withCheckedContinuation { continuation in
                Self.session.dataTask(with: exchange) { body, response, error in
                    continuation.resume(
                        returning: Self.result(body, response, error, limits: limits))
                }.resume()
            }
            return try result.get()
        }

        /// One for the process, without cookies and caches.
        private static let session: URLSession = {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpShouldSetCookies = false
            configuration.urlCache = nil
            return URLSession(
                configuration: configuration, delegate: SessionFetcher(), delegateQueue: nil)
        }()

        /// Follows no redirect: a server that moved is not the one that was configured.
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        private static func result(
            _ body: Data?, _ response: URLResponse?, _ error: (any Error)?, limits: HTTPFetchLimits
        ) -> Result<HTTPResponse, HTTPFetchError> {
            guard let response = response as? HTTPURLResponse else {
                let failure = error as? URLError
                return .failure(HTTPFetchError(code(failure), detail: "\(error as Any)"))
            }
            let body = body ?? Data()
            guard body.count <= limits.responseBytes else {
                return .failure(HTTPFetchError(.responseTooLarge))
            }
            var fields = HTTPFields()
            for (name, value) in response.allHeaderFields {
                guard let name = name as? String, let value = value as? String else { continue }
                fields.append(name, value)
            }
            return .success(
                HTTPResponse(
                    status: HTTPStatus(rawValue: response.statusCode), fields: fields, body: body))
        }

        private static func code(_ error: URLError?) -> HTTPFetchError.Code {
            switch error?.code {
            case .timedOut?: .timedOut
            case .cancelled?: .cancelled
            case .badURL?, .unsupportedURL?: .invalidURL
            case .cannotFindHost?, .cannotConnectToHost?, .notConnectedToInternet?,
                .dnsLookupFailed?:
                .cannotConnect
            case .secureConnectionFailed?, .serverCertificateUntrusted?,
                .serverCertificateHasBadDate?:
                .tls
            case .badServerResponse?: .invalidResponse
            default: .connectionLost
            }
        }
    }
#endif
