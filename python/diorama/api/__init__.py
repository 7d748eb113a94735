"""The operations of the service, made from its contract."""
