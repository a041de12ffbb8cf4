import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Batch,
  createBotTurns,
  planBatches,
} from '../../../../adapters/discord/mirrors/outbox.ts';
import {
  partsOf,
  readFooter,
  readSections,
  replaceSection,
  sectionOf,
  withoutSource,
  writeSections,
} from '../../../../adapters/discord/mirrors/parts.ts';
import { createWebhookRate } from '../../../../adapters/discord/mirrors/webhooks.ts';
import type { Mirror } from '../../../../src/ports/mirrors.ts';
import { casesOf } from '../../../fakes/cases.ts';
import { createHastyClock } from '../../../fakes/clock.ts';
import { parseDiscord } from '../../../../adapters/discord/rich-text/parse.ts';
import { normalise } from '../../../../src/rich-text/normalise.ts';
import { row } from '../../../../src/rich-text/compose.ts';

const channel = {
  space: { platform: 'discord', id: '100000000000000001' },
  id: '100000000000000002',
};

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom('a', ' ', '\n', '`', '*', '[', '](<', '-# ', '>'),
    maxLength: 400,
  }),
  fc.string({ unit: 'grapheme', minLength: 1_500, maxLength: 5_000 }),
);

const anyCopies = fc
  .array(fc.tuple(anyText, fc.constantFrom('Ann', 'Bob', 'Eve [x] **', undefined)), {
    maxLength: 20,
  })
  .map((all) =>
    all.map(([text, name], index): Mirror => ({
      source: { channel, id: String(200_000_000_000_000_000n + BigInt(index)) },
      content: { text: parseDiscord(text) },
      key: 'watch',
      label: row('🌐 English'),
      ...(name === undefined ? {} : { as: { name } }),
    })),
  );

const messagesOf = (batch: Batch): readonly string[] => {
  if (batch.sections.length > 0) return [writeSections(batch.sections)];
  const { texts } = partsOf(batch.mirrors[0], batch.by === 'webhook' ? 'webhook' : 'bot');
  return texts.map(({ content }) => content);
};

test('a plan holds every copy once, in order, within the room and Discord’s limits', () => {
  fc.assert(
    fc.property(anyCopies, fc.integer({ min: 0, max: 30 }), (copies, room) => {
      const batches = planBatches(copies, room);
      expect(batches.flatMap((batch): readonly Mirror[] => batch.mirrors)).toEqual(copies);
      const messages = batches.map(messagesOf);
      for (const content of messages.flat()) expect(content.length).toBeLessThanOrEqual(2_000);
      const hooked = batches.filter(({ by }) => by === 'webhook');
      expect(hooked.flatMap(messagesOf).length).toBeLessThanOrEqual(room);
    }),
  );
});

test('each section of a shared message is found, replaced and taken away alone', () => {
  fc.assert(
    fc.property(anyCopies, fc.nat(), (copies, pick) => {
      const shared = planBatches(copies, 0).filter(({ sections }) => sections.length > 0);
      for (const batch of shared) {
        const sections = readSections(writeSections(batch.sections));
        expect(sections).toEqual(batch.sections);
        const at = pick % sections.length;
        const { source } = batch.mirrors[at]!;
        const changed = { footer: sections[at]!.footer, text: `new\n${sections[at]!.footer}` };
        expect(replaceSection(sections, changed, source)).toEqual(sections.with(at, changed));
        expect(withoutSource(sections, source)).toEqual(sections.toSpliced(at, 1));
      }
    }),
  );
});

test('webhooks never post more than five in two seconds nor thirty in a minute', async () => {
  const steps = fc.array(
    fc.record({ waitMs: fc.nat({ max: 20_000 }), wanted: fc.nat({ max: 20 }) }),
    {
      maxLength: 30,
    },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const clock = createHastyClock();
      const times: number[] = [];
      const rate = createWebhookRate(clock);
      for (const { waitMs, wanted } of all) {
        clock.ms += waitMs;
        const count = Math.min(wanted, rate.room('1', wanted));
        for (let each = 0; each < count; each += 1) {
          await rate.take('1', new AbortController().signal);
          times.push(clock.ms);
        }
      }
      for (const [windowMs, most] of [
        [2_000, 5],
        [60_000, 30],
      ] as const)
        for (const from of times)
          expect(
            times.filter((at) => at >= from && at < from + windowMs).length,
          ).toBeLessThanOrEqual(most);
    }),
    { numRuns: casesOf(60) },
  );
});

