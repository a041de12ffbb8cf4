import { sleep } from '../../src/async/clock.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { Tenure } from '../../src/ports/processes.ts';
import { SLOWEST_MS } from '../../src/store/postgres/lease-rows.ts';
import { openPostgresLeases, type PostgresLeases } from '../../src/store/postgres/leases.ts';
import { createLeaseDatabase, type Flaw } from './lease-database.ts';
import { createRandom } from './random.ts';
import { createSimulatedProcess, type SimulatedProcess } from './simulated-process.ts';
import type { SimulatedSession } from './simulated-session.ts';
import { createVirtualTime } from './virtual-time.ts';

/** A fault of the processes themselves, which a simulation must find. */
export type ProcessFlaw = 'clocks too slow' | 'clocks stop while frozen' | 'work is not ended';

export interface SimulationOptions {
  readonly seed: number;
  readonly processes: number;
  /** Number of the names that the processes share. */
  readonly names: number;
  readonly faults: number;
  /** Time in which the faults happen. */
  readonly faultyMs: number;
  readonly flaw?: Flaw | ProcessFlaw;
}

export interface SimulationResult {
  /** What must never happen, and did; empty where all is well. */
  readonly violations: readonly string[];
  readonly tenures: number;
  readonly lost: number;
  readonly told: number;
  readonly heard: number;
  /** Time from the end of the faults until every name was held and all parts were equal. */
  readonly wholeMs: number;
  /** Statements and notifications a second while nothing failed, by kind. */
  readonly perSecond: ReadonlyMap<string, number>;
}

/** Longest time until all is as it should be. */
const WHOLE_MS = 6_000;
const CALM_MS = 5_000;
const LOOK_MS = 50;
/** Drift of clocks, each way; the margin of a lease allows for more. */
const DRIFT = 0.03;
/** Longest time of one direction of a slow network. */
const SLOW_MS = 2_500;
/** Least time between two settings of the database's clock: two of which a process sees neither would hide each other. */
const SET_MS = 10_000;
/** Time by which a lease lasts longer that was claimed on a slow connection, with the renewals after it. */
const GRANTED_MS = SLOWEST_MS + 1_000;
/** Time by which a process that was frozen takes over later than one that waits for a lease to end. */
const KNOWN_MS = 1_500;
const TOLD = 40;

interface Known {
  readonly by: Member;
  readonly tenure: Tenure;
  isEnded: boolean;
}

interface Member {
  readonly host: SimulatedProcess;
  /** The connection that hears, the one beside it, and the pool. */
  readonly connections: readonly [SimulatedSession, SimulatedSession, SimulatedSession];
  readonly working: Map<string, Known>;
  /** Names whose loss was logged. */
  readonly lost: Set<string>;
  leases?: PostgresLeases;
  leave: () => Promise<void>;
  isLeaving: boolean;
  slowUntilMs: number;
  /** Time until which nothing passes between the process and the database. */
  stalledUntilMs: number;
  awayUntilMs: number;
  readonly sleeps: boolean;
}

