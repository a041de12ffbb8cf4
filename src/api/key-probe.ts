import { PATHS } from './contract.ts';
import { createServiceKey } from './keys.ts';
import { ServiceError } from './service-error.ts';
import type { Transport } from './transport.ts';

const CHECK_MS = 15_000;

/**
 * Asks the service once whether it knows a key. Rejects with a `ServiceError` where it does not, and
 * with an `AppError` where it does not say.
 */
export type KeyProbe = (key: string, signal: AbortSignal) => Promise<void>;

/** True for an error that a service gives to a key that it knows: without speech, or without any voices. */
const isKnown = (thrown: unknown): boolean =>
  thrown instanceof ServiceError && (thrown.status === 403 || thrown.status === 404);

export const createKeyProbe =
  (transport: Pick<Transport, 'send'>): KeyProbe =>
  async (key, signal) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS)]);
    try {
      const request = { method: 'GET', path: PATHS.voices } as const;
      const reply = await transport.send(request, createServiceKey(key, { isOwn: true }), limited);
      await reply.body.dump();
    } catch (thrown) {
      if (!isKnown(thrown)) throw thrown;
    }
  };
