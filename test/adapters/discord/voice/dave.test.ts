import { describe, expect, it } from 'vitest';
import { createDaveReader } from '../../../../adapters/discord/voice/dave.ts';
import type { DaveSession } from '../../../../adapters/discord/voice/library-internals.ts';

const PLAIN = Buffer.from([0xf8, 1, 2, 3]);
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);
const ENCRYPTED = Buffer.concat([Buffer.alloc(20, 5), Buffer.from([0xfa, 0xfa])]);

const start = () => {
  const time = { ms: 1_000_000 };
  const state = {
    version: 1,
    ready: true,
    reinitializing: false,
    lastTransitionId: 0 as number | undefined,
    pending: new Map<number, number>(),
    /** Whose frames can be decrypted. */
    understood: new Set<string>(),
    decrypts: 0,
    recoveries: [] as number[],
    exhausted: 0,
    /** What the library does when it is to make a group anew. */
    recover: (): void => undefined,
  };
  const session = {
    get ready() {
      return state.ready;
    },
    decrypt: (userId: string) => {
      state.decrypts += 1;
      if (state.understood.has(userId)) return PLAIN;
      throw new Error('no valid key');
    },
  };
  const dave = {
    session,
    get protocolVersion() {
      return state.version;
    },
    get reinitializing() {
      return state.reinitializing;
    },
    get lastTransitionId() {
      return state.lastTransitionId;
    },
    get pendingTransitions() {
      return state.pending;
    },
    recoverFromInvalidTransition: (id: number) => {
      state.recoveries.push(id);
      state.recover();
    },
  } as unknown as DaveSession;
  let current: DaveSession | undefined = dave;
  const reader = createDaveReader({
    dave: () => current,
    nowMs: () => time.ms,
    exhausted: () => (state.exhausted += 1),
  });
  return {
    time,
    state,
    reader,
    gone: () => (current = undefined),
    /** One packet each 20 ms. */
    hear: (count: number, frame: Buffer, memberId = 'ann') => {
      const heard: (Buffer | undefined)[] = [];
      for (let at = 0; at < count; at += 1) {
        time.ms += 20;
        heard.push(reader.open(frame, memberId));
      }
      return heard.filter((each) => each !== undefined).length;
    },
  };
};

describe('what is not encrypted', () => {
  it('is refused in an encrypted channel, from the first packet on, group or not', () => {
    const { state, hear } = start();
    expect(hear(3, PLAIN)).toBe(0);
    state.ready = false;
    expect(hear(3, PLAIN)).toBe(0);
    expect(state.decrypts).toBe(0);
  });

  it('is taken in a channel without encryption', () => {
    const { state, hear } = start();
    state.version = 0;
    expect(hear(3, PLAIN)).toBe(3);
  });

  it('is taken for ten seconds after the encryption began, and no longer', () => {
    const { state, time, hear } = start();
    state.version = 0;
    hear(1, PLAIN);
    state.version = 1;
    expect(hear(1, PLAIN)).toBe(1);
    time.ms += 9_980;
    expect(hear(2, PLAIN)).toBe(1);
  });

  it('is taken as soon as the end of the encryption is told', () => {
    const { state, hear } = start();
    state.pending.set(7, 1);
    expect(hear(1, PLAIN)).toBe(0);
    state.pending.set(8, 0);
    expect(hear(1, PLAIN)).toBe(1);
  });

  it('is taken of silence, always', () => {
    const { state, gone, hear } = start();
    expect(hear(1, SILENCE)).toBe(1);
    state.ready = false;
    expect(hear(1, SILENCE)).toBe(1);
    gone();
    expect(hear(1, SILENCE)).toBe(1);
  });

  it('is not taken for long on another voice server because it was on the last one', () => {
    const { state, reader, hear } = start();
    state.version = 0;
    hear(1, PLAIN);
    reader.renewed();
    state.version = 1;
    expect(hear(1, PLAIN)).toBe(0);
  });
});

describe('whose a packet is', () => {
  it('is proved by the encryption, while nothing else is taken', () => {
    const { state, time, reader, gone } = start();
    expect(reader.proves()).toBe(true);
    state.pending.set(8, 0);
    expect(reader.proves()).toBe(false);
    state.pending.clear();
    state.version = 0;
    expect(reader.proves()).toBe(false);
    state.version = 1;
    expect(reader.proves()).toBe(false);
    time.ms += 10_001;
    expect(reader.proves()).toBe(true);
    gone();
    expect(reader.proves()).toBe(false);
  });
});

