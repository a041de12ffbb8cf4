import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { HERE, messageOf, SPACE } from '../fakes/command-harness.ts';
import { useDesk } from './support.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';

const desk = useDesk();

const use = (memberId: string, characters: number, audioMs = 0) =>
  desk().services.usage.record(SPACE, memberId, { characters, audioMs, messages: 1 });

describe('/usage', () => {
  it('gives a picture and the numbers', async () => {
    await use('ada', 1_200, 90_000);
    await use('bob', 300);
    const { text, files } = await desk().run('usage', { days: '7' });
    const used = { characters: 1_500, minutes: 1.5, messages: 2 };
    expect(text).toContain(
      `${sentence('usage.heading', { days: 7 })}\n${sentence('usage.numbers', used)}`,
    );
    expect(text).toContain(
      `- May 20, 2026 · ${sentence('usage.numbers', used)} · ${sentence('usage.people', { count: 2 })}`,
    );
    expect(files).toMatchObject([{ name: 'usage.png', mediaType: 'image/png' }]);
  });

  it('says so when nothing was used', async () => {
    expect(await desk().run('usage')).toEqual({
      text: sentence('usage.none', { days: 30 }),
      tone: 'note',
    });
  });

  it('keeps the numbers where no picture can be drawn', async () => {
    await use('ada', 5);
    desk().script.chart = async () => {
      throw new AppError('unsupported', 'no library', { sentence: { key: 'usage.no-picture' } });
    };
    const { text } = await desk().run('usage');
    expect(text).toContain(sentence('usage.numbers', { characters: 5, minutes: 0, messages: 1 }));
    expect(text).toContain(sentence('usage.no-picture'));
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
    expect(second.text).toBe(sentence('limits.characters', { used: 6, limit: 10, hours: 11 }));
    expect((await desk().run('usage', { days: '7' })).text).toContain(
      sentence('usage.numbers', { characters: 6, minutes: 0, messages: 1 }),
    );
  });
});

describe('/status', () => {
  it('says what works and what does not', async () => {
    const { text, controls } = await desk().run('status');
    const abilities = ['translation', 'recognition'] as const;
    const pseudo = `pseudo · ${abilities.map((ability) => sentence(`web.engines.abilities.${ability}`)).join(', ')}`;
    const openai = `openai · ${sentence('web.engines.abilities.chat')}`;
    expect(text).toBe(
      `${sentence('status.service')}\n- ✅ ${pseudo} · en-XA\n- ➖ ${openai} · \`SERVICE_OPENAI_URL=…\``,
    );
    expect(controls).toBeUndefined();
    const member = { role: 'member' } as const;
    const seen = (await desk().run('status', {}, { member })).text;
    expect(seen.endsWith(`✅ ${pseudo}\n- ➖ ${openai}`)).toBe(true);
    desk().script.reachable = false;
    expect((await desk().run('status')).text).toContain(`❌ ${sentence('status.unreachable')}`);
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
      `- ✅ <#1>\n- ❌ <#2> · ${sentence('status.missing', { what: 'Manage Webhooks, Send Messages' })}`,
    );
    expect(text).toMatch(sentenceLike('status.waiting', { count: 2 }));
    expect(text).toContain('Jan 2, 2026');
  });

  it('lets moderators try again what could not be done', async () => {
    const dead = {
      ref: { channel: HERE, id: '1' },
      reason: 'unavailable',
    } as const;
    desk().script.backlog = { waiting: 0, oldestMs: undefined, dead: 3, newestDead: [dead] };
    const seen = await desk().run('status', {}, { member: { role: 'member' } });
    expect(seen.text).toContain(`❌ ${sentence('status.dead', { count: 3 })}`);
    expect(seen.text).not.toContain('<#100>');
    expect(seen.controls).toBeUndefined();
    const { text } = await desk().run('status');
    expect(text).toContain(`<#100> · ${sentence('errors.unavailable')}`);
    const refused = await desk().press('status.retry', [], { member: { role: 'member' } });
    expect(refused.text).toContain(sentence('errors.needs-moderator'));
    await desk().run('status');
    const content = await desk().press('status.retry');
    expect(content.text).toContain(sentence('status.revived', { count: 3 }));
    expect(content.controls).toBeUndefined();
  });
});

describe('/privacy', () => {
  const member = { id: 'bob', role: 'member' } as const;

  it('says what is kept, and lets people opt out and in', async () => {
    const { text } = await desk().run('privacy', {}, { member });
    expect(text).toContain(sentence('privacy.heading'));
    expect(text).toContain(sentence('privacy.is-in'));
    const out = await desk().press('privacy.opt-out', [], { member });
    expect(out.text).toContain(sentence('privacy.is-out'));
    expect(await desk().services.privacy.optedOut({ platform: 'test', id: 'bob' })).toBe(true);
    const refused = await desk().run('translate', {}, { on: messageOf('hello') });
    expect(refused.text).toContain(sentence('errors.author-opted-out'));
    await desk().run('privacy', {}, { member });
    expect((await desk().press('privacy.opt-in', [], { member })).text).toContain(
      sentence('privacy.is-in'),
    );
  });

  it('gives people what is kept', async () => {
    await use('bob', 5);
    await desk().run('privacy', {}, { member });
    const { files, controls } = await desk().press('privacy.export', [], { member });
    const kept = JSON.parse(Buffer.from(files?.[0]?.bytes ?? []).toString()) as object;
    expect(kept).toMatchObject({ member: 'bob', usage: [{ characters: 5 }] });
    expect(controls).toHaveLength(3);
  });

  it('forgets only after a second press', async () => {
    await desk().run('language', { language: 'ja' }, { member });
    await desk().run('privacy', {}, { member });
    expect((await desk().press('privacy.forget', [], { member })).text).toContain(
      sentence('privacy.sure'),
    );
    expect((await desk().press('privacy.back', [], { member })).text).toContain(
      sentence('privacy.heading'),
    );
    await desk().press('privacy.forget', [], { member });
    const settings = () => desk().services.settings.of({ platform: 'test', id: 'bob' });
    expect(await settings()).toMatchObject({ language: 'ja' });
    expect((await desk().press('privacy.forget-now', [], { member })).text).toContain(
      sentence('privacy.forgotten'),
    );
    expect(await settings()).toMatchObject({ language: undefined });
    await desk().press('privacy.back', [], { member });
  });
});
