/// The product's version, by semantic versioning.
public let productVersion: StaticString = "0.1.0"
