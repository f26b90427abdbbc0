public import AppStoreModel
import HTTPMessage

extension AppStoreClient {
    /// Tells Apple what became of goods that a customer wants the money back for
    /// (Send Consumption Information, version 2).
    ///
    /// Apple takes it within twelve hours of a `CONSUMPTION_REQUEST`, and only with the customer's consent.
    @discardableResult
    public func sendConsumption(
        _ request: ConsumptionRequest, of id: TransactionID,
        in environment: AppStoreEnvironment? = nil
    ) async throws(AppStoreClientError) -> AppStoreEnvironment {
        guard request.customerConsented == true else {
            throw Self.invalidRequest("the customer has not consented")
        }
        guard request.deliveryStatus != nil, request.sampleContentProvided != nil else {
            throw Self.invalidRequest("deliveryStatus and sampleContentProvided are needed")
        }
        guard (0...100_000).contains(request.consumptionPercentage ?? 0) else {
            throw Self.invalidRequest("consumptionPercentage is 0 to 100000")
        }
        return try await sendConsumption(request, "v2", id, environment)
    }

    /// The same in version 1, which Advanced Commerce transactions still need.
    @discardableResult
    public func sendConsumption(
        _ request: ConsumptionRequestV1, of id: TransactionID,
        in environment: AppStoreEnvironment? = nil
    ) async throws(AppStoreClientError) -> AppStoreEnvironment {
        guard request.customerConsented == true else {
            throw Self.invalidRequest("the customer has not consented")
        }
        return try await sendConsumption(request, "v1", id, environment)
    }

    private func sendConsumption(
        _ request: some AppStoreObject, _ version: String, _ id: TransactionID,
        _ environment: AppStoreEnvironment?
    ) async throws(AppStoreClientError) -> AppStoreEnvironment {
        var call = Call(
            "Send Consumption Information", .put,
            "/inApps/\(version)/transactions/consumption/\(try Self.segment(id))")
        call.body = try Self.body(request)
        return try await ask(call, in: environment) { _, _ in }.environment
    }
}
