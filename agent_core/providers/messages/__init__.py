"""The Messages API as bytes and events, without a network: request bodies, event streams, whole responses, faults."""
