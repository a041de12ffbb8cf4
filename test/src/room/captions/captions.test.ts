import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBoard } from '../../../../src/room/captions/board.ts';
import { createCaptions, type CaptionsParts } from '../../../../src/room/captions/captions.ts';
import { createTranscript } from '../../../../src/room/captions/transcript.ts';
import type { HeardLine } from '../../../../src/room/heard.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import {
  createChannel,
  createTranslating,
  RATE,
  pass,
  quiet,
  texts,
  type ChannelOptions,
  type TranslationPlan,
} from './fakes.ts';

const NAMES: Readonly<Record<string, string>> = { a: 'Ann', b: 'Ben', c: 'Cy' };

const setUp = ({
  plan,
  channelOptions = {},
  language,
  parts = {},
}: {
  plan?: (text: string, language: string) => TranslationPlan;
  channelOptions?: ChannelOptions;
  language?: string;
  parts?: Partial<CaptionsParts>;
} = {}) => {
  const clock = createTestClock();
  const channel = createChannel(clock, channelOptions);
  const translating = createTranslating(clock, plan);
  const common = { clock, editRate: RATE, texts, log: quiet };
  const board = createBoard({ ...common, port: channel, ...(language ? { language } : {}) });
  const transcript = createTranscript({ clock, startedMs: 0 });
  const boards = new Set([board]);
  const captions = createCaptions({
    clock,
    nameOf: (id) => NAMES[id] ?? id,
    translate: translating.translate,
    boards,
    transcript,
    log: quiet,
    ...parts,
  });
  return { clock, channel, ...translating, board, boards, transcript, captions };
};

const END_MS = 10_000;
const START_MS = 1_000_000;

const line = (id: number, more: Partial<HeardLine> = {}): HeardLine => ({
  id,
  speakerId: 'a',
  startMs: START_MS + id * 10_000,
  endMs: START_MS + id * 10_000 + 1_000,
  text: `w${id}`,
  language: 'en',
  isFinal: true,
  ...more,
});

