import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCaptionMessages } from '../../../../src/voice/captions/caption-messages.ts';
import {
  displayDeps,
  createChannel,
  line,
  openCaptions,
  pass,
  START_MS,
  type TranslationPlan,
} from './fakes.ts';
import { casesOf } from '../../../fakes/cases.ts';

const END_MS = 10_000;

describe('captions', () => {
  it('replace partial text by newer text, and by none', async () => {
    const { clock, channel, captions, transcript } = openCaptions();
    captions.transcript(line(1, { text: 'hel', isFinal: false }));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: *hel …*']);
    expect(transcript.lines()).toEqual([]);
    captions.transcript(line(1, { text: 'hello' }));
    captions.transcript(line(1, { text: 'hel', isFinal: false }));
    captions.transcript(line(2, { text: 'mm', isFinal: false }));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: hello\n**Ann**: *mm …*']);
    captions.transcript(line(2, { text: '' }));
    captions.transcript(line(2, { text: 'mm', isFinal: false }));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: hello']);
    expect(transcript.lines().map(({ text }) => text)).toEqual(['hello']);
  });

  it('can be taken back after their end', async () => {
    const { clock, channel, captions, transcript } = openCaptions();
    captions.transcript(line(1));
    captions.transcript(line(2));
    await pass(clock, captions.settled());
    captions.transcript(line(2, { text: ' ' }));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: w1']);
    expect(transcript.lines()).toHaveLength(1);
  });

  it('forget a member wherever that is possible, and what comes late of them', async () => {
    const { clock, channel, captions, transcript, running, asked } = openCaptions({
      plan: (text) => (text === 'w3' ? { outcome: 'never' } : {}),
    });
    captions.setLanguages(['es']);
    captions.transcript(line(1));
    captions.transcript(line(2, { speakerId: 'b' }));
    captions.transcript(line(3, { speakerId: 'b' }));
    captions.transcript(line(4, { speakerId: 'b', isFinal: false }));
    await clock.advance(5_000);
    expect(channel.shown().join()).toContain('Ben');
    await clock.advance(60_000);
    captions.transcript(
      line(5, { speakerId: 'b', startMs: clock.nowMs() - 3_000, isFinal: false }),
    );
    await clock.advance(0);
    captions.forget('b');
    captions.transcript(line(5, { speakerId: 'b', startMs: clock.nowMs() - 3_000 }));
    await pass(clock, captions.settled());
    expect(channel.shown().join()).not.toContain('Ben');
    expect(transcript.lines().map(({ speaker }) => speaker)).toEqual(['Ann']);
    expect(running.now).toBe(0);
    captions.transcript(line(6));
    await pass(clock, captions.settled());
    expect(asked.at(-1)?.context).toEqual(['w1']);
  });

  it('show the speech of a member who agrees again', async () => {
    const { clock, channel, captions } = openCaptions();
    captions.forget('a');
    await clock.advance(10);
    captions.transcript(line(1, { startMs: clock.nowMs() }));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: w1']);
  });

  it('are shown on every display, each in its language', async () => {
    const { clock, channel, captions, displays, asked } = openCaptions();
    const second = createChannel(clock);
    captions.setLanguages(['es']);
    displays.add(
      createCaptionMessages({
        ...displayDeps,
        clock,
        platform: second,
        channel: second.channel,
        language: 'es',
      }),
    );
    captions.transcript(line(1));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: w1\n↳ 🇪🇸 \\[es] w1']);
    expect(second.shown()).toEqual(['**Ann**: \\[es] w1']);
    expect(asked).toHaveLength(1);
  });

  it('go into the transcript with their translations', async () => {
    const { clock, captions, transcript } = openCaptions({
      plan: () => ({ steps: 1, delayMs: 10 }),
    });
    captions.setLanguages(['es']);
    captions.transcript(line(1));
    await pass(clock, captions.settled());
    expect(transcript.lines()).toEqual([
      {
        startMs: 10_000,
        endMs: 11_000,
        speaker: 'Ann',
        language: 'en',
        text: 'w1',
        translations: { es: '[es] w1' },
      },
    ]);
  });

  it('end with what is final and with the translations that are there soon', async () => {
    const { clock, channel, captions, display, running } = openCaptions({
      plan: (text) => (text === 'w1' ? { delayMs: 3_000 } : { outcome: 'never' }),
    });
    captions.setLanguages(['es']);
    captions.transcript(line(1));
    captions.transcript(line(2));
    captions.transcript(line(3, { isFinal: false }));
    await clock.advance(100);
    await pass(clock, captions.end(clock.nowMs() + END_MS));
    captions.transcript(line(4));
    await pass(clock, display.end(clock.nowMs() + END_MS));
    expect(channel.shown()).toEqual(['**Ann**: w1\n↳ 🇪🇸 \\[es] w1\n**Ann**: w2']);
    expect(running.now).toBe(0);
    expect(clock.waiting).toBe(0);
  });

  it('end at the time that they are given, with what is final at once and no sign of what does not come', async () => {
    const { clock, captions, displays } = openCaptions({ plan: () => ({ outcome: 'never' }) });
    const rate = { count: 4, windowMs: 5_000 };
    const channel = createChannel(clock, {}, rate);
    displays.clear();
    displays.add(
      createCaptionMessages({
        ...displayDeps,
        clock,
        editRate: rate,
        platform: channel,
        channel: channel.channel,
      }),
    );
    captions.setLanguages(['es']);
    for (const id of [1, 2]) {
      captions.transcript(line(id));
      await clock.advance(100);
    }
    captions.transcript(line(3));
    let isOver = false;
    void captions.end(clock.nowMs() + 5_000).then(() => (isOver = true));
    await clock.advance(0);
    expect(channel.shown()).toEqual([[1, 2, 3].map((id) => `**Ann**: w${id}\n↳ 🇪🇸 …`).join('\n')]);
    await clock.advance(2_500);
    expect(channel.shown()).toEqual(['**Ann**: w1\n**Ann**: w2\n**Ann**: w3']);
    expect(isOver).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  it('keep a bounded number of utterances that never end', async () => {
    const { clock, channel, captions } = openCaptions();
    for (let id = 1; id <= 250; id += 1) captions.transcript(line(id, { isFinal: false }));
    await pass(clock, captions.settled());
    expect(channel.shown().join('\n').match(/w\d+/g)).toHaveLength(200);
  });

  it.each([undefined, 'es'])(
    'end up in spoken order, each translation once, in whatever order all comes (%s)',
    async (language) => {
      const utterance = fc.record({
        speakerId: fc.constantFrom('a', 'b', 'c'),
        startMs: fc.nat(20_000).map((ms) => START_MS + ms),
        partials: fc.nat(3),
        said: fc.boolean(),
        from: fc.constantFrom('en', 'es', 'de'),
      });
      const anyPlan: fc.Arbitrary<TranslationPlan> = fc.record({
        delayMs: fc.nat(3_000),
        steps: fc.nat(2),
        outcome: fc.constantFrom('done', 'done', 'done', 'error', 'nothing'),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(utterance, { minLength: 1, maxLength: 8 }),
          fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
          fc.array(anyPlan, { minLength: 3, maxLength: 16 }),
          fc.array(fc.nat(1_200), { minLength: 1, maxLength: 6 }),
          async (utterances, order, plans, latencies) => {
            const planOf = new Map<string, TranslationPlan>();
            let requests = 0;
            const { clock, channel, captions, asked, running } = openCaptions({
              ...(language ? { language } : {}),
              plan: (text, to) => {
                const plan = plans[planOf.size % plans.length] ?? {};
                planOf.set(`${text} ${to}`, plan);
                return plan;
              },
              channelOptions: { latencyMs: () => latencies[requests++ % latencies.length] ?? 0 },
            });
            captions.setLanguages(['es', 'fr']);
            const events = utterances
              .flatMap(({ partials, said, from, ...rest }, at) =>
                [...Array(partials).keys(), -1].map((step) =>
                  line(at + 1, {
                    ...rest,
                    endMs: rest.startMs + 500,
                    text: step >= 0 ? `p${at + 1}` : said ? `w${at + 1}w` : '',
                    language: from,
                    isFinal: step < 0,
                  }),
                ),
              )
              .map((event, at) => ({ event, key: order[at] ?? 0 }))
              .toSorted((a, b) => a.key - b.key);
            for (const { event, key } of events) {
              captions.transcript(event);
              await clock.advance(key % 900);
            }
            await pass(clock, captions.settled(), 1_000);

            const finals = utterances
              .map((each, at) => ({ ...each, id: at + 1, text: `w${at + 1}w` }))
              .filter(({ said }) => said)
              .toSorted((a, b) => a.startMs - b.startMs || a.id - b.id);
            const shown = channel.shown().join('\n');
            const isThere = (text: string, to: string): boolean =>
              planOf.get(`${text} ${to}`)?.outcome === 'done';
            const mains = shown
              .split('\n')
              .filter((each) => each.startsWith('**'))
              .flatMap((each) => each.match(/w\d+w/g) ?? []);
            expect(mains).toEqual(finals.map(({ text }) => text));
            expect(shown).not.toMatch(/p\d|…\*/);
            const expected = finals.flatMap(({ text, from }) =>
              (language ? ['es'] : ['es', 'fr'])
                .filter((to) => to !== from && isThere(text, to))
                .map((to) => `\\[${to}] ${text}`),
            );
            expect((shown.match(/\\\[\w+\] w\d+w/g) ?? []).toSorted()).toEqual(expected.toSorted());
            const asks = asked.map(({ text, language: to }) => `${text} ${to}`);
            expect(new Set(asks).size).toBe(asks.length);
            expect(running.most).toBeLessThanOrEqual(6);
            expect(channel.faults).toEqual([]);
            expect(clock.waiting).toBe(0);
          },
        ),
        { numRuns: casesOf(60) },
      );
    },
  );
});
