import { createHmac, randomUUID } from 'node:crypto';
import type { Clock } from '../async/clock.ts';
import { createLru } from '../async/lru.ts';
import type { SharedStates } from '../ports/store.ts';
import type { Endpoint } from './caller.ts';
import type { KeyIdentity } from './keys.ts';
import { createSharedPace, type RequestPace } from './scheduler/shared-pace.ts';

/** Paces that are told of news. */
const MOST_PACES = 3_000;

/** The means by which the processes on one database share the paces of keys. */
export interface PaceSharing {
  readonly states: SharedStates;
  /** Secret of the digests by which keys are named: the first `ENCRYPTION_KEY`. */
  readonly secret: Uint8Array | undefined;
  /** Address of the service. */
  readonly service: string;
}

export interface SharedPacesDeps extends PaceSharing {
  readonly clock: Clock;
  readonly random: () => number;
}

/** The paces that all processes on one database keep together, one for each key and endpoint. */
export interface SharedPaces {
  /** @param changed called when more may be sent than was known */
  of(key: Pick<KeyIdentity, 'id'>, endpoint: Endpoint, changed: () => void): RequestPace;
}

export const createSharedPaces = (deps: SharedPacesDeps): SharedPaces => {
  const { states, secret = '', service, clock, random } = deps;
  const by = randomUUID();
  const hearers = createLru<string, () => void>(MOST_PACES);
  states.watch((name) => hearers.get(name)?.());
  return {
    of: ({ id }, endpoint, changed) => {
      const digest = createHmac('sha256', secret)
        .update(`pace of ${id} at ${service}`)
        .digest('hex');
      const name = `pace ${digest} ${endpoint}`;
      const pace = createSharedPace({ states, name, by, clock, random, changed });
      hearers.set(name, pace.look);
      return pace;
    },
  };
};
