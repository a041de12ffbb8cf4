import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { longestWaitOf, type SpeechItem } from '../../../../src/voice/tts/speech-item.ts';
import { createStage, itemOf, type Behaviour, nothing } from './playback-harness.ts';
import { casesOf } from '../../../fakes/cases.ts';

type Step =
  | {
      readonly do: 'add';
      readonly kind: SpeechItem['kind'];
      readonly person: number;
      readonly length: number;
    }
  | { readonly do: 'skip' | 'stop' | 'pause' | 'resume' }
  | { readonly do: 'forget'; readonly person: number }
  | { readonly do: 'wait'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      kind: fc.constantFrom('notice', 'answer', 'say', 'read', 'read', 'read'),
      person: fc.nat(2),
      length: fc.integer({ min: 1, max: 60 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('skip', 'stop', 'pause', 'resume') }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('forget' as const), person: fc.nat(2) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.integer({ min: 0, max: 1_500 }),
    }),
  },
);

const behaviour: fc.Arbitrary<Behaviour> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ latencyMs: fc.nat(800), lengthMs: fc.integer({ min: 20, max: 900 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Behaviour>({ hangs: true }, { hangsAfter: 2 }, { breaksAfter: 2 }),
  },
  { weight: 1, arbitrary: fc.constant<Behaviour>({ fails: new AppError('unavailable', 'no') }) },
);

const WAIT_MS = 2_500;

it('keeps order, deadlines and its bounds, and leaves nothing alive, whatever is done', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.array(behaviour, { minLength: 1, maxLength: 8 }),
      async (steps, manners) => {
        let call = 0;
        const stage = createStage(() => manners[call++ % manners.length]!);
        const { clock, playback } = stage;
        const added: (SpeechItem & { atMs: number })[] = [];
        for (const one of steps) {
          if (one.do === 'wait') await clock.advance(one.ms);
          else if (one.do === 'forget') playback.forget(`${one.person}`);
          else if (one.do !== 'add') playback[one.do]();
          else {
            const text = `[${added.length}]${'x'.repeat(one.length)}`;
            const by = { id: `${one.person}`, name: `P${one.person}` };
            const item = itemOf(text, { kind: one.kind, by, longestWaitMs: WAIT_MS });
            added.push({ ...item, atMs: clock.nowMs() });
            playback.add(item);
          }
          expect(stage.alive().playing).toBeLessThanOrEqual(1);
        }
        playback.resume();
        await clock.advance(60_000);
        expect(stage.alive()).toEqual(nothing);
        expect(playback.queue()).toMatchObject({ playing: [], waiting: [] });
        expect(stage.mostOpen()).toBeLessThanOrEqual(4);

        for (const { id, atMs } of stage.began) {
          const item = added.find((each) => each.id === id)!;
          expect(atMs - item.atMs).toBeLessThanOrEqual(longestWaitOf(item));
        }
        const order = stage
          .said()
          .flatMap((text) => [...text.matchAll(/\[(\d+)\]/g)].map(([, index]) => Number(index)));
        const inOrder = (isIn: (item: SpeechItem) => boolean) => {
          const some = order.filter((index) => isIn(added[index]!));
          expect(some).toEqual(some.toSorted((a, b) => a - b));
        };
        inOrder(({ kind }) => kind === 'notice');
        for (const id of ['0', '1', '2'])
          inOrder(({ kind, by }) => kind === 'read' && by?.id === id);
        expect(new Set(order).size).toBe(order.length);
        const told = [
          ...stage.ended,
          ...stage.failed.map(({ id }) => id),
          ...stage.dropped.flatMap(({ ids }) => ids),
        ];
        expect(told.toSorted()).toEqual(added.map(({ id }) => id).toSorted());
        const known = new Set(added.map(({ id }) => id));
        const dropped = stage.dropped.flatMap(({ ids }) => ids);
        expect(new Set(dropped).size).toBe(dropped.length);
        for (const id of dropped) expect(known).toContain(id);
        for (const id of dropped)
          expect(order).not.toContain(added.findIndex((item) => item.id === id));
      },
    ),
    { numRuns: casesOf(60) },
  );
});
