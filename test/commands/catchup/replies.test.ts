import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import { sentence } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';
import { lines, linesIn, msAgo, secondsAgo, written } from './support.ts';

const harness = useCommandHarness();
const DAN = { id: 'dan', name: 'Dan', kind: 'person' } as const;

/** A message with replies in its thread, of which the first stand behind it. */
const answered = (text: string, minutesAgo: number, count: number): readonly Message[] => {
  const { ref, ...message } = written(text, minutesAgo);
  const root = { ...message, ref, threadId: ref.id, replies: { count, ours: 'none' as const } };
  const replies = Array.from({ length: count }, (_, at) => {
    const reply = written(`line ${minutesAgo}${at}.`, minutesAgo, DAN);
    return { ...reply, ref: { ...ref, id: `${ref.id}-${at}` }, threadId: ref.id };
  });
  return [root, ...replies];
};

const more = (count: number): string => sentence('catchup.more-replies', { count });

describe('the replies in threads of /catchup', () => {
  it('stand below their message, the first three of the three newest threads of a page', async () => {
    harness().script.messages = [8, 6, 4, 2].flatMap((at) => answered('asked', at, at));
    const { text } = await harness().run('catchup', { to: 'es' });
    expect(linesIn(text)).toEqual(
      [6, 4, 2].flatMap((at) => [0, 1, 2].slice(0, at).map((n) => `line ${at}${n}.`)),
    );
    const shown = text.split('\n').slice(1, -1);
    const way = (at: number) => `(https://chat.example/thread/${msAgo(at)})`;
    expect(shown[0]).toContain(`[🧵 ${sentence('catchup.replies', { count: 8 })} ↗]${way(8)}`);
    expect(shown[2]).toMatch(/^ {2}- 🧵 <t:\d+:t> \*\*Dan\*\*: es:line 60\.$/);
    expect(shown[4]).toContain(`[🧵 ${more(3)} ↗]${way(6)}`);
    expect(shown.at(-1)).toMatch(/line 21\.$/);
  });

  it('are in the file, twenty of a thread', async () => {
    harness().script.messages = answered('asked', 5, 22);
    await harness().run('catchup', { to: 'es' });
    const { files = [], text } = await harness().press('catchup.file');
    const rows = Buffer.from(files[0]!.bytes).toString().split('\n');
    expect(rows[3]).toBe('  🧵 [2026-05-20 12:55] Dan: es:line 50.');
    expect(linesIn(rows.join())).toHaveLength(20);
    expect(rows.at(-2)).toContain(`[🧵 ${more(2)}]`);
    expect(linesIn(text)).toEqual(['line 50.', 'line 51.', 'line 52.']);
    const read = { part: 'all', count: 1, first: 1, last: 1, language: 'Spanish' };
    const since = `<t:${secondsAgo(1_440)}:f>`;
    const onPage = { ...read, since, replies: 3, translated: 4 };
    expect(text).toContain(sentence('catchup.page', onPage));
    const params = { ...read, replies: 20, translated: 21 };
    const inFile = { ...params, since: '2026-05-19 13:00' };
    expect(rows[0]).toBe(sentence('catchup.file-head', inFile));
    expect(text).toContain(sentence('catchup.file-ready', { ...params, since }));
  });

  it('are counted, as far as the file has them, before many messages are translated', async () => {
    const counts = [30, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 40];
    const asked = counts.flatMap((count, at) => answered('asked', 90 - at, count));
    harness().script.messages = [...asked, ...lines(60)];
    const { text } = await harness().run('catchup', { to: 'es' });
    const since = `<t:${secondsAgo(1_440)}:f>`;
    const characters = 12 * 'asked'.length + 60 * 'line 1.'.length + 51;
    const many = { part: 'all', count: 72, first: 1, last: 72, characters, since, summary: 'no' };
    expect(text).toBe(sentence('catchup.many', { ...many, replies: 20 + 9 }));
  });

  it('go with their message where that is deleted', async () => {
    harness().script.messages = [written('line 9.', 9), ...answered('asked', 5, 2)];
    const { translator } = harness().services;
    const translate = translator.translate.bind(translator);
    Object.assign(translator, {
      async *translate(...given: Parameters<typeof translate>) {
        harness().script.messages = [written('line 9.', 9)];
        return yield* translate(...given);
      },
    });
    const { text } = await harness().run('catchup', { to: 'es' });
    expect(linesIn(text)).toEqual(['line 9.']);
  });
});