describe('whose keys decrypt a packet', () => {
  it('is told without counting a failure', () => {
    const { state, reader, gone } = start();
    state.understood = new Set(['ann']);
    for (let at = 0; at < 100; at += 1) expect(reader.isFrom(ENCRYPTED, 'bob')).toBe(false);
    expect(reader.isFrom(ENCRYPTED, 'ann')).toBe(true);
    expect(reader.isFrom(PLAIN, 'ann')).toBe(false);
    expect([state.recoveries, state.exhausted]).toEqual([[], 0]);
    gone();
    expect(reader.isFrom(ENCRYPTED, 'ann')).toBe(false);
  });
});

describe('what is encrypted', () => {
  it('is never taken for sound that it is not: no session, no group, no encryption any more', () => {
    const { state, gone, hear } = start();
    state.ready = false;
    expect(hear(1, ENCRYPTED)).toBe(0);
    state.ready = true;
    state.version = 0;
    expect(hear(60, ENCRYPTED)).toBe(0);
    expect(state.recoveries).toEqual([]);
    gone();
    expect(hear(1, ENCRYPTED)).toBe(0);
    expect(state.exhausted).toBe(0);
  });

  it('has its group made anew after 36 failures in a row, also after transition 0 or none', () => {
    for (const id of [0, undefined, 4]) {
      const { state, hear } = start();
      state.lastTransitionId = id;
      hear(36, ENCRYPTED);
      expect(state.recoveries).toEqual([]);
      hear(1, ENCRYPTED);
      expect(state.recoveries).toEqual([id ?? 0]);
    }
  });

  it('starts counting again with each packet that can be opened', () => {
    const { state, hear } = start();
    hear(36, ENCRYPTED);
    state.understood.add('ann');
    expect(hear(1, ENCRYPTED)).toBe(1);
    state.understood.clear();
    hear(36, ENCRYPTED);
    expect(state.recoveries).toEqual([]);
  });

  it('has its group made anew three times in 30 s, then there is a new connection', () => {
    const { state, time, hear } = start();
    hear(37 * 3, ENCRYPTED);
    expect([state.recoveries.length, state.exhausted]).toEqual([3, 0]);
    hear(37, ENCRYPTED);
    expect([state.recoveries.length, state.exhausted]).toEqual([3, 1]);
    time.ms += 30_000;
    hear(37, ENCRYPTED);
    expect(state.recoveries.length).toBe(4);
  });

  it('waits while keys change hands, for ten seconds and not for ever', () => {
    for (const change of ['pending', 'ready', 'reinitializing'] as const) {
      const { state, hear } = start();
      if (change === 'pending') state.pending.set(3, 1);
      else state[change] = change === 'reinitializing';
      hear(500, ENCRYPTED);
      expect([change, state.recoveries.length, state.exhausted]).toEqual([change, 0, 0]);
      hear(40, ENCRYPTED);
      const isOver = state.recoveries.length + state.exhausted;
      expect([change, isOver > 0]).toEqual([change, true]);
      // The library does nothing about what it is doing already.
      if (change === 'reinitializing') expect(state.recoveries).toEqual([]);
    }
  });

  it('waits anew for each change', () => {
    const { state, hear } = start();
    state.pending.set(3, 1);
    hear(400, ENCRYPTED);
    state.pending.set(4, 1);
    hear(400, ENCRYPTED);
    state.pending.clear();
    state.understood.add('ann');
    hear(1, ENCRYPTED);
    state.understood.clear();
    state.pending.set(4, 1);
    hear(400, ENCRYPTED);
    expect([state.recoveries.length, state.exhausted]).toEqual([0, 0]);
  });

  it('costs those who can be heard one new group in five minutes for one who cannot', () => {
    const { state, hear } = start();
    state.understood.add('bob');
    hear(1, ENCRYPTED, 'bob');
    const talk = (rounds: number): void => {
      for (let round = 0; round < rounds; round += 1) {
        hear(40, ENCRYPTED);
        expect(hear(1, ENCRYPTED, 'bob')).toBe(1);
      }
    };
    talk(360);
    expect([state.recoveries.length, state.exhausted]).toEqual([1, 0]);
    talk(40);
    expect([state.recoveries.length, state.exhausted]).toEqual([2, 0]);
  });

  it('ends nothing when the library throws as it makes a group anew', () => {
    const { state, reader, hear } = start();
    state.recover = () => {
      throw new Error('reinit');
    };
    expect(hear(37, ENCRYPTED)).toBe(0);
    expect(state.exhausted).toBe(1);
    reader.failedMessage();
    expect(state.exhausted).toBe(2);
  });

  it('asks for a new connection when the library chokes where there is no session', () => {
    const { state, reader, gone } = start();
    reader.failedMessage();
    expect([state.recoveries.length, state.exhausted]).toEqual([1, 0]);
    gone();
    reader.failedMessage();
    expect([state.recoveries.length, state.exhausted]).toEqual([1, 1]);
  });
});