/** Runs one schedule of faults against the real leases, and watches over all processes at each moment. */
export const simulateLeases = async (options: SimulationOptions): Promise<SimulationResult> => {
  const { flaw, faultyMs, names } = options;
  const random = createRandom(options.seed);
  const time = createVirtualTime();
  const upTo = (most: number): number => random() * most;
  const drift = (): number => 1 + (2 * random() - 1) * DRIFT;

  const violations: string[] = [];
  const violate = (what: string): void =>
    void violations.push(`${Math.round(time.nowMs)} ms: ${what}`);
  const members = new Set<Member>();
  /** Tenures whose signal is not aborted, by name. */
  const open = new Map<string, Set<Known>>();
  const contested = new Set<string>();
  const lastHeld = new Map<string, number>();
  const byEpoch = new Map<string, Known>();
  const counts = { tenures: 0, lost: 0, told: 0, heard: 0 };
  let isFaulty = true;

  const database = createLeaseDatabase({
    time,
    random,
    rate: drift(),
    locked: 0.02,
    flaw: flaw as Flaw,
    released: ({ name, epoch }) => {
      const known = byEpoch.get(`${name} ${epoch}`);
      if (!known || known.isEnded || known.by.lost.has(`${name} ${epoch}`)) return;
      violate(`${name} was given away while its holder worked on it`);
    },
  });

  const begin = (by: Member, tenure: Tenure): Known => {
    const { name, epoch } = tenure;
    const known: Known = { by, tenure, isEnded: false };
    counts.tenures += 1;
    const key = `${name} ${epoch}`;
    if (byEpoch.has(key)) violate(`the epoch ${epoch} of ${name} was given twice`);
    byEpoch.set(key, known);
    if (tenure.signal.aborted) return known;
    const others = open.get(name) ?? new Set();
    open.set(name, others);
    for (const other of others)
      if (other.by === by) violate(`a process began ${name} twice, the first was not ended`);
    others.add(known);
    if (others.size > 1) contested.add(name);
    if (tenure.isHeld()) {
      if (epoch <= (lastHeld.get(name) ?? 0)) violate(`the epochs of ${name} do not grow`);
      lastHeld.set(name, Math.max(epoch, lastHeld.get(name) ?? 0));
    }
    tenure.signal.addEventListener(
      'abort',
      () => {
        others.delete(known);
        if (by.working.get(name) === known) by.working.delete(name);
      },
      { once: true },
    );
    return known;
  };

  /** Looks at all names of which two processes could believe that they have them. */
  const watch = (): void => {
    for (const name of contested) {
      const held = [...(open.get(name) ?? [])].filter(({ tenure }) => tenure.isHeld());
      if (held.length > 1) violate(`${name} is held by ${held.length} processes`);
      if ((open.get(name)?.size ?? 0) < 2) contested.delete(name);
    }
  };

  const join = (): void => {
    const rate = drift() * (flaw === 'clocks too slow' && random() < 0.5 ? 0.6 : 1);
    const clocks = { rate, offsetMs: upTo(1e9) };
    const host = createSimulatedProcess(time, clocks, random);
    const network = {
      hopMs: () =>
        Math.max(0, member.stalledUntilMs - time.nowMs) +
        (time.nowMs < member.slowUntilMs ? upTo(SLOW_MS) : 0.1 + upTo(2)),
      isReachable: () => time.nowMs >= member.awayUntilMs,
    };
    const member: Member = {
      host,
      connections: [
        database.connect(host, network),
        database.connect(host, network),
        database.connect(host, { ...network, isPool: true }),
      ],
      working: new Map(),
      lost: new Set(),
      leave: async () => undefined,
      isLeaving: false,
      slowUntilMs: 0,
      stalledUntilMs: 0,
      awayUntilMs: 0,
      sleeps: random() < 0.5 || flaw === 'clocks stop while frozen',
    };
    members.add(member);
    const log = {
      warn: ({ lease }: { lease?: string }) => {
        if (lease === undefined) return;
        counts.lost += 1;
        const epochs = [...(losing.get(lease) ?? [])];
        for (const epoch of epochs) member.lost.add(`${lease} ${epoch}`);
      },
      debug: () => undefined,
    } as unknown as Log;
    /** Epochs of the tenures that this process has begun, by name. */
    const losing = new Map<string, Set<number>>();
    const note = ({ name, epoch }: Tenure): void =>
      void losing.set(name, (losing.get(name) ?? new Set()).add(epoch));
    const { clock } = host;
    const wallMs = flaw === 'clocks stop while frozen' ? clock.nowMs : host.wallMs;

    const live = async (): Promise<void> => {
      const [session, spare, { query }] = member.connections;
      const given = { session, spare, query, relaxedQuery: query, log, clock, wallMs, random };
      const leases = await openPostgresLeases(given);
      member.leases = leases;
      const left = new AbortController();
      const share = leases.share('thing', names, (tenure) => {
        note(tenure);
        const known = begin(member, tenure);
        member.working.set(tenure.name, known);
        return {
          hear: (message) => {
            counts.heard += 1;
            if (known.isEnded || tenure.signal.aborted)
              violate(`${tenure.name} was told to one that ended it`);
            if (!message.startsWith(`${tenure.name} `))
              violate(`${tenure.name} was told what is another's`);
          },
          [Symbol.asyncDispose]: async () => {
            if (flaw === 'work is not ended') return;
            await sleep(host.clock, upTo(isFaulty && random() < 0.05 ? 5_000 : 50));
            known.isEnded = true;
          },
        };
      });
      const alone = async (): Promise<void> => {
        while (!left.signal.aborted) {
          const tenure = await leases.acquire('alone', left.signal);
          note(tenure);
          const known = begin(member, tenure);
          await sleep(host.clock, upTo(2_000), tenure.signal).catch(() => undefined);
          known.isEnded = true;
          await tenure.release();
        }
      };
      const alive = async (): Promise<void> => {
        while (!left.signal.aborted) {
          const tenure = await leases.acquire(`process:${leases.owner}`, left.signal);
          await sleep(host.clock, 1e9, tenure.signal).catch(() => undefined);
        }
      };
      alive().catch(() => undefined);
      if (members.size <= 3) alone().catch(() => undefined);
      member.leave = async () => {
        member.isLeaving = true;
        await share[Symbol.asyncDispose]();
        left.abort();
        await leases[Symbol.asyncDispose]();
        closeAll(member);
        end(member);
      };
    };
    // A process that cannot start ends, and is started again.
    live().catch(() => {
      end(member);
      time.after(1_000, join);
    });
  };

  const closeAll = ({ connections }: Member): void => {
    for (const each of connections) void each[Symbol.asyncDispose]();
  };
  /** Forgets a process that has left or was killed. */
  const end = (member: Member): void => {
    members.delete(member);
    member.host.kill();
    for (const known of open.values().flatMap((each) => [...each]))
      if (known.by === member) open.get(known.tenure.name)?.delete(known);
  };

  /** The end of all faults so far. */
  let faultyUntilMs = faultyMs;
  const lasts = (forMs: number): number => {
    faultyUntilMs = Math.max(faultyUntilMs, time.nowMs + forMs);
    return forMs;
  };
  /** Time from which the database's clock may be set again. */
  let mayBeSetMs = 0;
  const anyMember = (): Member | undefined => [...members][Math.floor(upTo(members.size))];
  const disconnect = (member: Member, forMs: number): void => {
    member.awayUntilMs = time.nowMs + lasts(forMs);
    for (const each of member.connections) each.break();
  };
  const freeze = ({ host, sleeps }: Member, forMs: number): void => {
    // Until it knows the database's clock again, it takes over only what was released.
    lasts(forMs + KNOWN_MS);
    host.freeze(forMs, sleeps ? 'asleep' : 'stopped');
  };
  const faults: ((member: Member) => void)[] = [
    (member) => freeze(member, upTo(upTo(12_000))),
    (member) => freeze(member, upTo(6_000)),
    // A clock that is set back by as much as the machine sleeps hides the sleep.
    ({ host, sleeps }) => host.setWallClock((sleeps ? 1 : 2 * random() - 1) * 3_600_000),
    (member) => disconnect(member, 0),
    ({ connections }) => connections[Math.floor(upTo(connections.length))]!.break(),
    () => {
      if (time.nowMs < mayBeSetMs) return;
      mayBeSetMs = time.nowMs + SET_MS;
      const byMs = 10 ** upTo(10);
      // A lease that ends while the clock is set back a little can look like one that lasts.
      lasts(8_000 + Math.min(byMs, 30_000));
      database.setClock(random() < 0.5 ? -byMs : byMs);
    },
    (member) => disconnect(member, upTo(8_000)),
    (member) => {
      member.slowUntilMs = time.nowMs + lasts(upTo(5_000));
      lasts(5_000 + 2 * SLOW_MS + GRANTED_MS);
    },
    (member) => {
      closeAll(member);
      end(member);
      if (random() < 0.7 || members.size === 0) join();
    },
    (member) => {
      if (!member.isLeaving) void member.leave();
      if (random() < 0.7) join();
    },
    (member) => {
      const forMs = upTo(6_000);
      lasts(forMs + GRANTED_MS);
      member.stalledUntilMs = time.nowMs + forMs;
    },
    () => {
      const forMs = upTo(6_000);
      lasts(forMs + GRANTED_MS);
      const untilMs = time.nowMs + forMs;
      for (const member of members) member.stalledUntilMs = untilMs;
    },
    () => {
      for (let more = upTo(options.processes / 4); more > 0; more -= 1) join();
    },
    () => {
      const forMs = upTo(3_000);
      for (const member of members) disconnect(member, forMs);
    },
  ];
  const fail = (): void => {
    const member = anyMember();
    if (member) faults[Math.floor(upTo(faults.length))]!(member);
    else join();
  };

  const tellOne = (): void => {
    const member = anyMember();
    const name = `thing:${Math.floor(upTo(names))}`;
    counts.told += 1;
    member?.host.run(() => member.leases?.tell(name, `${name} ${counts.told}`));
  };

  /** What is not yet as it should be once nothing fails. */
  const missing = (): string | undefined => {
    const staying = [...members].filter(({ isLeaving }) => !isLeaving);
    const sizes = staying.map(({ working }) => working.size);
    const held = new Set(
      staying.flatMap(({ working }) =>
        [...working.values()]
          .filter(({ tenure }) => tenure.isHeld())
          .map(({ tenure }) => tenure.name),
      ),
    );
    if (held.size < names) return `${names - held.size} of ${names} names are held by nobody`;
    if (Math.max(...sizes) - Math.min(...sizes) > 1)
      return `parts are from ${Math.min(...sizes)} to ${Math.max(...sizes)}`;
    return undefined;
  };

  const startMs = random() < 0.5 ? 0 : 5_000;
  for (let number = 0; number < options.processes; number += 1) time.at(upTo(startMs), join);
  for (let number = 0; number < options.faults; number += 1) time.at(upTo(faultyMs), fail);
  for (let number = 0; number < TOLD; number += 1) time.at(upTo(faultyMs), tellOne);

  await time.runUntil(faultyMs, watch);
  const isReady = ({ host, connections, isLeaving }: Member): boolean =>
    !isLeaving && !host.isFrozen() && connections.every((each) => each.isConnected());
  while (time.nowMs < faultyUntilMs || ![...members].every(isReady))
    await time.runUntil(time.nowMs + LOOK_MS, watch);
  if (members.size === 0) join();
  isFaulty = false;
  const calmMs = time.nowMs;
  while (missing() !== undefined && time.nowMs < calmMs + WHOLE_MS)
    await time.runUntil(time.nowMs + LOOK_MS, watch);
  const wholeMs = time.nowMs - calmMs;
  const left = missing();
  if (left !== undefined) violate(left);

  // Nothing is lost while nothing fails.
  await time.runUntil(calmMs + WHOLE_MS, watch);
  const { lost } = counts;
  const before = new Map(database.statements);
  const notifiedBefore = database.notified;
  await time.runUntil(time.nowMs + CALM_MS, watch);
  if (counts.lost > lost) violate('a lease was lost while nothing failed');
  const again = missing();
  if (left === undefined && again !== undefined) violate(`later ${again}`);
  const perSecond = new Map(
    [...database.statements].map(([kind, count]) => [
      kind,
      (count - (before.get(kind) ?? 0)) / (CALM_MS / 1_000),
    ]),
  );
  perSecond.set('notified', (database.notified - notifiedBefore) / (CALM_MS / 1_000));
  for (const { host } of members) host.kill();
  return { violations, ...counts, wholeMs, perSecond };
};
