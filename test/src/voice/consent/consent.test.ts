import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createConsent } from '../../../../src/voice/consent/consent.ts';
import type { ConsentChoice, ConsentRule } from '../../../../src/model/room.ts';
import type { RoomMember } from '../../../../src/ports/voice.ts';
import { AppError } from '../../../../src/errors.ts';
import { casesOf } from '../../../fakes/cases.ts';
import { createTestClock } from '../../../fakes/clock.ts';

const person = (id: string, isBot = false): RoomMember => ({ id, name: id, isBot });
const [ann, bob, robot] = [person('ann'), person('bob'), person('robot', true)];

interface Setting {
  readonly rule?: ConsentRule;
  readonly choices?: Readonly<Record<string, ConsentChoice>>;
}

const start = ({ rule = 'told', choices = {} }: Setting = {}) => {
  const clock = createTestClock();
  const informed: string[][] = [];
  const state = {
    subscribed: [] as readonly string[],
    fails: false,
    fault: undefined as AppError | undefined,
    lookups: 0,
    lookupFails: false,
    /** Holds back the telling while it is set. */
    held: undefined as Promise<void> | undefined,
    /** Holds back what is spoken while it is set. */
    speaking: undefined as Promise<void> | undefined,
  };
  const consent = createConsent({
    rule,
    clock,
    choiceOf: async (id) => {
      state.lookups += 1;
      if (state.lookupFails) throw new Error('the database is away');
      return choices[id];
    },
    inform: async (members) => {
      if (state.fails) throw new AppError('unavailable', 'no permission');
      await state.held;
      informed.push(members.map(({ id }) => id));
      return { understood: Promise.resolve(state.speaking) };
    },
    subscribe: (ids) => {
      state.subscribed = ids;
    },
    informedChanged: () => undefined,
    notInformed: (error) => {
      state.fault = error;
    },
  });
  return { clock, consent, informed, state };
};

/** Starts with one member, who was informed. */
const startWithAnn = async () => {
  const started = start();
  started.consent.present([ann]);
  await started.consent.posted();
  await started.clock.advance(0);
  return started;
};

