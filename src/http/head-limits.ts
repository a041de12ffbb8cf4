/**
 * Limits of a server for the head of a request: a client that sends half of one is told with a 408 after some 10 s, and
 * its connection ends.
 */
export const HEAD_LIMITS = { headersTimeout: 9_000, connectionsCheckingInterval: 1_000 };