describe('captions', () => {
  it('replace what was heard so far by what is heard now, and by nothing', async () => {
    const { clock, channel, captions, transcript } = setUp();
    captions.heard(line(1, { text: 'hel', isFinal: false }));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: *hel …*']);
    expect(transcript.lines()).toEqual([]);
    captions.heard(line(1, { text: 'hello' }));
    captions.heard(line(1, { text: 'hel', isFinal: false }));
    captions.heard(line(2, { text: 'mm', isFinal: false }));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: hello\n**Ann**: *mm …*']);
    captions.heard(line(2, { text: '' }));
    captions.heard(line(2, { text: 'mm', isFinal: false }));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: hello']);
    expect(transcript.lines().map(({ text }) => text)).toEqual(['hello']);
  });

  it('can be taken back after their end', async () => {
    const { clock, channel, captions, transcript } = setUp();
    captions.heard(line(1));
    captions.heard(line(2));
    await pass(clock, captions.settled());
    captions.heard(line(2, { text: ' ' }));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: w1']);
    expect(transcript.lines()).toHaveLength(1);
  });

  it('are translated once into each language of the readers, and not into their own', async () => {
    const { clock, channel, captions, asked } = setUp();
    captions.setLanguages(['es', 'en-GB', 'es-MX', 'fr', 'es']);
    captions.heard(line(1, { isFinal: false }));
    captions.heard(line(1));
    captions.heard(line(1));
    await pass(clock, captions.settled());
    expect(asked.map(({ language }) => language)).toEqual(['es', 'fr']);
    expect(channel.shown()).toEqual(['**Ann**: w1\n↳ 🇪🇸 \\[es\\] w1\n↳ 🇫🇷 \\[fr\\] w1']);
  });

  it('are translated into ten languages at most', async () => {
    const { clock, captions, asked } = setUp();
    captions.setLanguages(['es', 'fr', 'de', 'it', 'pt', 'nl', 'sv', 'fi', 'pl', 'cs', 'ja', 'ko']);
    captions.heard(line(1));
    await pass(clock, captions.settled());
    expect(asked).toHaveLength(10);
  });

  it('are asked for in all languages where theirs is not known', async () => {
    const { clock, captions, asked } = setUp();
    captions.setLanguages(['es', 'en']);
    captions.heard(line(1, { language: '' }));
    await pass(clock, captions.settled());
    expect(asked.map(({ language }) => language)).toEqual(['es', 'en']);
  });

  it('have in their translation what was said before them', async () => {
    const { clock, captions, asked } = setUp();
    captions.setLanguages(['es']);
    for (const id of [1, 2, 4, 5, 6, 3]) captions.heard(line(id));
    captions.heard(line(7));
    await pass(clock, captions.settled());
    expect(asked.find(({ text }) => text === 'w3')?.context).toEqual(['w1', 'w2']);
    expect(asked.find(({ text }) => text === 'w7')?.context).toEqual(['w3', 'w4', 'w5', 'w6']);
  });

  it('show translations as they grow', async () => {
    const { clock, channel, captions } = setUp({ plan: () => ({ delayMs: 1_100, steps: 2 }) });
    captions.setLanguages(['es']);
    captions.heard(line(1));
    await pass(clock, captions.settled());
    expect(channel.sent.map(({ text }) => text)).toEqual([
      '**Ann**: w1\n↳ 🇪🇸 …',
      '**Ann**: w1\n↳ 🇪🇸 *\\[es\\] …*',
      '**Ann**: w1\n↳ 🇪🇸 \\[es\\] w1',
    ]);
  });

  it('stand without a translation that fails, and say so once', async () => {
    const { clock, channel, captions } = setUp({ plan: () => ({ outcome: 'error' }) });
    captions.setLanguages(['es']);
    for (const id of [1, 2, 3]) captions.heard(line(id));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: w1\n↳ ⚠️ no es for now\n**Ann**: w2\n**Ann**: w3']);
    await clock.advance(300_000);
    captions.heard(line(4));
    await pass(clock, captions.settled());
    expect(channel.shown()[1]).toBe('**Ann**: w4\n↳ ⚠️ no es for now');
  });

  it('say nothing where there was nothing to translate', async () => {
    const { clock, channel, captions } = setUp({ plan: () => ({ outcome: 'nothing' }) });
    captions.setLanguages(['es']);
    captions.heard(line(1));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: w1']);
  });

  it('give up a translation that never comes', async () => {
    const { clock, channel, captions, running } = setUp({ plan: () => ({ outcome: 'never' }) });
    captions.setLanguages(['es']);
    captions.heard(line(1));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: w1\n↳ ⚠️ no es for now']);
    expect(running.now).toBe(0);
  });

  it('ask for few translations at once, and for none that nobody would read any more', async () => {
    const { clock, channel, captions, asked, running } = setUp({
      plan: () => ({ delayMs: 9_000 }),
    });
    captions.setLanguages(['es', 'fr']);
    for (let id = 1; id <= 40; id += 1) captions.heard(line(id));
    await pass(clock, captions.settled());
    expect(running.most).toBe(6);
    // The first six, and those that could begin within 20 s of the 60 that may wait.
    expect(asked).toHaveLength(18);
    expect(
      channel
        .shown()
        .join('\n')
        .match(/\bw\d+$/gm)?.length,
    ).toBeGreaterThanOrEqual(40);
    expect(channel.shown().join('\n')).not.toContain('…');
  });

  it('ask for nothing more in a language that nobody reads any more', async () => {
    const { clock, captions, asked, channel } = setUp({ plan: () => ({ delayMs: 1_000 }) });
    captions.setLanguages(['es']);
    for (let id = 1; id <= 8; id += 1) captions.heard(line(id));
    captions.setLanguages(['fr']);
    captions.heard(line(9));
    await pass(clock, captions.settled());
    expect(asked.map(({ language }) => language)).toEqual([...Array(6).fill('es'), 'fr']);
    expect(
      channel
        .shown()
        .join('\n')
        .match(/🇪🇸/g),
    ).toHaveLength(6);
  });

  it('forget a member wherever that is possible, and what comes late of them', async () => {
    const { clock, channel, captions, transcript, running, asked } = setUp({
      plan: (text) => (text === 'w3' ? { outcome: 'never' } : {}),
    });
    captions.setLanguages(['es']);
    captions.heard(line(1));
    captions.heard(line(2, { speakerId: 'b' }));
    captions.heard(line(3, { speakerId: 'b' }));
    captions.heard(line(4, { speakerId: 'b', isFinal: false }));
    await clock.advance(5_000);
    expect(channel.shown().join()).toContain('Ben');
    await clock.advance(60_000);
    captions.heard(line(5, { speakerId: 'b', startMs: clock.nowMs() - 3_000, isFinal: false }));
    await clock.advance(0);
    captions.forget('b');
    captions.heard(line(5, { speakerId: 'b', startMs: clock.nowMs() - 3_000 }));
    await pass(clock, captions.settled());
    expect(channel.shown().join()).not.toContain('Ben');
    expect(transcript.lines().map(({ speaker }) => speaker)).toEqual(['Ann']);
    expect(running.now).toBe(0);
    captions.heard(line(6));
    await pass(clock, captions.settled());
    expect(asked.at(-1)?.context).toEqual(['w1']);
  });

  it('abort the translations of a member who is forgotten', async () => {
    const { clock, captions, running } = setUp({ plan: () => ({ outcome: 'never' }) });
    captions.setLanguages(['es']);
    captions.heard(line(1));
    captions.heard(line(2, { speakerId: 'b' }));
    await clock.advance(0);
    captions.forget('b');
    await clock.advance(0);
    expect(running).toMatchObject({ now: 1, aborted: 1 });
  });

  it('show what a member says who wants to be heard again', async () => {
    const { clock, channel, captions } = setUp();
    captions.forget('a');
    await clock.advance(10);
    captions.heard(line(1, { startMs: clock.nowMs() }));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: w1']);
  });

  it('stand on every board there is, each in its language', async () => {
    const { clock, channel, captions, boards, asked } = setUp();
    const second = createChannel(clock);
    const parts = { clock, editRate: RATE, texts, log: quiet };
    captions.setLanguages(['es']);
    boards.add(createBoard({ ...parts, port: second, language: 'es' }));
    captions.heard(line(1));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: w1\n↳ 🇪🇸 \\[es\\] w1']);
    expect(second.shown()).toEqual(['**Ann**: \\[es\\] w1']);
    expect(asked).toHaveLength(1);
  });

  it('go into the transcript with their translations', async () => {
    const { clock, captions, transcript } = setUp({ plan: () => ({ steps: 1, delayMs: 10 }) });
    captions.setLanguages(['es']);
    captions.heard(line(1));
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
    const { clock, channel, captions, board, running } = setUp({
      plan: (text) => (text === 'w1' ? { delayMs: 3_000 } : { outcome: 'never' }),
    });
    captions.setLanguages(['es']);
    captions.heard(line(1));
    captions.heard(line(2));
    captions.heard(line(3, { isFinal: false }));
    await clock.advance(100);
    await pass(clock, captions.end(clock.nowMs() + END_MS));
    captions.heard(line(4));
    await pass(clock, board.end(clock.nowMs() + END_MS));
    expect(channel.shown()).toEqual(['**Ann**: w1\n↳ 🇪🇸 \\[es\\] w1\n**Ann**: w2']);
    expect(running.now).toBe(0);
    expect(clock.waiting).toBe(0);
  });

  it('end at the time that they are given, with what is final at once and no sign of what does not come', async () => {
    const { clock, captions, boards } = setUp({ plan: () => ({ outcome: 'never' }) });
    const rate = { count: 4, windowMs: 5_000 };
    const channel = createChannel(clock, {}, rate);
    boards.clear();
    boards.add(createBoard({ clock, editRate: rate, texts, log: quiet, port: channel }));
    captions.setLanguages(['es']);
    for (const id of [1, 2]) {
      captions.heard(line(id));
      await clock.advance(100);
    }
    captions.heard(line(3));
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
    const { clock, channel, captions } = setUp();
    for (let id = 1; id <= 250; id += 1) captions.heard(line(id, { isFinal: false }));
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
            const { clock, channel, captions, asked, running } = setUp({
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
              captions.heard(event);
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
                .map((to) => `\\[${to}\\] ${text}`),
            );
            expect((shown.match(/\\\[\w+\\\] w\d+w/g) ?? []).toSorted()).toEqual(
              expected.toSorted(),
            );
            const asks = asked.map(({ text, language: to }) => `${text} ${to}`);
            expect(new Set(asks).size).toBe(asks.length);
            expect(running.most).toBeLessThanOrEqual(6);
            expect(channel.faults).toEqual([]);
            expect(clock.waiting).toBe(0);
          },
        ),
        { numRuns: 60 },
      );
    },
  );
});
