import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OutageError } from '../../../src/autotranslate/outages/breaker.ts';
import { createLateTargets } from '../../../src/autotranslate/mirror/late-targets.ts';
import { createPartitionWorker, type Jobs } from '../../../src/autotranslate/partition-worker.ts';
import { nothingFor } from '../../../src/autotranslate/prepare/prepared.ts';
import { TAKES_LONG_MS } from '../../../src/autotranslate/row-backoff.ts';
import { AppError } from '../../../src/errors.ts';
import type { Channel, Space } from '../../../src/model/place.ts';
import type { Row } from '../../../src/store/inbox/row.ts';
import { createSilentWaits } from '../../fakes/outage-waits.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { EARLIER, messageOf, PARTITION, withInbox } from '../store/inbox/support.ts';

const SERVERS = 20;
const ids = Array.from({ length: SERVERS }, (_, at) => `s${at}`);
const channelOf = (id: string): Channel => ({ space: { platform: 'test', id }, id });
const RETRY_MS = 5_000;

const away = (): AppError => new AppError('unavailable', 'away', { retryable: true });
const busy = (): AppError =>
  new AppError('rate-limited', 'too many', { retryable: true, retryAfterMs: RETRY_MS });

describe('in linked channels of twenty servers', () => {
  const inbox = withInbox();
  /** What preparing a message of a space meets. */
  let meets: (space: Space) => Promise<void>;
  /** The ids of the spaces whose messages were prepared, one for each time. */
  let prepared: string[];
  let reconciled: string[];
  /** The ids of messages that cannot be posted. */
  const unpostable = new Set<string>();
  /** How many rows were claimed at a time. */
  let claimed: number[];
  let waits: ReturnType<typeof createSilentWaits>;
  let jobs: Jobs;
  let isWoken: boolean;
  let count: number;

  const say = async (id: string): Promise<void> => {
    await inbox.accept(messageOf((count += 1), 'hello', channelOf(id)));
  };
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  };
  /** Works on the partition until nothing wakes it, and returns the wait then, in ms. */
  const work = async (): Promise<number | undefined> => {
    let dueMs: number | undefined;
    for (isWoken = true; isWoken; await turns()) {
      isWoken = false;
      const tenure = {
        ...EARLIER,
        name: 'slot:1',
        signal: new AbortController().signal,
        isHeld: () => true,
        assertHeld: () => undefined,
        release: async () => undefined,
      };
      const register = () => ({ [Symbol.dispose]: () => undefined });
      const due = await createPartitionWorker({
        inbox: {
          claim: async (...how) => {
            // A work that would not end is ended.
            if (prepared.length > 5_000) throw new Error('prepared without an end');
            const found = await inbox.ours.claim(...how);
            claimed.push(found.rows.length);
            return found;
          },
          release: inbox.ours.release,
        },
        prepare: async (row: Row) => {
          const { space } = row.ref.channel;
          prepared.push(space.id);
          await setImmediate();
          await meets(space);
          return nothingFor(row);
        },
        reconcile: async (batch) => {
          if (unpostable.has(batch[0]!.row.ref.id)) throw away();
          for (const { row } of batch) {
            reconciled.push(row.ref.id);
            await inbox.settle(row);
          }
          return batch.length;
        },
        late: createLateTargets(inbox.ours),
        notices: { failed: () => undefined, passed: () => undefined },
        isOnHold: async () => false,
        ...waits,
        wake: () => {
          isWoken = true;
        },
        watches: { inGroup: () => ids.map((id) => ({ channel: channelOf(id) })) as never },
        log: silentLog,
        now: () => inbox.clock.ms,
        random: () => 0.5,
      })({ partition: PARTITION, tenure, jobs }, register);
      dueMs = due && due.atMs - inbox.clock.ms;
    }
    return dueMs;
  };
  /** The number of messages that are prepared before another wait. */
  const prepares = async (): Promise<number> => {
    prepared = [];
    inbox.clock.ms += (await work()) ?? 0;
    return prepared.length;
  };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    waits = createSilentWaits();
    jobs = new Map();
    unpostable.clear();
    [prepared, reconciled, claimed, count] = [[], [], [], 0];
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each<[string, (space: Space) => AppError | undefined]>([
    ['an outage of the whole service', () => new OutageError(away(), RETRY_MS)],
    [
      'own keys that are refused',
      ({ id }) => (id === 's0' ? undefined : new OutageError(away(), RETRY_MS)),
    ],
    ['own keys that may ask nothing', ({ id }) => (id === 's0' ? undefined : busy())],
    ['platforms that fail', ({ id }) => (id === 's0' ? undefined : away())],
  ])('%s has each tried about once a probe', async (_, faultOf) => {
    meets = async (space) => {
      const fault = faultOf(space);
      if (fault) throw fault;
    };
    for (let time = 0; time < 3; time += 1) for (const id of ids) await say(id);
    inbox.clock.ms += 60_000;
    await prepares();
    expect(prepared.length).toBeLessThan(4 * SERVERS);
    for (let probe = 0; probe < 4; probe += 1)
      expect(await prepares()).toBeLessThanOrEqual(SERVERS + 1);
    meets = async () => undefined;
    inbox.clock.ms += 120_000;
    await work();
    expect(reconciled).toHaveLength(3 * SERVERS);
  });

  it('keys that are never answered have each tried once, and hold up no other', async () => {
    const hangs = () => {
      const hanging = Promise.withResolvers<never>();
      hanging.promise.catch(() => undefined);
      return hanging;
    };
    let hanging = hangs();
    meets = ({ id }) => (id === 's0' ? Promise.resolve() : hanging.promise);
    for (let time = 0; time < 3; time += 1) for (const id of ids) await say(id);
    const first = prepares();
    for (let time = 0; time < 3; time += 1) {
      await turns();
      await vi.advanceTimersByTimeAsync(TAKES_LONG_MS);
    }
    await first;
    expect(prepared.length).toBeLessThan(4 * SERVERS);
    expect(reconciled).toEqual(['1', '21', '41']);
    for (let probe = 0; probe < 4; probe += 1) {
      prepared = [];
      hanging.reject(away());
      hanging = hangs();
      if (probe === 3) meets = async () => undefined;
      await turns();
      await work();
      inbox.clock.ms += 80_000;
      await work();
      expect(prepared.length).toBeLessThanOrEqual(probe === 3 ? 3 * SERVERS : SERVERS);
    }
    expect(reconciled).toHaveLength(3 * SERVERS);
  });

  it('what waits of one that was left holds up no other', async () => {
    const fault = new OutageError(away(), RETRY_MS);
    meets = async ({ id }) => (id === 's1' ? Promise.reject(fault) : undefined);
    await say('s1');
    await say('s2');
    expect(await work()).toBe(RETRY_MS + 500);
    await inbox.store.deleteFrom('inbox').where('space_id', '=', 's1').execute();
    for (let time = 0; time < 10; time += 1) await say('s2');
    claimed = [];
    await work();
    expect(claimed).toEqual([11]);
    await work();
    expect(waits.waits.all()).toEqual([]);
  });

  it('a message that is interrupted while it waits is no sign that the outage is over', async () => {
    const known: unknown[] = [];
    const faults = [
      new OutageError(away(), RETRY_MS),
      new AppError('cancelled', 'it was edited'),
      new OutageError(away(), RETRY_MS),
    ];
    meets = async () => {
      known.push(waits.waits.all());
      return Promise.reject(faults.shift());
    };
    await say('s1');
    inbox.clock.ms += (await work()) ?? 0;
    await work();
    expect(known).toEqual([[], [PARTITION], [PARTITION]]);
  });

  it('a message that will be tried again soon is passed by none, whatever wakes the channels', async () => {
    let isFailing = true;
    meets = async ({ id }) => (id === 's1' && isFailing ? Promise.reject(away()) : undefined);
    await say('s1');
    const dueMs = (await work()) ?? 0;
    await say('s2');
    expect(await work()).toBe(dueMs);
    expect(reconciled).toEqual([]);
    isFailing = false;
    inbox.clock.ms += dueMs;
    await work();
    expect(reconciled).toEqual(['1', '2']);
  });

  it.each(['prepared', 'posted'])('one that could not be %s for long is passed', async (step) => {
    meets = async ({ id }) =>
      id === 's1' && step === 'prepared' ? Promise.reject(away()) : undefined;
    unpostable.add(step === 'posted' ? '1' : '');
    await say('s1');
    await say('s2');
    await say('s1');
    for (let time = 0; time < 5; time += 1) inbox.clock.ms += (await work()) ?? 0;
    expect(reconciled).toEqual(['2']);
  });

  it('one that could not be posted gives its reason to those of its own server alone', async () => {
    // The others are ready once the first one is.
    const meeting = [turns];
    meets = async () => meeting.pop()?.();
    unpostable.add('1');
    for (const id of ['s1', 's2', 's1']) await say(id);
    await work();
    const rows = inbox.store.selectFrom('inbox').select(['space_id', 'sentence']);
    const waiting = await rows.orderBy('position').execute();
    const reason = '{"key":"reasons.unavailable","params":{}}';
    expect(waiting.map((row) => [row.space_id, row.sentence])).toEqual([
      ['s1', reason],
      ['s2', null],
      ['s1', reason],
    ]);
  });
});
