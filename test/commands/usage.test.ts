import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { HERE, SPACE, type CommandHarness } from '../fakes/command-harness.ts';
import { useCommandHarness } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const harness = useCommandHarness();

const use = (memberId: string, characters: number, audioMs = 0, chatTokens = 0) =>
  harness().services.usage.record(SPACE, memberId, {
    characters,
    audioMs,
    chatTokens,
    messages: 1,
  });

const numbers = (characters: number, tokens = 0, messages = 1): string =>
  sentence('usage.numbers', { characters, audio: '0 sec', tokens, messages });

describe('/usage', () => {
  it('gives a picture and the numbers', async () => {
    await use('ada', 1_200, 90_000);
    await use('bob', 300);
    const { text, files } = await harness().run('usage', { days: '7' });
    const used = { characters: 1_500, audio: '1.5 min', tokens: 0, messages: 2 };
    expect(text).toContain(
      `${sentence('usage.heading', { days: 7 })}\n${sentence('usage.numbers', used)}`,
    );
    expect(text).toContain(
      `- May 20, 2026 · ${sentence('usage.numbers', used)} · ${sentence('usage.people', { count: 2 })}`,
    );
    expect(files).toMatchObject([{ name: 'usage.png', mediaType: 'image/png' }]);
  });

  it('gives less than a minute of audio in seconds', async () => {
    await use('ada', 0, 12_000);
    expect((await harness().run('usage')).text).toContain('12 sec of audio');
  });

  it('says so when nothing was used, with what is left', async () => {
    const nothing = `${sentence('usage.own')}\n${sentence('usage.own-none')}`;
    const none = sentence('usage.none', { days: 30 });
    expect(await harness().run('usage')).toEqual({ text: `${none}\n\n${nothing}`, tone: 'note' });
    await harness().services.spaces.change(SPACE, { dailyCharacters: 50 });
    Object.assign(harness().script.operator, { person: { characters: 20 } });
    const left = (count: number) => ({ amounts: sentence('usage.characters', { count }) });
    expect((await harness().run('usage')).text).toBe(
      `${none}\n${sentence('usage.left-together', left(50))}\n\n${nothing}\n${sentence('usage.left', left(20))}`,
    );
  });

  it.each(['characters', 'audioMs', 'chatTokens', 'messages'] as const)(
    'gives use of %s alone',
    async (amount) => {
      await harness().services.usage.record(SPACE, 'ada', { [amount]: 1_000 });
      const { text } = await harness().run('usage', { days: '7' });
      expect(text).toContain('- May 20, 2026 · ');
      expect(text).not.toContain(sentence('usage.none', { days: 7 }));
      const ada = { id: 'ada', role: 'member' } as const;
      expect((await harness().run('usage', {}, { member: ada })).text).not.toContain(
        sentence('usage.own-none'),
      );
    },
  );

  it('explains chat tokens to those who read of them, and to nobody else', async () => {
    const about = sentence('usage.about-tokens');
    const bob = { id: 'bob', role: 'member' } as const;
    const read = async () => (await harness().run('usage', {}, { member: bob })).text;
    await use('bob', 20);
    expect(await read()).not.toContain(about);
    await harness().services.spaces.change(SPACE, { dailyChatTokens: 100 });
    expect(await read()).toContain(about);
    expect((await harness().run('usage')).text).toContain(about);
  });

  it('keeps the numbers where no picture can be drawn', async () => {
    await use('ada', 5);
    harness().script.chart = async () => {
      throw new AppError('unsupported', 'no library', { sentence: { key: 'usage.no-picture' } });
    };
    const { text } = await harness().run('usage');
    expect(text).toContain(numbers(5));
    expect(text).toContain(sentence('usage.no-picture'));
  });

  it('gives everybody their own use of today alone, with what is left', async () => {
    await use('bob', 20, 0, 70);
    await use('ada', 900);
    const bob = { id: 'bob', role: 'member' } as const;
    const own = `${sentence('usage.own')}\n${numbers(20, 70)}`;
    const about = sentence('usage.about-tokens');
    expect((await harness().run('usage', {}, { member: bob })).text).toBe(`${own}\n${about}`);
    Object.assign(harness().script.operator, { person: { characters: 50, audioMinutes: 3 } });
    await harness().services.spaces.change(SPACE, { dailyChatTokens: 100 });
    const amounts = [
      sentence('usage.characters', { count: 30 }),
      sentence('usage.minutes', { count: 3 }),
      sentence('usage.tokens', { count: 30 }),
    ].join(', ');
    expect((await harness().run('usage', {}, { member: bob })).text).toBe(
      `${own}\n${sentence('usage.left', { amounts })}\n${about}`,
    );
    const eve = { id: 'eve', role: 'member' } as const;
    expect((await harness().run('usage', {}, { member: eve })).text).toContain(
      sentence('usage.own-none'),
    );
  });

  it('names to moderators those who used most, but nobody who opted out or was forgotten', async () => {
    for (const id of [10, 11, 12, 13, 14, 15, 16]) await use(`${id}`, 100 - id);
    const { privacy } = harness().services;
    await privacy.setOptedOut({ platform: 'test', id: '11' }, true);
    await privacy.forget({ platform: 'test', id: '12' });
    const { text } = await harness().run('usage');
    const rows = [10, 13, 14, 15, 16].map((id) => `- <@${id}> · ${numbers(100 - id)}`);
    expect(text).toContain(`${sentence('usage.top')}\n${rows.join('\n')}\n`);
    for (const id of [11, 12]) expect(text).not.toContain(`<@${id}>`);
    expect(text).toContain(numbers(90 + 89 + 88 + 87 + 86 + 85 + 84, 0, 7));
  });

  it('says to moderators what is left for everybody', async () => {
    await use('bob', 20);
    await harness().services.spaces.change(SPACE, { dailyCharacters: 50 });
    const amounts = sentence('usage.characters', { count: 30 });
    expect((await harness().run('usage')).text).toContain(
      sentence('usage.left-together', { amounts }),
    );
  });

  it('counts what commands used, within the limits', async () => {
    await harness().services.spaces.change(SPACE, { dailyCharacters: 10 });
    const first = await harness().run('translate', { text: 'six ch', to: 'ja' });
    expect(first.text).toBe('ja:six ch');
    const second = await harness().run('translate', { text: 'six ch', to: 'ja' });
    expect(second.text).toBe(sentence('limits.characters', { used: 6, limit: 10, hours: 11 }));
    expect((await harness().run('usage', { days: '7' })).text).toContain(numbers(6));
  });
});

