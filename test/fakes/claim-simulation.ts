import { sleep } from '../../src/async/clock.ts';
import { createInboxWork } from '../../src/autotranslate/inbox-work.ts';
import { createSilentWaits } from './outage-waits.ts';
import { createLateTargets } from '../../src/autotranslate/mirror/late-targets.ts';
import { createPartitionWorker } from '../../src/autotranslate/partition-worker.ts';
import { nothingFor, type Prepared } from '../../src/autotranslate/prepare/prepared.ts';
import { createScheduler } from '../../src/autotranslate/scheduler.ts';
import { AppError } from '../../src/errors.ts';
import { silentLog } from './silent-log.ts';
import { plainWords } from '../../src/rich-text/compose.ts';
import type { Tenure } from '../../src/ports/processes.ts';
import { createSlotOwner, type SlotOwner } from '../../src/cluster/slot-owner.ts';
import type { Store } from '../../src/store/index.ts';
import { createInboxStore } from '../../src/store/inbox/index.ts';
import { channelPartition, WATCH, type Row } from '../../src/store/inbox/row.ts';
import { openPostgresLeases } from '../../src/store/postgres/leases.ts';
import {
  createClaimWatch,
  textOf,
  type ClaimResult,
  type Fate,
  type Reported,
} from './claim-watch.ts';
import { createLeaseDatabase } from './lease-database.ts';
import { createRandom } from './random.ts';
import { createSimulatedProcess, type SimulatedProcess } from './simulated-process.ts';
import { createVirtualTime } from './virtual-time.ts';

/** A fault planted into the claims, which a simulation must find. */
export type ClaimFlaw =
  | 'effects are not checked'
  | 'epochs are equal'
  | 'posts before earlier messages'
  | 'settlements are not fenced'
  | 'forgets what it was not told of';

export interface ClaimOptions {
  /** A store that other schedules have used, with other seeds. */
  readonly store: Store;
  readonly seed: number;
  readonly processes: number;
  readonly channels: number;
  /** Messages of each channel. */
  readonly messages: number;
  readonly faults: number;
  readonly flaw?: ClaimFlaw;
}

const FAULTY_MS = 12_000;
/** Longest time from the last fault until everything is settled. */
const SETTLED_MS = 60_000;
/** Longest answer of the platform. */
const ANSWER_MS = 300;
/** Time after which another process is told of a message. */
const AGAIN_MS = 3_000;
const START_MS = 1_000_000_000_000;

interface Member {
  readonly host: SimulatedProcess;
  readonly slots: SlotOwner;
  readonly isOver: () => boolean;
  /** Has the process tell the store of a message; resolves when it is stored. */
  readonly report: (message: Reported) => Promise<void>;
  readonly leave: () => Promise<void>;
  readonly close: () => void;
  stalledUntilMs: number;
  readonly disconnect: () => void;
}

/**
 * Runs the real leases, slot owners, schedulers, workers and inbox of several processes in virtual time, through one
 * schedule of faults. What they would do on a platform is watched instead.
 */
