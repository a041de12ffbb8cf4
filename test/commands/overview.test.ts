import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { HERE, messageOf, SPACE } from '../fakes/command-harness.ts';
import { useDesk } from './support.ts';

const desk = useDesk();

const use = (memberId: string, characters: number, audioMs = 0) =>
  desk().services.usage.record(SPACE, memberId, { characters, audioMs, messages: 1 });

describe('/usage', () => {
  it('gives a picture and the numbers', async () => {
    await use('ada', 1_200, 90_000);
    await use('bob', 300);
    const { text, files } = await desk().run('usage', { days: '7' });
    expect(text).toContain(
      '**Used in the last 7 days**\n1,500 characters · 1.5 min of audio · 2 messages',
    );
    expect(text).toContain(
      '- May 20, 2026 · 1,500 characters · 1.5 min of audio · 2 messages · 2 people',
    );
    expect(files).toMatchObject([{ name: 'usage.png', mediaType: 'image/png' }]);
  });

  it('says so when nothing was used', async () => {
    expect(await desk().run('usage')).toEqual({
      text: 'Nothing was used in the last 30 days.',
      tone: 'note',
    });
  });

  it('keeps the numbers where no picture can be drawn', async () => {
    await use('ada', 5);
    desk().script.chart = async () => {
      throw new AppError('unsupported', 'no library', { sentence: { key: 'usage.no-picture' } });
    };
    const { text } = await desk().run('usage');
    expect(text).toContain('5 characters');
    expect(text).toContain('cannot be drawn');
  });

  it('is for moderators', async () => {
    expect(await desk().run('usage', {}, { member: { role: 'member' } })).toMatchObject({
      tone: 'error',
    });
  });

  it('counts what commands used, within the limits', async () => {
    await desk().services.spaces.change(SPACE, { dailyCharacters: 10 });
    const first = await desk().run('translate', { text: 'six ch', to: 'ja' });
    expect(first.text).toBe('ja:six ch');
    const second = await desk().run('translate', { text: 'six ch', to: 'ja' });
    expect(second.text).toBe(
      'That would go over today’s limit: 6 of 10 characters are used here. ' +
        'The count starts anew at midnight UTC, in about 11 hours.',
    );
    expect((await desk().run('usage', { days: '7' })).text).toContain('6 characters');
  });
});

describe('/status', () => {
  it('says what works and what does not', async () => {
    const { text, controls } = await desk().run('status');
    expect(text).toBe(
      '**Service**\n- ✅ pseudo · translation, speech recognition · en-XA\n' +
        '- ➖ openai · language model · `SERVICE_OPENAI_URL=…`',
    );
    expect(controls).toBeUndefined();
    const member = { role: 'member' } as const;
    expect((await desk().run('status', {}, { member })).text).toMatch(
      /✅ pseudo · translation, speech recognition\n- ➖ openai · language model$/,
    );
    desk().script.reachable = false;
    expect((await desk().run('status')).text).toContain('❌ The speech service cannot be reached');
  });

  it('names what is missing in watched channels, and what waits', async () => {
    await desk().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    desk().script.missing = { 2: ['Manage Webhooks', 'Send Messages'] };
    desk().script.backlog = {
      waiting: 2,
      oldestMs: Date.UTC(2026, 0, 2, 3, 4),
      dead: 0,
      newestDead: [],
    };
    const { text } = await desk().run('status');
    expect(text).toContain(
      '- ✅ <#1>\n- ❌ <#2> · still to be allowed: Manage Webhooks, Send Messages',
    );
    expect(text).toContain('2 messages are waiting, the oldest since Jan 2, 2026');
  });

  it('lets moderators try again what could not be done', async () => {
    const dead = {
      ref: { channel: HERE, id: '1' },
      reason: 'unavailable',
    } as const;
    desk().script.backlog = { waiting: 0, oldestMs: undefined, dead: 3, newestDead: [dead] };
    const seen = await desk().run('status', {}, { member: { role: 'member' } });
    expect(seen.text).toContain('❌ 3 messages could not be translated');
    expect(seen.text).not.toContain('<#100>');
    expect(seen.controls).toBeUndefined();
    const { text } = await desk().run('status');
    expect(text).toContain('<#100> · The service cannot be reached right now.');
    const refused = await desk().press('Try again', [], { member: { role: 'member' } });
    expect(refused.text).toContain('Only moderators');
    await desk().run('status');
    const content = await desk().press('Try again');
    expect(content.text).toContain('3 messages are tried again.');
    expect(content.controls).toBeUndefined();
  });
});

describe('/privacy', () => {
  const member = { id: 'bob', role: 'member' } as const;

  it('says what is kept, and lets people opt out and in', async () => {
    const { text } = await desk().run('privacy', {}, { member });
    expect(text).toContain('What I keep about you');
    expect(text).toContain('may be translated');
    const out = await desk().press('Opt out', [], { member });
    expect(out.text).toContain('You opted out');
    expect(await desk().services.privacy.optedOut({ platform: 'test', id: 'bob' })).toBe(true);
    const refused = await desk().run('translate', {}, { on: messageOf('hello') });
    expect(refused.text).toContain('does not want');
    await desk().run('privacy', {}, { member });
    expect((await desk().press('Take part again', [], { member })).text).toContain(
      'may be translated',
    );
  });

  it('gives people what is kept', async () => {
    await use('bob', 5);
    await desk().run('privacy', {}, { member });
    const { files, controls } = await desk().press('Get my data', [], { member });
    const kept = JSON.parse(Buffer.from(files?.[0]?.bytes ?? []).toString()) as object;
    expect(kept).toMatchObject({ member: 'bob', usage: [{ characters: 5 }] });
    expect(controls).toHaveLength(3);
  });

  it('forgets only after a second press', async () => {
    await desk().run('language', { language: 'ja' }, { member });
    await desk().run('privacy', {}, { member });
    expect((await desk().press('Forget me', [], { member })).text).toContain('cannot be undone');
    expect((await desk().press('Back', [], { member })).text).toContain('What I keep about you');
    await desk().press('Forget me', [], { member });
    const settings = () => desk().services.settings.of({ platform: 'test', id: 'bob' });
    expect(await settings()).toMatchObject({ language: 'ja' });
    expect((await desk().press('Yes, forget me', [], { member })).text).toContain('is deleted');
    expect(await settings()).toMatchObject({ language: undefined });
    await desk().press('Back', [], { member });
  });
});