describe('the limits of one person', () => {
  const ELSEWHERE = { ...HERE, space: { ...SPACE, id: 'elsewhere' } };
  const translate = async (asking: Parameters<CommandHarness['run']>[2] = {}) =>
    (await harness().run('translate', { text: 'six ch', to: 'ja' }, asking)).text;
  const over = sentence('limits.characters-each', { used: 6, limit: 10, hours: 11 });

  it('hold over all servers together', async () => {
    harness().script.operator.person = { characters: 10 };
    expect(await translate()).toBe('ja:six ch');
    expect(await translate({ channel: ELSEWHERE })).toBe(over);
    expect(await translate({ channel: ELSEWHERE, member: { id: 'bob' } })).toBe('ja:six ch');
  });

  it('hold where the bot is not, and the use is the person’s', async () => {
    harness().script.operator.person = { characters: 10 };
    expect(await translate({ channel: ELSEWHERE, isGuest: true })).toBe('ja:six ch');
    expect(await translate()).toBe(over);
    const { usage } = harness().services;
    expect(await usage.todayOf(ELSEWHERE.space, 'ada')).toMatchObject({ characters: 0 });
    const own = await harness().run('usage', {}, { channel: HERE, isGuest: true });
    expect(own.text).toContain(sentence('usage.characters', { count: 6 }));
  });

  it('leave out the use that a server pays with a key of its own', async () => {
    harness().script.operator.person = { characters: 10 };
    const ann = { ...SPACE, id: 'ann', name: 'Ann', locale: 'en', role: 'moderator' } as const;
    const { signal } = new AbortController();
    await harness().services.spaceKeys.set(ELSEWHERE.space, 'svck:own', ann, signal);
    await harness().services.usage.record(ELSEWHERE.space, 'ada', { characters: 9 });
    expect(await translate()).toBe('ja:six ch');
  });
});
