import { sleep, type Clock } from '../../../../src/async/clock.ts';
import type { Lane } from '../../../../src/model/service.ts';
import {
  createRequestScheduler,
  type RequestScheduler,
} from '../../../../src/api/scheduler/scheduler.ts';
import { createSharedPace } from '../../../../src/api/scheduler/shared-pace.ts';
import { createTestClock, type TestClock } from '../../../fakes/clock.ts';
import { createRandom } from '../../../fakes/random.ts';
import { createSharedStatesFake, type SharedStatesFake } from '../../../fakes/shared-states.ts';
import {
  sendJob,
  simulateService,
  type Done,
  type Simulated,
  type SimulatedService,
} from './simulation.ts';

/** A process that sends to the service. */
export interface SimulatedProcess {
  readonly scheduler: RequestScheduler;
  readonly done: Done[];
  /** Begins to send without a pause, so many requests at the same time. */
  readonly flood: (lane: Lane, atOnce?: number) => void;
  /** Sends one request of a person now and then. */
  readonly chat: (everyMs: number) => void;
  /** Sends one line of speech. */
  readonly line: () => void;
  /** Ends at once, with all that it had. */
  readonly kill: () => void;
  /** Ends what it sends. */
  readonly rest: () => void;
}

export interface Simulation {
  readonly clock: TestClock;
  readonly service: Simulated;
  readonly states: SharedStatesFake;
  readonly processes: readonly SimulatedProcess[];
}

const runProcess = (
  { nowMs, after }: Clock,
  service: Simulated,
  states: SharedStatesFake | undefined,
  by: string,
): SimulatedProcess => {
  let isAlive = true;
  const work = { isBusy: true };
  // A process that was killed does nothing any more.
  const clock: Clock = { nowMs, after: (ms, run) => after(ms, () => void (isAlive && run())) };
  const random = createRandom(by.length + by.charCodeAt(0));
  const shared = states?.join();
  const makePace = (changed: () => void) => {
    const name = 'key:translate';
    const pace = createSharedPace({ states: shared!, name, by, clock, random, changed });
    shared!.watch(pace.look);
    return pace;
  };
  const scheduler = createRequestScheduler({ clock, random, ...(shared ? { makePace } : {}) });
  const done: Done[] = [];
  const send = async (lane: Lane, space: string): Promise<void> => {
    done.push(await sendJob(clock, scheduler, service, { lane, space, atMs: nowMs() }));
  };
  const flood = async (lane: Lane, index: number): Promise<void> => {
    while (work.isBusy) await send(lane, `space ${index}`);
  };
  const chat = async (everyMs: number): Promise<void> => {
    while (work.isBusy) {
      await sleep(clock, everyMs * (0.5 + random()));
      void send('interactive', 'a space');
    }
  };
  return {
    scheduler,
    done,
    flood: (lane, atOnce = 12) => {
      work.isBusy = true;
      for (let index = 0; index < atOnce; index += 1) void flood(lane, index);
    },
    chat: (everyMs) => {
      work.isBusy = true;
      void chat(everyMs);
    },
    line: () => void send('live', 'a room'),
    kill: () => {
      isAlive = false;
    },
    rest: () => {
      work.isBusy = false;
    },
  };
};

/** Runs processes that use one key of a service, in simulated time; alone each learns for itself. */
export const simulateProcesses = (
  count: number,
  limits: SimulatedService,
  { isAlone = false } = {},
): Simulation => {
  const clock = createTestClock();
  const service = simulateService(clock, limits);
  const states = createSharedStatesFake(clock);
  const processes = Array.from({ length: count }, (_, index) =>
    runProcess(clock, service, isAlone ? undefined : states, `process ${'abcdefgh'[index]}`),
  );
  return { clock, service, states, processes };
};

/** What is used of the allowance, and refused, while a time passes. */
export const measureFor = async ({ clock, service }: Simulation, ms: number) => {
  const before = { ...service, allowed: service.bucket.allowed() };
  await clock.advance(ms);
  const accepted = service.accepted - before.accepted;
  const refused = service.refused - before.refused;
  return {
    accepted,
    used: accepted / (service.bucket.allowed() - before.allowed),
    refused: refused / Math.max(1, accepted + refused),
  };
};
