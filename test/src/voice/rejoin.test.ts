import { describe, expect, it } from 'vitest';
import { AppError, userError } from '../../../src/errors.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import type { Content } from '../../../src/model/message.ts';
import type { StoredRoom } from '../../../src/model/room.ts';
import type { Leases, Tenure } from '../../../src/ports/processes.ts';
import { openEmbeddedLeases } from '../../../src/store/sqlite/store.ts';
import { openStore } from '../../../src/store/index.ts';
import { createRejoin } from '../../../src/voice/rejoin.ts';
import type { OpenRoomRow } from '../../../src/store/open-rooms.ts';
import type { Platform } from '../../../src/ports/platform.ts';
import type { VoicePort } from '../../../src/ports/voice.ts';
import type { EnteredRoom } from '../../../src/voice/room-entry.ts';
import type { OpenRoom } from '../../../src/voice/room.ts';
import { createRoomTexts } from '../../../src/voice/texts.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { sentence } from '../../fakes/sentences.ts';
import { asShown } from '../../fakes/voice-messages.ts';
import { channelOf, SPACE } from '../../fakes/voice-port.ts';
import { realTexts } from '../../fakes/texts.ts';

const MINUTE_MS = 60_000;
const START_MS = 100_000_000;
const texts = createRoomTexts(realTexts, 'en', 'plain');
const ROOM: StoredRoom = {
  channel: channelOf('room'),
  locale: 'en',
  isAutomatic: false,
  captions: { languages: ['es'], in: channelOf('chat'), startedMs: 0, startedBy: 'ann' },
};
const away = (): AppError => new AppError('unavailable', 'away', { retryable: true });

const start = (stored: StoredRoom = ROOM, awayMs = MINUTE_MS, leases?: Leases) => {
  const clock = createTestClock(START_MS);
  const state = {
    row: { room: stored, seenMs: START_MS - awayMs } as OpenRoomRow | undefined,
    isPeopled: true,
    opening: undefined as AppError | undefined,
    captions: undefined as AppError | undefined,
    posting: undefined as AppError | undefined,
    tenure: undefined as AppError | undefined,
    isOpen: false,
    isElsewhere: false,
    isLost: false,
    /** Aborted when somebody asks for the bot. */
    request: new AbortController(),
    tenureGiven: (): void => undefined,
    openingBegun: (): void => undefined,
    /** The wait for the platform's rate. */
    waiting: async (): Promise<void> => undefined,
  };
  const told: string[] = [];
  const warned: string[] = [];
  const done: unknown[] = [];
  let releases = 0;
  let held: Tenure | undefined;
  const post = async (content: Content, to = 'room') =>
    told.push(`${to}: ${asShown(content.text)}`) > 0;
  const opened = {
    texts,
    note: async (content: Content) => post(content),
    startCaptions: async (options: unknown) => {
      if (state.captions) throw state.captions;
      done.push(['captions', options]);
    },
    store: async () => void done.push('kept'),
    close: async (reason: unknown) => void done.push(['closed', reason]),
  } as unknown as OpenRoom;
  const platform: Partial<Platform> = {
    post: async (to, content, options) => {
      if (state.posting) throw state.posting;
      await state.waiting();
      options?.assertHeld?.();
      await post(content, to.id);
      return { channel: to, ids: ['m'] };
    },
    tell: async ({ id }, content, options) => {
      options?.assertHeld?.();
      await post(content, id);
    },
  };
  const returns = createRejoin({
    rows: {
      of: async () => state.row,
      remove: async () => void (state.row = undefined),
    },
    clock,
    now: clock.nowMs,
    entry: {
      isPeopled: () => state.isPeopled,
      of: () => (state.isOpen ? ({} as EnteredRoom) : undefined),
      turn: async () => ({ [Symbol.dispose]: () => undefined }),
      acquire: async (_, wanted) => {
        if (state.tenure) throw state.tenure;
        if (state.isElsewhere)
          return new Promise((_resolve, reject) => {
            const stopped = AbortSignal.any([wanted, state.request.signal]);
            stopped.addEventListener('abort', () => reject(stopped.reason as Error));
          });
        if (leases) return leases.acquire('room', new AbortController().signal);
        state.tenureGiven();
        return {
          epoch: 1,
          assertHeld: () => {
            if (state.isLost) throw new AppError('cancelled', 'the lease is not held any more');
          },
          release: async () => void (releases += 1),
        } as Partial<Tenure> as Tenure;
      },
      openUnder: async (tenure) => {
        state.openingBegun();
        if (state.opening) throw state.opening;
        state.isOpen = true;
        held = tenure;
        return opened;
      },
      portOf: () => ({ platform: platform as Platform, port: {} as VoicePort }),
    },
    texts: realTexts,
    notBack: () => done.push('not back'),
    log: createLog('warn', { write: (line: string) => void warned.push(line) }),
  });
  return {
    clock,
    state,
    told,
    warned,
    done,
    returns,
    releases: () => releases,
    /** People send the bot away. */
    leave: async () => {
      state.row = undefined;
      await held?.release();
    },
  };
};

