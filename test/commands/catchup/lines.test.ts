import { describe, expect, it } from 'vitest';
import { sentenceLike } from '../../fakes/sentences.ts';
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
    expect(text.split('\n').slice(1)).toEqual([
      `- ${time(4)} ${way(4)} **Cat**: es:a`,
      `  - ${time(3)} es:b`,
      `- ${time(2)} ${way(2)} **Dan**: es:c`,
    ]);
  });

  it('puts the date above messages after a night, and not again above those that follow soon', async () => {
    const [first, second] = [3 * 1_440, 1_440];
    harness().script.messages = [first, first - 300, second, second - 60].map((minutesAgo) =>
      written(`line ${minutesAgo}.`, minutesAgo),
    );
    const { text } = await harness().run('catchup', { since: '7d', to: 'es' });
    const dates = [first, second].map(secondsAgo);
    expect(text.match(/<t:\d+:D>/g)).toEqual(dates.map((seconds) => `<t:${seconds}:D>`));
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