describe('consent', () => {
  it('listens to nobody before they were informed, and to everybody afterwards', async () => {
    const { clock, consent, informed, state } = start();
    consent.present([ann, bob]);
    await clock.advance(1_000);
    expect(state.subscribed).toEqual([]);
    await clock.advance(1_000);
    expect(informed).toEqual([['ann', 'bob']]);
    expect(state.subscribed).toEqual(['ann', 'bob']);
  });

  it('informs at once on request', async () => {
    const { informed, state } = await startWithAnn();
    expect(informed).toEqual([['ann']]);
    expect(state.subscribed).toEqual(['ann']);
  });

  it('listens to a late joiner only once they were informed, and to others all the time', async () => {
    const { clock, consent, informed, state } = await startWithAnn();
    consent.present([ann, bob]);
    await clock.advance(0);
    expect(state.subscribed).toEqual(['ann']);
    await clock.advance(2_000);
    expect(informed).toEqual([['ann'], ['bob']]);
    expect(state.subscribed).toEqual(['ann', 'bob']);
  });

  it('does not inform again who comes back, and informs who came while it informed others', async () => {
    const { clock, consent, informed, state } = start();
    const held = Promise.withResolvers<void>();
    state.held = held.promise;
    consent.present([ann]);
    await clock.advance(2_000);
    consent.present([ann, bob]);
    await clock.advance(5_000);
    expect(state.subscribed).toEqual([]);
    held.resolve();
    await clock.advance(2_000);
    expect(informed).toEqual([['ann'], ['bob']]);
    consent.present([bob]);
    consent.present([bob, ann]);
    await clock.advance(5_000);
    expect(informed).toHaveLength(2);
    expect([...state.subscribed].toSorted()).toEqual(['ann', 'bob']);
  });

  it('never listens to a bot, and does not inform it', async () => {
    const { clock, consent, informed, state } = start({ choices: { robot: 'allowed' } });
    consent.present([robot]);
    await clock.advance(5_000);
    expect(informed).toEqual([]);
    consent.chosen('robot', 'allowed');
    expect(state.subscribed).toEqual([]);
  });

  it('listens to nobody who refused, before or now', async () => {
    const { clock, consent, state } = start({ choices: { ann: 'refused' } });
    consent.present([ann, bob]);
    await clock.advance(2_000);
    expect(state.subscribed).toEqual(['bob']);
    consent.chosen('bob', 'refused');
    expect(state.subscribed).toEqual([]);
    expect(consent.isSubscribed('bob')).toBe(false);
    consent.chosen('ann', 'allowed');
    expect(state.subscribed).toEqual([]);
    await clock.advance(2_000);
    expect(state.subscribed).toEqual(['ann']);
  });

  it('does not inform those who refused before', async () => {
    const { clock, consent, informed } = start({ choices: { ann: 'refused' } });
    consent.present([ann, bob]);
    await clock.advance(5_000);
    expect(informed).toEqual([['bob']]);
    consent.chosen('ann', 'allowed');
    await clock.advance(5_000);
    expect(informed).toEqual([['bob'], ['ann']]);
  });

  it('informs again a member who was removed, changes the choice, and comes back', async () => {
    const { clock, consent, informed, state } = await startWithAnn();
    consent.chosen('ann', 'refused');
    consent.present([]);
    consent.present([ann]);
    await clock.advance(0);
    expect(state.subscribed).toEqual([]);
    await clock.advance(2_000);
    expect(informed).toEqual([['ann'], ['ann']]);
    expect(state.subscribed).toEqual(['ann']);
  });

  it('listens only to those who agreed, where a room wants that', async () => {
    const { clock, consent, state } = start({ rule: 'agreed', choices: { ann: 'allowed' } });
    consent.present([ann, bob]);
    await clock.advance(2_000);
    expect(state.subscribed).toEqual(['ann']);
    consent.chosen('bob', 'allowed');
    expect(state.subscribed).toEqual(['ann', 'bob']);
  });

  it('listens to nobody who could not be informed, reports that, and tries again', async () => {
    const { clock, consent, state } = start();
    state.fails = true;
    consent.present([ann]);
    await clock.advance(2_000);
    expect(state.subscribed).toEqual([]);
    expect(state.fault?.code).toBe('unavailable');
    await expect(consent.posted()).rejects.toThrow('no permission');
    state.fails = false;
    await clock.advance(12_000);
    expect(state.subscribed).toEqual(['ann']);
    expect(state.fault).toBeUndefined();
  });

  it('listens to nobody whose choice cannot be looked up, until it can', async () => {
    const { clock, consent, state } = start();
    state.lookupFails = true;
    consent.present([ann]);
    await clock.advance(5_000);
    expect(state.subscribed).toEqual([]);
    state.lookupFails = false;
    await clock.advance(10_000);
    expect(state.subscribed).toEqual(['ann']);
  });

  it('does not replace a refusal by the choice that was looked up meanwhile', async () => {
    const { clock, consent, state } = start({ choices: { ann: 'allowed' } });
    consent.present([ann, bob]);
    consent.chosen('ann', 'refused');
    await clock.advance(2_000);
    expect(state.subscribed).toEqual(['bob']);
  });

  it('resolves when the notice is posted, and listens to nobody before it was spoken', async () => {
    const { clock, consent, informed, state } = start();
    const spoken = Promise.withResolvers<void>();
    state.speaking = spoken.promise;
    consent.present([ann]);
    await consent.posted();
    await clock.advance(5_000);
    consent.present([ann, bob]);
    await clock.advance(5_000);
    expect(state.subscribed).toEqual([]);
    expect(informed).toEqual([['ann']]);
    spoken.resolve();
    state.speaking = undefined;
    await clock.advance(0);
    expect(state.subscribed).toEqual(['ann']);
    await clock.advance(2_000);
    expect(state.subscribed).toEqual(['ann', 'bob']);
  });

  it('informs who came while the notice was posted', async () => {
    const { clock, consent, informed, state } = start();
    const held = Promise.withResolvers<void>();
    state.held = held.promise;
    consent.present([ann]);
    const first = consent.posted();
    consent.present([ann, bob]);
    const second = consent.posted();
    held.resolve();
    await Promise.all([first, second]);
    await clock.advance(2_000);
    expect(informed).toEqual([['ann'], ['bob']]);
  });

  it('looks no choice up any more once it is over', async () => {
    const { clock, consent, state } = start();
    state.lookupFails = true;
    consent.present([ann, bob]);
    await consent.posted();
    await clock.advance(0);
    consent[Symbol.dispose]();
    expect(clock.waiting).toBe(0);
  });

  it('listens to nobody once it is over', async () => {
    const { clock, consent, state } = await startWithAnn();
    consent[Symbol.dispose]();
    expect(state.subscribed).toEqual([]);
    await clock.advance(60_000);
    expect(clock.waiting).toBe(0);
  });

  it('listens to nobody who is not informed or who refused, whatever happens in whatever order', async () => {
    const ids = fc.constantFrom('a', 'b', 'c');
    const step = fc.oneof(
      fc.record({ kind: fc.constant('present' as const), ids: fc.uniqueArray(ids) }),
      fc.record({
        kind: fc.constant('chosen' as const),
        id: ids,
        choice: fc.constantFrom('allowed' as const, 'refused' as const),
      }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 12_000 }) }),
      fc.record({ kind: fc.constant('fails' as const), fails: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<ConsentRule>('told', 'agreed'),
        fc.array(step, { maxLength: 20 }),
        async (rule, steps) => {
          const { clock, consent, informed, state } = start({ rule });
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
            const everTold = informed.flat();
            for (const id of state.subscribed) {
              expect(here).toContain(id);
              expect(everTold).toContain(id);
              expect(chosen.get(id)).not.toBe('refused');
              if (rule === 'agreed') expect(chosen.get(id)).toBe('allowed');
            }
          }
          consent[Symbol.dispose]();
        },
      ),
      { numRuns: casesOf(60) },
    );
  });
});
