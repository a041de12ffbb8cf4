import { describe, expect, it } from 'vitest';
import { createConsentChoices } from '../../../../src/voice/consent/choices.ts';
import type { ConsentChoice } from '../../../../src/model/room.ts';
import { settle, SPACE } from '../room-harness.ts';

const start = () => {
  const written = new Map<string, ConsentChoice>();
  const told: ConsentChoice[] = [];
  const state = { isOut: false, reading: Promise.resolve(), fails: false };
  const choosing = createConsentChoices({
    consents: {
      of: async (_, id) => {
        const found = written.get(id);
        await state.reading;
        return found;
      },
      choose: async (_, id, choice) => {
        if (state.fails) throw new Error('no database');
        await new Promise(setImmediate);
        written.set(id, choice);
      },
    },
    privacy: { optedOut: async () => state.isOut },
    chosen: (_, __, choice) => told.push(choice),
  });
  return { choosing, told, state };
};

describe('what somebody chooses', () => {
  it('holds once it is written down; a no before', async () => {
    const { choosing, told } = start();
    const yes = choosing.choose(SPACE, 'ann', 'allowed');
    expect(told).toEqual([]);
    await yes;
    expect(told).toEqual(['allowed']);
    const no = choosing.choose(SPACE, 'ann', 'refused');
    expect(told).toEqual(['allowed', 'refused']);
    await no;
  });

  it('gives way to what they chose since', async () => {
    const { choosing, told, state } = start();
    const held = Promise.withResolvers<void>();
    state.reading = held.promise;
    const yes = choosing.choose(SPACE, 'ann', 'allowed');
    await settle();
    const no = choosing.choose(SPACE, 'ann', 'refused');
    held.resolve();
    await Promise.all([yes, no]);
    expect(told).not.toContain('allowed');
  });

  it('counts although what they chose before was written down only then', async () => {
    const { choosing, told } = start();
    await Promise.all([
      choosing.choose(SPACE, 'ann', 'refused'),
      choosing.choose(SPACE, 'ann', 'allowed'),
    ]);
    expect(told).toEqual(['refused', 'allowed']);
  });

  it('holds as a no even where it cannot be written down', async () => {
    const { choosing, told, state } = start();
    state.fails = true;
    await expect(choosing.choose(SPACE, 'ann', 'refused')).rejects.toThrow('no database');
    await expect(choosing.choose(SPACE, 'ann', 'allowed')).rejects.toThrow('no database');
    expect(told).toEqual(['refused']);
  });

  it('is a no at once for whoever looks it up, also while that is under way, and where it is not written down', async () => {
    const { choosing, state } = start();
    const held = Promise.withResolvers<void>();
    state.reading = held.promise;
    const before = choosing.of(SPACE, 'ann');
    await settle();
    state.fails = true;
    const no = choosing.choose(SPACE, 'ann', 'refused');
    const meanwhile = choosing.of(SPACE, 'ann');
    const other = choosing.of(SPACE, 'bob');
    held.resolve();
    await expect(no).rejects.toThrow('no database');
    expect(await Promise.all([before, meanwhile, other])).toEqual([
      'refused',
      'refused',
      undefined,
    ]);
    expect(await choosing.of(SPACE, 'ann')).toBe('refused');
    state.fails = false;
    await choosing.choose(SPACE, 'ann', 'allowed');
    expect(await choosing.of(SPACE, 'ann')).toBe('allowed');
  });

  it('is looked up again where somebody opted out of everything meanwhile', async () => {
    const { choosing, told, state } = start();
    const held = Promise.withResolvers<void>();
    state.reading = held.promise;
    const yes = choosing.choose(SPACE, 'ann', 'allowed');
    const looked = choosing.of(SPACE, 'ann');
    await settle();
    state.isOut = true;
    choosing.lookUpAgain();
    held.resolve();
    await yes;
    expect(await looked).toBe('refused');
    expect(told).toEqual(['refused']);
  });

  it('counts for nothing of somebody who opted out of everything', async () => {
    const { choosing, told, state } = start();
    state.isOut = true;
    await choosing.choose(SPACE, 'ann', 'allowed');
    expect(told).toEqual(['refused']);
    expect(await choosing.of(SPACE, 'ann')).toBe('refused');
  });
});
