import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createConsent, type ConsentChoice } from '../../../../src/voice/consent/consent.ts';
import type { ConsentRule } from '../../../../src/model/space-choices.ts';
import type { RoomMember } from '../../../../src/ports/voice.ts';
import { AppError } from '../../../../src/errors.ts';
import { createTestClock } from '../../../fakes/clock.ts';

const person = (id: string, isBot = false): RoomMember => ({ id, name: id, isBot });
const [ann, bob, robot] = [person('ann'), person('bob'), person('robot', true)];

interface Setting {
  readonly rule?: ConsentRule;
  readonly choices?: Readonly<Record<string, ConsentChoice>>;
}

const start = ({ rule = 'told', choices = {} }: Setting = {}) => {
  const clock = createTestClock();
  const told: string[][] = [];
  const state = {
    heard: [] as readonly string[],
    fails: false,
    untold: undefined as AppError | undefined,
    lookups: 0,
    lookupFails: false,
    /** Holds back the telling while it is set. */
    held: undefined as Promise<void> | undefined,
  };
  const consent = createConsent({
    rule,
    clock,
    choiceOf: async (id) => {
      state.lookups += 1;
      if (state.lookupFails) throw new Error('the database is away');
      return choices[id];
    },
    tell: async (members) => {
      if (state.fails) throw new AppError('unavailable', 'no permission');
      await state.held;
      told.push(members.map(({ id }) => id));
    },
    hear: (ids) => {
      state.heard = ids;
    },
    untold: (error) => {
      state.untold = error;
    },
  });
  return { clock, consent, told, state };
};

