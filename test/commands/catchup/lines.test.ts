import { describe, expect, it, vi } from 'vitest';
import type { MessageFile } from '../../../src/model/message.ts';
import { SPACE } from '../../fakes/command-harness.ts';
import { sentence, sentenceLike } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';
import { CAT, msAgo, secondsAgo, written } from './support.ts';

const harness = useCommandHarness();

describe('the lines of /catchup', () => {
  it('names an author once, with the way to the first message, above what they go on with', async () => {
    const dan = { id: 'dan', name: 'Dan', kind: 'person' } as const;
    harness().script.messages = [written('a', 4), written('b', 3), written('c', 2, dan)];
    const { text } = await harness().run('catchup', { since: '1h', to: 'es' });
    const time = (minutesAgo: number) => `<t:${secondsAgo(minutesAgo)}:t>`;
    const way = (minutesAgo: number) => `[↗](https://chat.example/${msAgo(minutesAgo)})`;
    expect(text.split('\n').slice(1, -1)).toEqual([
      `- ${time(4)} ${way(4)} **Cat**: es:a`,
      `  - ${time(3)} es:b`,
      `- ${time(2)} ${way(2)} **Dan**: es:c`,
    ]);
  });

  it('puts the date beside the time after a night, and not again after a pause of the same day', async () => {
    const [first, second] = [3 * 1_440, 1_440];
    harness().script.messages = [first, first - 420, second, second - 60].map((minutesAgo) =>
      written(`line ${minutesAgo}.`, minutesAgo),
    );
    const { text } = await harness().run('catchup', { since: '7d', to: 'es' });
    const moments = text
      .split('\n')
      .slice(1, -1)
      .map((line) => /<t:\d+:\w>/.exec(line)?.[0]);
    expect(moments).toEqual(
      [first, first - 420, second, second - 60].map(
        (minutesAgo, at) => `<t:${secondsAgo(minutesAgo)}:${at % 2 === 0 ? 'f' : 't'}>`,
      ),
    );
  });

  it('shows code as it was written, its first lines, and names its author again below', async () => {
    // The harness's translator returns words alone.
    Object.assign(harness().services.translator, {
      async *translate({ text }: { text: unknown }) {
        yield await Promise.resolve(() => text);
        return { text, outcome: 'unchanged' };
      },
    });
    const code = Array.from({ length: 10 }, (_, at) => `  ${at}`).join('\n');
    harness().script.messages = [
      written(`see \`npm  ci\`:\n\`\`\`ts\n${code}\n\`\`\`\nfine?`, 3),
      written('b', 2),
    ];
    const { text } = await harness().run('catchup', { to: 'es' });
    const shown = text.split('\n').slice(1, -1);
    expect(shown[0]).toMatch(/\*\*Cat\*\*: see `npm ci`:$/);
    expect(shown.slice(1, -1).join('\n')).toBe(
      `\`\`\`ts\n${code.slice(0, code.indexOf('\n  8'))}\n…\n\`\`\`\nfine?`,
    );
    expect(shown.at(-1)).toMatch(/\*\*Cat\*\*: b$/);
  });

  it('says how many replies stand in the thread of a message, where these are people’s', async () => {
    const all = [undefined, 'none', 'some', 'all'] as const;
    harness().script.messages = [
      ...all.map((ours, at) => ({
        ...written(`line ${at}.`, 9 - at),
        replies: { count: 12, ...(ours ? { ours } : {}) },
      })),
      written('line 4.', 1),
    ];
    const notes = async () =>
      (await harness().run('catchup', { to: 'fr' })).text
        .split('\n')
        .slice(1, -1)
        .map((line) => /\[🧵 .*/.exec(line)?.[0]);
    const note = (at: number, count: number) =>
      `[🧵 ${sentence('catchup.replies', { count })} ↗](https://chat.example/thread/${msAgo(9 - at)})`;
    expect(await notes()).toEqual([note(0, 12), note(1, 12), note(2, 0), undefined, undefined]);
    await harness().run('autotranslate reply', { languages: 'es' });
    expect(await notes()).toEqual([note(0, 0), note(1, 12), note(2, 0), undefined, undefined]);
    const [watch] = harness().services.watches.list(SPACE);
    vi.spyOn(harness().services.watches, 'of').mockReturnValue({ ...watch!, mode: 'mirror' });
    expect(await notes()).toEqual([...[0, 1, 2, 3].map((at) => note(at, 12)), undefined]);
  });

  it('names files, pictures and stickers, of which nothing is translated', async () => {
    const file = (name: string, mediaType: string, part = {}) =>
      ({ id: name, name, mediaType, sizeBytes: 1, ...part }) as unknown as MessageFile;
    const photo = file('a.png', 'image/png');
    const plan = file('**@everyone**.pdf', 'application/pdf');
    const voice = file('v.ogg', 'audio/ogg', { voice: { durationMs: 1, loudness: [] } });
    harness().script.messages = [
      { ...written('', 5), files: [photo] },
      { ...written('', 4), files: [photo, photo, plan] },
      { ...written('look', 3), files: [voice], stickers: [{ name: 'Wave', url: '' }] },
    ];
    const named = (name: string) => ({
      pictures: sentence('catchup.pictures', { count: 1, name }),
      two: sentence('catchup.pictures', { count: 2, name }),
      file: sentence('catchup.files', { count: 1, name }),
      voice: sentence('catchup.recordings', { count: 1, name }),
      sticker: sentence('catchup.stickers', { count: 1, name }),
    });
    const { text } = await harness().run('catchup', { to: 'es' });
    // The renderer puts a word joiner behind each @, so that nobody is mentioned.
    const [one, two, three] = text.replaceAll('\u2060', '').split('\n').slice(1);
    expect(one).toMatch(new RegExp(`\\*\\*Cat\\*\\*: \\*\\(${named('').pictures}\\)\\*$`));
    const escaped = '\\*\\*@everyone\\*\\*.pdf';
    expect(two).toContain(`*(${named('').two}, ${named(escaped).file})*`);
    expect(three).toContain(`es:look *(${named('').voice}, ${named('Wave').sticker})*`);
    const { files = [] } = await harness().press('catchup.file');
    expect(Buffer.from(files[0]!.bytes).toString()).toContain(`Cat: (${named('').pictures})\n`);
  });

  it('shows the links of messages whole', async () => {
    const url = 'https://example.com/photos/2026';
    harness().script.messages = [written(`see ${url}`, 2)];
    const { text } = await harness().run('catchup', { to: 'es' });
    expect(text).toContain(`es:see ${url}`);
  });

  it('shows names and texts of others as words alone', async () => {
    const name = '**@everyone** <@1> '.repeat(9);
    harness().script.messages = [written('<@1> @everyone', 1, { ...CAT, name })];
    const { text } = await harness().run('catchup', { to: 'es' });
    expect(text).toMatch(sentenceLike('catchup.page'));
    expect(text).not.toMatch(/<@1>|[^\\]\*\*@everyone/);
  });
});
