import { createLru } from '../async/lru.ts';
import type { Endpoint } from './caller.ts';
import { PATHS } from './contract.ts';
import { createGate, type Gate, type GateDeps } from './gate.ts';
import type { KeyIdentity } from './keys.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { SharedPaces } from './scheduler/shared-pace.ts';

const ENDPOINTS = [...Object.keys(PATHS), 'models'] as readonly Endpoint[];

/** @param open numbers of open breakers, over all keys */
const declareGateMetrics = (metrics: Metrics, open: () => ReadonlyMap<Endpoint, number>) => {
  const labels = ['endpoint'] as const;
  const known = ENDPOINTS.map((endpoint) => ({ endpoint }));
  const refused = metrics.counter({
    name: 'dragoman_service_refused_total',
    help: 'Requests that the service refused for now (429).',
    labels,
    known,
  });
  const opened = metrics.counter({
    name: 'dragoman_service_breaker_opened_total',
    help: 'Times that requests to an endpoint stopped because it did not answer.',
    labels,
    known,
  });
  metrics.gauge(
    {
      name: 'dragoman_service_breakers_open',
      help: 'Keys with which an endpoint does not answer, and is asked only now and then.',
      labels,
    },
    () => [...open()].map(([endpoint, value]) => ({ labels: { endpoint }, value })),
  );
  return {
    /** Notes that the service refused a request for now (429). */
    refused: (endpoint: Endpoint): void => refused({ endpoint }),
    /** Notes that nothing more is sent to an endpoint, since it does not answer. */
    opened: (endpoint: Endpoint): void => opened({ endpoint }),
  };
};

/** Limits the retries of all calls with one key, so that they never add much to an overload. */
type RetryBudget = ReturnType<typeof createRetryBudget>;

/** Retries that each call adds: 10 % of all calls. */
const SHARE = 0.1;
/** Retries for small use: at first, and one more in this time. */
const FEW = 10;
const ONE_EVERY_MS = 10_000;
const MOST = 100;

export const createRetryBudget = (nowMs: () => number) => {
  let available = FEW;
  let filledMs = nowMs();
  return {
    /** Notes a call's first request. */
    called: (): void => {
      available = Math.min(MOST, available + SHARE);
    },
    /** Takes one retry; false where none is left. */
    take: (): boolean => {
      const now = nowMs();
      if (available < FEW) available = Math.min(FEW, available + (now - filledMs) / ONE_EVERY_MS);
      filledMs = now;
      if (available < 1) return false;
      available -= 1;
      return true;
    },
  };
};

/** Keys whose gates are kept; those that were used the longest ago are dropped first. */
const MOST_KEYS = 500;

interface KeyGatesDeps extends Pick<GateDeps, 'clock' | 'random'> {
  readonly metrics: Metrics;
  /** The paces that processes keep together. Default: this process has its own. */
  readonly paces?: SharedPaces | undefined;
}

interface KeyState {
  readonly gates: Map<Endpoint, Gate>;
  readonly budget: RetryBudget;
}

/** Creates the gates of each key, one for each endpoint, and its retry budget: no key slows another. */
export const createKeyGates = ({ metrics, paces, ...deps }: KeyGatesDeps) => {
  const states = createLru<string, KeyState>(MOST_KEYS);
  const open = (): ReadonlyMap<Endpoint, number> => {
    const counts = new Map<Endpoint, number>();
    for (const [, { gates }] of states)
      for (const [endpoint, gate] of gates)
        counts.set(endpoint, (counts.get(endpoint) ?? 0) + Number(gate.isOpen()));
    return counts;
  };
  const measured = declareGateMetrics(metrics, open);
  const stateOf = ({ id }: Pick<KeyIdentity, 'id'>): KeyState => {
    const its = states.get(id) ?? {
      gates: new Map<Endpoint, Gate>(),
      budget: createRetryBudget(deps.clock.nowMs),
    };
    states.set(id, its);
    return its;
  };
  return {
    of: (key: Pick<KeyIdentity, 'id'>, endpoint: Endpoint): Gate => {
      const { gates } = stateOf(key);
      const gate =
        gates.get(endpoint) ??
        createGate({
          ...deps,
          ...(paces ? { makePace: (changed) => paces.of(key, endpoint, changed) } : {}),
          refused: () => measured.refused(endpoint),
          opened: () => measured.opened(endpoint),
        });
      gates.set(endpoint, gate);
      return gate;
    },
    budgetOf: (key: Pick<KeyIdentity, 'id'>): RetryBudget => stateOf(key).budget,
    /** Number of keys whose gates are kept. */
    get keys(): number {
      return [...states].length;
    },
  };
};