describe('consent', () => {
  it('hears nobody before they were told, and everybody afterwards', async () => {
    const { clock, consent, told, state } = start();
    consent.present([ann, bob]);
    await clock.advance(1_000);
    expect(state.heard).toEqual([]);
    await clock.advance(1_000);
    expect(told).toEqual([['ann', 'bob']]);
    expect(state.heard).toEqual(['ann', 'bob']);
  });

  it('tells at once when it is asked to', async () => {
    const { consent, told, state } = start();
    consent.present([ann]);
    await consent.told();
    expect(told).toEqual([['ann']]);
    expect(state.heard).toEqual(['ann']);
  });

  it('hears a late joiner only once they were told, and others all the time', async () => {
    const { clock, consent, told, state } = start();
    consent.present([ann]);
    await consent.told();
    consent.present([ann, bob]);
    await clock.advance(0);
    expect(state.heard).toEqual(['ann']);
    await clock.advance(2_000);
    expect(told).toEqual([['ann'], ['bob']]);
    expect(state.heard).toEqual(['ann', 'bob']);
  });

  it('does not tell again who comes back, and tells who came while it told others', async () => {
    const { clock, consent, told, state } = start();
    const held = Promise.withResolvers<void>();
    state.held = held.promise;
    consent.present([ann]);
    await clock.advance(2_000);
    consent.present([ann, bob]);
    await clock.advance(5_000);
    expect(state.heard).toEqual([]);
    held.resolve();
    await clock.advance(2_000);
    expect(told).toEqual([['ann'], ['bob']]);
    consent.present([bob]);
    consent.present([bob, ann]);
    await clock.advance(5_000);
    expect(told).toHaveLength(2);
    expect([...state.heard].toSorted()).toEqual(['ann', 'bob']);
  });

  it('never hears a bot, and tells it nothing', async () => {
    const { clock, consent, told, state } = start({ choices: { robot: 'heard' } });
    consent.present([robot]);
    await clock.advance(5_000);
    expect(told).toEqual([]);
    consent.chosen('robot', 'heard');
    expect(state.heard).toEqual([]);
  });

  it('hears nobody who said no, before or now', async () => {
    const { clock, consent, state } = start({ choices: { ann: 'unheard' } });
    consent.present([ann, bob]);
    await clock.advance(2_000);
    expect(state.heard).toEqual(['bob']);
    consent.chosen('bob', 'unheard');
    expect(state.heard).toEqual([]);
    expect(consent.isHeard('bob')).toBe(false);
    consent.chosen('ann', 'heard');
    expect(state.heard).toEqual([]);
    await clock.advance(2_000);
    expect(state.heard).toEqual(['ann']);
  });

  it('bothers nobody with it who said no before', async () => {
    const { clock, consent, told } = start({ choices: { ann: 'unheard' } });
    consent.present([ann, bob]);
    await clock.advance(5_000);
    expect(told).toEqual([['bob']]);
    consent.chosen('ann', 'heard');
    await clock.advance(5_000);
    expect(told).toEqual([['bob'], ['ann']]);
  });

  it('tells anew who was taken out, forgets it, and comes back', async () => {
    const { clock, consent, told, state } = start();
    consent.present([ann]);
    await consent.told();
    consent.chosen('ann', 'unheard');
    consent.present([]);
    consent.present([ann]);
    await clock.advance(0);
    expect(state.heard).toEqual([]);
    await clock.advance(2_000);
    expect(told).toEqual([['ann'], ['ann']]);
    expect(state.heard).toEqual(['ann']);
  });

  it('hears only those who agreed, where a room wants that', async () => {
    const { clock, consent, state } = start({ rule: 'agreed', choices: { ann: 'heard' } });
    consent.present([ann, bob]);
    await clock.advance(2_000);
    expect(state.heard).toEqual(['ann']);
    consent.chosen('bob', 'heard');
    expect(state.heard).toEqual(['ann', 'bob']);
  });

  it('hears nobody who could not be told, says so, and tries again', async () => {
    const { clock, consent, state } = start();
    state.fails = true;
    consent.present([ann]);
    await clock.advance(2_000);
    expect(state.heard).toEqual([]);
    expect(state.untold?.code).toBe('unavailable');
    await expect(consent.told()).rejects.toThrow('no permission');
    state.fails = false;
    await clock.advance(12_000);
    expect(state.heard).toEqual(['ann']);
    expect(state.untold).toBeUndefined();
  });

  it('hears nobody whose choice cannot be looked up, until it can', async () => {
    const { clock, consent, state } = start();
    state.lookupFails = true;
    consent.present([ann]);
    await clock.advance(5_000);
    expect(state.heard).toEqual([]);
    state.lookupFails = false;
    await clock.advance(10_000);
    expect(state.heard).toEqual(['ann']);
  });

  it('takes no answer of the look-up for a no that was said meanwhile', async () => {
    const { clock, consent, state } = start({ choices: { ann: 'heard' } });
    consent.present([ann, bob]);
    consent.chosen('ann', 'unheard');
    await clock.advance(2_000);
    expect(state.heard).toEqual(['bob']);
  });

  it('has told everybody there when it says so, whoever came meanwhile', async () => {
    const { consent, told, state } = start();
    const held = Promise.withResolvers<void>();
    state.held = held.promise;
    consent.present([ann]);
    const first = consent.told();
    consent.present([ann, bob]);
    const second = consent.told();
    held.resolve();
    await Promise.all([first, second]);
    expect(told).toEqual([['ann'], ['bob']]);
  });

  it('looks no choice up any more once it is over', async () => {
    const { clock, consent, state } = start();
    state.lookupFails = true;
    consent.present([ann, bob]);
    await consent.told();
    consent[Symbol.dispose]();
    expect(clock.waiting).toBe(0);
  });

  it('hears nobody any more once it is over', async () => {
    const { clock, consent, state } = start();
    consent.present([ann]);
    await consent.told();
    consent[Symbol.dispose]();
    expect(state.heard).toEqual([]);
    await clock.advance(60_000);
    expect(clock.waiting).toBe(0);
  });

  it('hears nobody untold or unwilling, whatever happens in whatever order', async () => {
    const ids = fc.constantFrom('a', 'b', 'c');
    const step = fc.oneof(
      fc.record({ kind: fc.constant('present' as const), ids: fc.uniqueArray(ids) }),
      fc.record({
        kind: fc.constant('chosen' as const),
        id: ids,
        choice: fc.constantFrom('heard' as const, 'unheard' as const),
      }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 12_000 }) }),
      fc.record({ kind: fc.constant('fails' as const), fails: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<ConsentRule>('told', 'agreed'),
        fc.array(step, { maxLength: 20 }),
        async (rule, steps) => {
          const { clock, consent, told, state } = start({ rule });
          let here: readonly string[] = [];
          const chosen = new Map<string, ConsentChoice>();
          for (const each of steps) {
            if (each.kind === 'present') {
              here = each.ids;
              for (const id of chosen.keys()) if (!here.includes(id)) chosen.delete(id);
              consent.present(here.map((id) => person(id)));
            } else if (each.kind === 'chosen') {
              consent.chosen(each.id, each.choice);
              if (here.includes(each.id)) chosen.set(each.id, each.choice);
            } else if (each.kind === 'wait') await clock.advance(each.ms);
            else state.fails = each.fails;
            const everTold = told.flat();
            for (const id of state.heard) {
              expect(here).toContain(id);
              expect(everTold).toContain(id);
              expect(chosen.get(id)).not.toBe('unheard');
              if (rule === 'agreed') expect(chosen.get(id)).toBe('heard');
            }
          }
          consent[Symbol.dispose]();
        },
      ),
      { numRuns: 60 },
    );
  });
});