export const simulateClaims = async (options: ClaimOptions): Promise<ClaimResult> => {
  const { store, seed, flaw } = options;
  const random = createRandom(seed);
  const upTo = (most: number): number => random() * most;
  let underWay = 0;
  const time = createVirtualTime(() => underWay > 0);
  const log = silentLog;
  const now = (): number => START_MS + time.nowMs;
  const inbox = createInboxStore({ store, now });
  const database = createLeaseDatabase({
    time,
    random,
    rate: 1,
    locked: 0.02,
    ...(flaw === 'epochs are equal' ? { flaw: 'keeps the epoch' as const } : {}),
    released: () => undefined,
  });
  const watch = createClaimWatch(() => time.nowMs);
  const members = new Set<Member>();

  const pause = (ms: number): Promise<void> => new Promise((over) => time.after(ms, over));
  /** Runs a statement of the inbox; virtual time stands still meanwhile. */
  const runNow = async <T>(run: () => Promise<T>): Promise<T> => {
    underWay += 1;
    try {
      return await run();
    } finally {
      underWay -= 1;
    }
  };

  const join = (): void => {
    const clocks = { rate: 1 + (2 * random() - 1) * 0.03, offsetMs: upTo(1e9) };
    const host = createSimulatedProcess(time, clocks, random);
    let isOver = false;
    let leases: AsyncDisposable | undefined;
    const hopMs = (): number => Math.max(0, member.stalledUntilMs - time.nowMs) + 0.1 + upTo(3);
    const network = { hopMs, isReachable: () => true };
    const connections = [
      database.connect(host, network),
      database.connect(host, network),
      database.connect(host, { ...network, isPool: true }),
    ] as const;
    /** Resolves in a later turn of the process, once it runs. */
    const arrive = async (ms: number): Promise<void> =>
      new Promise((arrived) => time.after(ms, () => host.run(arrived)));
    /** Sends a statement of the inbox to the database. It takes effect though the process ends meanwhile. */
    const remote = async <T>(run: () => Promise<T>): Promise<T> => {
      await pause(hopMs());
      const result = await runNow(run);
      await arrive(hopMs());
      return result;
    };

    const settle = async (row: Row): Promise<boolean> => {
      const isSettled = await store.write((db) => inbox.settle(db, row, { state: 'posted' }));
      if (isSettled) watch.settled(row);
      else if (flaw === 'settlements are not fenced')
        await store
          .updateTable('inbox')
          .set({ state: 'posted' })
          .where('channel_id', '=', row.ref.channel.id)
          .where('message_id', '=', row.ref.id)
          .execute();
      return isSettled;
    };

    const far = {
      claim: (partition: string, limit: number, tenure: Pick<Tenure, 'epoch'>) =>
        remote(async () => {
          const claimed = await inbox.claim(partition, limit, tenure);
          for (const row of claimed.rows) watch.claimed(row, tenure);
          return claimed;
        }),
      release: (...args: Parameters<typeof inbox.release>) => remote(() => inbox.release(...args)),
      clockSet: (...args: Parameters<typeof inbox.clockSet>) =>
        remote(() => inbox.clockSet(...args)),
      takeOver: (...args: Parameters<typeof inbox.takeOver>) =>
        remote(() => inbox.takeOver(...args)),
      partitions: (...args: Parameters<typeof inbox.partitions>) =>
        flaw === 'forgets what it was not told of'
          ? Promise.resolve([])
          : remote(() => inbox.partitions(...args)),
    };

    const reconcile = async (batch: readonly Prepared[], tenure: Tenure): Promise<number> => {
      const rows = flaw === 'posts before earlier messages' ? batch.toReversed() : batch;
      let done = 0;
      for (const { row } of rows) {
        if (flaw !== 'effects are not checked') tenure.assertHeld();
        const isOwnedElsewhere = [...members].some(
          (other) => other !== member && other.slots.tenureOf(row.partition)?.isHeld(),
        );
        watch.sent(row, tenure, isOwnedElsewhere);
        await arrive(5 + upTo(ANSWER_MS));
        if (!(await remote(() => settle(row)))) break;
        done += 1;
      }
      return done;
    };
    const work = createPartitionWorker({
      inbox: far,
      prepare: async (row, _, signal) => {
        await sleep(host.clock, upTo(300), signal);
        if (random() < 0.02) throw new AppError('unavailable', 'the service', { retryable: true });
        return { ...nothingFor(row) };
      },
      reconcile,
      isOnHold: async () => false,
      ...createSilentWaits(),
      late: createLateTargets({ lateIn: async () => [] }),
      notices: { failed: () => undefined, passed: () => undefined },
      log,
      now,
      random,
    });

    let slots: SlotOwner | undefined;
    let scheduler: ReturnType<typeof createScheduler> | undefined;
    const live = async (): Promise<void> => {
      const [session, spare, { query }] = connections;
      const { clock, wallMs } = host;
      const given = { session, spare, query, relaxedQuery: query, log, clock, wallMs, random };
      const opened = await openPostgresLeases(given);
      leases = opened;
      slots = createSlotOwner({ leases: opened, log, clock });
      scheduler = createScheduler({ slots, log, now, clock });
      scheduler.start(work);
      const inboxWork = createInboxWork({
        slots,
        inbox: far,
        scheduler,
        readyPlatforms: () => ['test'],
        log,
        now,
        clock,
      });
      inboxWork.resume('test');
      slots.start();
    };

    const member: Member = {
      host,
      slots: { tenureOf: (key: string) => slots?.tenureOf(key) } as Partial<SlotOwner> as SlotOwner,
      isOver: () => isOver,
      report: async ({ channel, number, version }) => {
        const partition = channelPartition(channel);
        const ref = { channel, id: String(number) };
        const message = {
          ref,
          position: String(number).padStart(5, '0'),
          author: { id: 'ada', name: 'ada', kind: 'person' as const },
          text: plainWords(`version ${version}`),
          version: textOf(version),
          edited: version > 1,
          files: [],
          stickers: [],
        };
        const arrival = { message, purpose: WATCH, partition, writtenMs: START_MS + number };
        const partitions = await remote(async () =>
          version === 0
            ? inbox.markDeleted([ref], { isWatched: true })
            : [(await inbox.accept(arrival)).partition],
        );
        for (const each of partitions) scheduler?.wake(each);
      },
      leave: async () => {
        isOver = true;
        await slots?.drain(3_000);
        await leases?.[Symbol.asyncDispose]();
        member.close();
      },
      close: () => {
        isOver = true;
        for (const each of connections) void each[Symbol.asyncDispose]();
        host.kill();
        members.delete(member);
      },
      stalledUntilMs: 0,
      disconnect: () => {
        for (const each of connections) if (random() < 0.7) each.break();
      },
    };
    members.add(member);
    live().catch(() => {
      member.close();
      time.after(500, join);
    });
  };

  /** The end of all faults so far. */
  let faultyUntilMs = FAULTY_MS;
  const lasts = (forMs: number): number => {
    faultyUntilMs = Math.max(faultyUntilMs, time.nowMs + forMs);
    return forMs;
  };
  const anyMember = (): Member | undefined => {
    const staying = [...members].filter((member) => !member.isOver());
    return staying[Math.floor(upTo(staying.length))];
  };
  const faults: readonly ((member: Member) => void)[] = [
    ({ host }) => host.freeze(lasts(upTo(8_000)), random() < 0.5 ? 'asleep' : 'stopped'),
    ({ host }) => host.freeze(lasts(upTo(8_000)), 'stopped'),
    (member) => {
      member.close();
      time.after(lasts(upTo(2_000)), join);
    },
    (member) => {
      void member.leave();
      time.after(lasts(upTo(2_000)), join);
    },
    (member) => {
      member.stalledUntilMs = time.nowMs + lasts(upTo(6_000));
    },
    (member) => member.disconnect(),
    join,
  ];

  /** Has some process store a report, another one where the first does not answer. */
  const report = async (fate: Fate): Promise<void> => {
    for (;;) {
      const answered = Promise.withResolvers<boolean>();
      const member = anyMember();
      const message = { ...fate.message };
      void member?.report(message).then(() => answered.resolve(true));
      time.after(AGAIN_MS, () => answered.resolve(false));
      if (!(await answered.promise)) continue;
      fate.isStored = true;
      return;
    }
  };
  const talk = async (channel: Reported['channel']): Promise<void> => {
    for (let number = 1; number <= options.messages; number += 1) {
      await pause(upTo((2 * FAULTY_MS) / options.messages));
      const fate = watch.add({ channel, number, version: 1 });
      await report(fate);
      if (random() < 0.3) void change(fate);
    }
  };
  const change = async (fate: Fate): Promise<void> => {
    await pause(upTo(2_000));
    fate.isChanged = true;
    fate.isStored = false;
    fate.message.version = random() < 0.3 ? 0 : 2;
    await report(fate);
  };

  for (let number = 0; number < options.processes; number += 1) time.at(upTo(2_000), join);
  const talking = Array.from({ length: options.channels }, (_, number) =>
    talk({ space: { platform: 'test', id: `${seed}` }, id: `${seed}.${number}` }),
  );
  for (let number = 0; number < options.faults; number += 1)
    time.at(upTo(FAULTY_MS), () => {
      const member = anyMember();
      if (member) faults[Math.floor(upTo(faults.length))]!(member);
    });

  await time.runUntil(FAULTY_MS, () => undefined);
  while (
    watch.missing(options.channels * options.messages) !== undefined &&
    time.nowMs < faultyUntilMs + SETTLED_MS
  )
    await time.runUntil(time.nowMs + 250, () => undefined);
  const left = watch.missing(options.channels * options.messages);
  if (left !== undefined) watch.violate(left);
  else await Promise.all(talking);
  for (const member of members) member.close();
  return watch.result;
};
