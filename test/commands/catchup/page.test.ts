import { describe, expect, it } from 'vitest';
import { labelled } from '../../fakes/command-harness.ts';
import { useCommandHarness } from '../support.ts';
import { lines, linesIn, written } from './support.ts';

const harness = useCommandHarness();

describe('the pages of /catchup', () => {
  it('turns pages forwards and backwards', async () => {
    harness().script.messages = lines(25);
    const pages = [await harness().run('catchup', { to: 'es' })];
    pages.push(await harness().press('catchup.later'), await harness().press('catchup.later'));
    expect(pages.map(({ text }) => linesIn(text).length)).toEqual([10, 10, 5]);
    expect(labelled(pages[0], 'catchup.earlier')).toBeUndefined();
    expect(labelled(pages[2], 'catchup.later')).toBeUndefined();
    const back = await harness().press('catchup.earlier');
    expect(linesIn(back.text)).toEqual(linesIn(pages[1]!.text));
  });

  it('fits long messages into a page, and the next ones onto the next', async () => {
    // Every second with code and replies, and each by another author.
    harness().script.messages = Array.from({ length: 9 }, (_, at) => ({
      ...written(
        at % 2 === 0
          ? `line ${at}. ${'word '.repeat(300)}`
          : `line ${at}.\n\`\`\`ts\n${'let a;\n'.repeat(300)}\`\`\`\n${'`word` '.repeat(300)}`,
        9 - at,
        { id: `author ${at}`, name: 'N'.repeat(40), kind: 'person' },
      ),
      ...(at % 2 === 0 ? {} : { replies: { count: 12, ours: 'none' as const } }),
    }));
    Object.assign(harness().services.translator, {
      async *translate({ text }: { text: unknown }) {
        yield await Promise.resolve(() => text);
        return { text, outcome: 'unchanged' };
      },
    });
    const first = await harness().run('catchup', { to: 'es' });
    expect(first.text.length).toBeLessThan(2_000);
    const seen = [...linesIn(first.text)];
    while (labelled(harness().shown.at(-1), 'catchup.later')) {
      const { text } = await harness().press('catchup.later');
      expect(text.length).toBeLessThan(2_000);
      seen.push(...linesIn(text));
    }
    expect(seen).toEqual(Array.from({ length: 9 }, (_, at) => `line ${at}.`));
  });

  it('keeps the page when everything comes as a file', async () => {
    harness().script.messages = lines(25);
    await harness().run('catchup', { to: 'es' });
    const page = await harness().press('catchup.later');
    const { text, files } = await harness().press('catchup.file');
    expect(linesIn(text)).toEqual(linesIn(page.text));
    expect(files).toHaveLength(1);
    expect(linesIn((await harness().press('catchup.later')).text)[0]).toBe('line 21.');
  });

  it('keeps a page of long messages when everything comes as a file', async () => {
    harness().script.messages = Array.from({ length: 20 }, (_, at) =>
      written(`line ${at + 1}. ${'word '.repeat(22)}`, 20 - at),
    );
    await harness().run('catchup', { to: 'es' });
    const page = await harness().press('catchup.later');
    const { text } = await harness().press('catchup.file');
    expect(linesIn(text)).toEqual(linesIn(page.text));
  });

  it('comes back from the question to the page', async () => {
    harness().script.messages = lines(60);
    await harness().run('catchup', { to: 'es' });
    await harness().press('catchup.read');
    const page = await harness().press('catchup.later');
    await harness().press('catchup.file');
    expect((await harness().press('catchup.read')).text).toBe(page.text);
  });
});