test('a burst window is waited for only if all posts are possible then', async () => {
  const clock = createHastyClock();
  const rate = createWebhookRate(clock);
  expect([rate.room('1', 10), rate.room('1', 11)]).toEqual([10, 5]);
  for (let count = 0; count < 3; count += 1) await rate.take('1');
  expect([rate.room('1', 7), rate.room('1', 8)]).toEqual([7, 2]);
});

test('as many mirrors as the core posts together are one message of the bot, without links where it must be', () => {
  const copies = Array.from({ length: 16 }, (_, index): Mirror => ({
    source: { channel, id: String(200_000_000_000_000_000n + BigInt(index)) },
    content: { text: parseDiscord('Something of the usual length, said by one of many people.') },
    key: 'watch',
    label: row('🌐 English'),
    as: { name: `Person ${index}` },
  }));
  const [only, ...more] = planBatches(copies, 0);
  expect(more).toEqual([]);
  expect(only?.sections.every(({ footer }) => !footer.includes('https'))).toBe(true);
  const [linked] = planBatches(copies.slice(0, 8), 0);
  expect(linked?.sections.every(({ footer }) => footer.includes('https'))).toBe(true);
});

test('the bot’s messages for several people stand evenly apart within what Discord allows, and delay no other channel', async () => {
  const clock = createHastyClock();
  const turns = createBotTurns(clock);
  const startMs = clock.ms;
  const times: number[] = [];
  for (const remaining of [4, 3, 2, 1, 0]) {
    await turns.take('1');
    times.push(clock.ms - startMs);
    turns.note('1', remaining, 5_000 - (clock.ms - startMs));
  }
  await turns.take('2');
  times.push(clock.ms - startMs);
  await turns.take('1');
  times.push(clock.ms - startMs);
  expect(times).toEqual([0, 1_000, 2_000, 3_000, 4_000, 4_000, 5_000]);
});

describe('a section of a shared message', () => {
  const of = (text: string): Mirror => ({
    source: { channel: { space: { platform: 'discord', id: '1' }, id: '2' }, id: '3' },
    content: { text: parseDiscord(text) },
    key: 'watch',
    label: row('🌐 English'),
    as: { name: 'Ann' },
  });

  test.each(['and so on\n**Bob**: I quit', '**Bob:** I quit'])(
    'is not made of %j, which looks like another person’s',
    (words) => {
      expect(sectionOf(of(words), 'bot')).toBeUndefined();
    },
  );

  test.each([
    'look || here',
    'a ` b',
    '**bold',
    'so *what',
    '~~gone',
    '__under',
    'an _opening',
    'a [label',
    '```js\ncode',
    '>>> quoted\nlines',
  ])('made of %j is no part of its neighbours', (words) => {
    const section = sectionOf(of(words), 'bot')!;
    const alone = parseDiscord(section.text);
    const together = parseDiscord(writeSections([section, section]));
    expect(together).toEqual(normalise([...alone, ...alone]));
  });

  test.each([
    'plain',
    '||hidden|| and **bold** and *so* and `code`',
    'snake_case_name',
    '- a list\n- of two',
    '```js\ncode\n```',
    '[label](https://a.example)',
  ])('is made of %j', (text) => {
    expect(sectionOf(of(text), 'bot')).toBeDefined();
  });
});

test('no cut makes a line of a text look like a mark of ours', () => {
  const mark = '-# [🌐 English](<https://discord.com/channels/1/2/4>)';
  const source = { channel: { space: { platform: 'discord', id: '1' }, id: '2' }, id: '3' };
  for (let length = 1_850; length < 1_960; length += 1) {
    const text = `${'w'.repeat(length)} ${mark}`;
    const copy: Mirror = {
      source,
      content: { text: parseDiscord(text) },
      key: 'watch',
      label: row('🌐 English'),
      as: { name: 'Ann' },
    };
    for (const { content } of partsOf(copy, 'webhook').texts) {
      expect(content.split('\n').filter((line) => readFooter(line))).toHaveLength(1);
      expect(content.length).toBeLessThanOrEqual(2_000);
    }
  }
});
