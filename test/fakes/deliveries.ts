import type { OpenDeliveries } from '../../src/ports/store.ts';

/** Deliveries that keep nothing: each event is handled before it is acknowledged. */
export const openFakeDeliveries: OpenDeliveries = (_, handle) => ({
  take: async ({ body }) => handle(body),
  resume: async () => undefined,
  handled: async () => undefined,
  [Symbol.dispose]: () => undefined,
});
