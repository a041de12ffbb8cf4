import type { KeepOpenAnswers, OpenDeliveries } from '../../src/ports/store.ts';

/** Deliveries that keep nothing: each event is handled before it is acknowledged. */
export const openFakeDeliveries: OpenDeliveries = (_, handle) => ({
  take: async ({ body }) => handle(body),
  resume: async () => undefined,
  handled: async () => undefined,
  [Symbol.dispose]: () => undefined,
});

/** Awaited answers that are kept nowhere. */
export const keepNoAnswers: KeepOpenAnswers = () => ({
  begin: () => () => undefined,
  resume: async () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
});