const notBack = (reason: string): string =>
  `chat: ${sentence('room.not-back', { since: 'X', reason })}`;
const withoutTime = (told: readonly string[]): string[] =>
  told.map((text) => text.replace(/at \S+ \S+ UTC and/, 'at X and'));

describe('a room in which the program ended', () => {
  it('goes on with its captions, as they were', async () => {
    const { returns, done } = start();
    expect(await returns.spaceReady(SPACE)).toBe(true);
    const interrupted = { startedMs: 0, sinceMs: START_MS - MINUTE_MS };
    const { startedMs: _, ...captions } = ROOM.captions!;
    expect(done).toEqual([['captions', { ...captions, interrupted }], 'kept']);
    expect(returns.isUnderWay(SPACE)).toBe(false);
  });

  it('without captions is told that the bot is back', async () => {
    const { returns, told } = start({ ...ROOM, captions: undefined });
    await returns.spaceReady(SPACE);
    expect(told).toEqual([`room: ${sentence('room.back')}`]);
  });

  it('is told once where nobody is left, and forgotten', async () => {
    const { returns, told, state, done, releases } = start();
    state.isPeopled = false;
    await returns.spaceReady(SPACE);
    await returns.spaceReady(SPACE);
    expect(withoutTime(told)).toEqual([notBack(sentence('room.was-empty'))]);
    expect([state.row, done[0], releases()]).toEqual([undefined, 'not back', 1]);
  });

  it('is told once where the bot may not come back any more', async () => {
    const { returns, told, state } = start();
    state.opening = userError('forbidden', 'room.full');
    await returns.spaceReady(SPACE);
    expect(withoutTime(told)).toEqual([notBack(sentence('room.full'))]);
    expect(state.row).toBeUndefined();
  });

  it('is told to who started the captions where nothing can be posted', async () => {
    const { returns, told, state } = start();
    state.opening = userError('forbidden', 'room.full');
    state.posting = new AppError('forbidden', 'not there');
    await returns.spaceReady(SPACE);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^ann: /);
    expect(told[0]).toContain(sentence('room.full'));
  });

  it('is told after a quarter of an hour, and after a day no more', async () => {
    const late = start(ROOM, 16 * MINUTE_MS);
    await late.returns.spaceReady(SPACE);
    expect(withoutTime(late.told)).toEqual([notBack(sentence('room.was-long'))]);
    const old = start(ROOM, 25 * 60 * MINUTE_MS);
    await old.returns.spaceReady(SPACE);
    expect([old.told, old.state.row]).toEqual([[], undefined]);
  });

  it('that cannot be joined now is tried again, for a quarter of an hour', async () => {
    const { returns, clock, told, state } = start();
    state.opening = away();
    await returns.spaceReady(SPACE);
    expect([returns.isUnderWay(SPACE), told]).toEqual([true, []]);
    await clock.advance(MINUTE_MS);
    expect(state.row).toBeDefined();
    await clock.advance(15 * MINUTE_MS);
    expect([returns.isUnderWay(SPACE), state.row, clock.waiting]).toEqual([false, undefined, 0]);
    expect(withoutTime(told)).toEqual([notBack(sentence('room.was-long'))]);
  });

  it('is not joined while another process is there', async () => {
    const { returns, clock, state, done } = start();
    state.tenure = away();
    expect(await returns.spaceReady(SPACE)).toBe(false);
    expect(await returns.spaceReady(SPACE)).toBe(false);
    expect(done).toEqual([]);
    state.tenure = undefined;
    // The other one has left it for good.
    state.row = undefined;
    await clock.advance(MINUTE_MS);
    expect(done).toEqual(['not back']);
  });

  it('is joined by one of two processes that see its space', async () => {
    await using store = await openStore('sqlite::memory:');
    const leases = await openEmbeddedLeases(store, 'both');
    const first = start(ROOM, MINUTE_MS, leases);
    const second = start(ROOM, MINUTE_MS, leases);
    await first.returns.spaceReady(SPACE);
    const waiting = second.returns.spaceReady(SPACE);
    expect([first.state.isOpen, second.state.isOpen]).toEqual([true, false]);
    second.state.row = undefined;
    await first.leave();
    await waiting;
    expect([second.state.isOpen, second.told, second.done]).toEqual([false, [], ['not back']]);
  });

  it('is not waited for while somebody asks for the bot, and then waited for again', async () => {
    const { returns, clock, state } = start();
    state.isElsewhere = true;
    const waiting = returns.spaceReady(SPACE);
    await clock.advance(1_000);
    state.request.abort(away());
    expect(await waiting).toBe(false);
    expect([returns.isUnderWay(SPACE), state.isOpen]).toEqual([true, false]);
    state.isElsewhere = false;
    await clock.advance(MINUTE_MS);
    expect(state.isOpen).toBe(true);
  });

  it('is neither told nor forgotten by a process that is not in charge any more', async () => {
    const { returns, told, state } = start();
    state.isPeopled = false;
    state.isLost = true;
    expect(await returns.spaceReady(SPACE)).toBe(false);
    expect([told, state.row === undefined]).toEqual([[], false]);
  });

  it('is not told of by a process whose lease ends while the message waits', async () => {
    const { returns, told, state } = start();
    state.isPeopled = false;
    state.waiting = async () => void (state.isLost = true);
    await returns.spaceReady(SPACE);
    expect(told).toEqual([]);
  });

  it('is left to the next process where its space is lost during the wait for another one', async () => {
    const { returns, state, told, warned, done } = start();
    state.isElsewhere = true;
    const waiting = returns.spaceReady(SPACE);
    // The tenure is being acquired.
    await new Promise(setImmediate);
    state.isPeopled = false;
    returns.spaceLost(SPACE);
    expect(await waiting).toBe(false);
    expect([told, warned, done, returns.isUnderWay(SPACE)]).toEqual([[], [], [], false]);
    expect(state.row).toBeDefined();
  });

  it('is left to the next process where its space is lost once the tenure is there', async () => {
    const { returns, state, told, done, releases } = start();
    const coming = returns.spaceReady(SPACE);
    state.isPeopled = false;
    state.tenureGiven = () => returns.spaceLost(SPACE);
    expect(await coming).toBe(false);
    expect([told, done, releases()]).toEqual([[], [], 1]);
    expect(state.row).toBeDefined();
  });

  it('is not told of by a process that lost its space while it joined', async () => {
    const { returns, state, told } = start();
    state.opening = userError('unsupported', 'room.no-voice-here');
    state.openingBegun = () => returns.spaceLost(SPACE);
    expect(await returns.spaceReady(SPACE)).toBe(false);
    expect(told).toEqual([]);
    expect(state.row).toBeDefined();
  });

  it('is tried no more where its space is lost meanwhile, and again once that is back', async () => {
    const { returns, clock, state, done } = start();
    state.opening = away();
    await returns.spaceReady(SPACE);
    returns.spaceLost(SPACE);
    expect([clock.waiting, returns.isUnderWay(SPACE)]).toEqual([0, false]);
    state.opening = undefined;
    await clock.advance(MINUTE_MS);
    expect([done, state.isOpen]).toEqual([[], false]);
    expect(await returns.spaceReady(SPACE)).toBe(true);
    expect(state.isOpen).toBe(true);
  });

  it('is left to somebody who asks for the bot meanwhile', async () => {
    const { returns, clock, state, done } = start();
    state.opening = away();
    await returns.spaceReady(SPACE);
    state.isOpen = true;
    await clock.advance(MINUTE_MS);
    expect([done, clock.waiting]).toEqual([[], 0]);
  });

  it('says why captions cannot go on, and is left where nobody asked for the bot', async () => {
    const { returns, told, done, state } = start({ ...ROOM, isAutomatic: true });
    state.captions = userError('forbidden', 'room.full');
    await returns.spaceReady(SPACE);
    expect(told).toEqual([
      `room: ${sentence('room.captions-not-back', { reason: sentence('room.full') })}`,
    ]);
    expect(done[0]).toEqual(['closed', 'unwanted']);
  });

  it('is left alone when the program ends meanwhile', async () => {
    const { returns, clock, state } = start();
    state.opening = away();
    await returns.spaceReady(SPACE);
    returns[Symbol.dispose]();
    await clock.advance(MINUTE_MS);
    expect(state.row).toBeDefined();
    expect(clock.waiting).toBe(0);
  });
});
