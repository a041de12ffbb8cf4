import { describe, expect, it } from 'vitest';
import { AppError, userError } from '../../src/errors.ts';
import { HERE, messageOf, SPACE } from '../fakes/command-harness.ts';
import { NO_BACKLOG } from '../fakes/command-script.ts';
import { useCommandHarness } from './support.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';

const harness = useCommandHarness();

/** Languages of a translation that cannot be made. */
const PAIR = { from: { language: 'fi' }, to: { language: 'ko' } } as const;

describe('/status', () => {
  /** Those who do not run Dragoman: a moderator and a member. */
  const OTHERS = [{ id: 'max' }, { id: 'bob', role: 'member' }] as const;

  it('tells operators alone how the calls of the last hour went', async () => {
    const operator = () => harness().run('status');
    expect((await operator()).text).not.toContain(sentence('status.whole'));
    harness().script.recent = { calls: 200, failed: 3, unsent: 0, waitedMs: 250 };
    const said = `${sentence('status.whole')}\n- ✅ ${sentence('status.calls', { calls: 200, failed: 3 })}`;
    expect((await operator()).text).toMatch(new RegExp(`${RegExp.escape(said)}$`));
    for (const member of OTHERS)
      expect((await harness().run('status', {}, { member })).text).not.toContain(
        sentence('status.whole'),
      );
    harness().script.recent = { calls: 20, failed: 3, unsent: 7, waitedMs: 30_000 };
    harness().script.reachable = false;
    const { text } = await operator();
    expect(text).toContain(
      `- ⚠️ ${sentence('status.calls', { calls: 20, failed: 3 })}\n- ⏳ ${sentence('status.waited', { waited: '30 sec' })}`,
    );
    expect(text).toContain(`- ⚠️ ${sentence('status.unsent', { count: 7 })}`);
  });

  it('says what works and what does not', async () => {
    const { text, controls } = await harness().run('status');
    const abilities = ['translation', 'recognition'] as const;
    const pseudo = `pseudo · ${abilities.map((ability) => sentence(`web.engines.abilities.${ability}`)).join(', ')}`;
    const openai = `openai · ${sentence('web.engines.abilities.chat')}`;
    expect(text).toBe(
      `${sentence('status.service')}\n- ✅ ${pseudo} · en-XA\n- ➖ ${openai} · \`SERVICE_OPENAI_URL=…\``,
    );
    expect(controls).toBeUndefined();
    for (const member of OTHERS) {
      const seen = (await harness().run('status', {}, { member })).text;
      expect(seen).toContain(
        `- ✅ ${abilities.map((one) => sentence(`web.engines.abilities.${one}`)).join(', ')}\n`,
      );
      expect(seen).not.toContain('pseudo');
      expect(seen).not.toContain('SERVICE_OPENAI_URL');
    }
    harness().script.reachable = false;
    expect((await harness().run('status')).text).toContain(`❌ ${sentence('status.unreachable')}`);
  });

  it('says why the service refuses, and to moderators what to do about it', async () => {
    const told = async (role: 'moderator' | 'member') =>
      (await harness().run('status', {}, { member: { id: 'max', role } })).text;
    harness().script.keyRefusal = new AppError('config', 'refused', {
      sentence: { key: 'service.bad-key' },
      remedy: { key: 'remedies.check', params: { name: 'SPEECH_API_KEY' } },
    });
    const ofOperator = `- ❌ ${sentence('service.bad-key')}`;
    expect(await told('moderator')).toContain(`${ofOperator} ${sentence('errors.ask-operator')}`);
    expect(await told('moderator')).not.toContain('SPEECH_API_KEY');
    expect((await harness().run('status')).text).toContain('SPEECH_API_KEY');
    harness().script.keyRefusal = new AppError('config', 'refused', {
      sentence: { key: 'service.bad-own-key' },
      remedy: { key: 'remedies.own-key' },
    });
    const refused = `- ❌ ${sentence('service.bad-own-key')}`;
    expect(await told('member')).toBe(`${sentence('status.service')}\n${refused}`);
    expect(await told('moderator')).toContain(`${refused} ${sentence('remedies.own-key')}`);
    const ann = { ...SPACE, id: 'ann', name: 'Ann', locale: 'en', role: 'moderator' } as const;
    const { signal } = new AbortController();
    await harness().services.spaceKeys.set(SPACE, 'svck:own', ann, signal);
    harness().script.keyTrouble = 'refused';
    expect((await told('moderator')).split(sentence('service.bad-own-key'))).toHaveLength(2);
  });

  it('names what is missing in watched channels, and what waits', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    harness().script.missing = { 2: ['Manage Webhooks', 'Send Messages'] };
    const oldestMs = Date.UTC(2026, 0, 2, 3, 4);
    harness().script.backlog = { ...NO_BACKLOG, waiting: 2, oldestMs };
    const { text } = await harness().run('status');
    expect(text).toContain(
      `- ✅ <#1>\n- ❌ <#2> · ${sentence('status.missing', { permissions: 'Manage Webhooks, Send Messages' })}`,
    );
    expect(text).toMatch(sentenceLike('status.waiting', { count: 2 }));
    expect(text).toContain(`<t:${oldestMs / 1_000}:f>`);
  });

  it.each<[string, () => void, string]>([
    [
      'the bot may not write there',
      () => {
        harness().script.missing = { 8: ['Send Messages'] };
      },
      sentence('status.missing', { permissions: 'Send Messages' }),
    ],
    [
      'it is gone',
      () => {
        harness().script.refusals = { 8: new AppError('not-found', 'gone') };
      },
      sentence('errors.not-found'),
    ],
  ])("tells moderators why nothing comes in the moderators' channel: %s", async (_, harm, why) => {
    const { services, script } = harness();
    await services.spaces.change(SPACE, { moderators: { channel: '8', locale: 'en' } });
    const told = async () => (await harness().run('status')).text;
    const line = `❌ ${sentence('settings.moderators-are', { channels: '<#8>' })} · ${why}`;
    expect(await told()).not.toContain('❌');
    harm();
    expect(await told()).toContain(line);
    await harness().run('settings');
    expect((await harness().press('settings.moderators')).text).toContain(line);
    script.access = { 8: 'none' };
    expect(await told()).toContain(why);
    expect(await told()).not.toContain('<#8>');
    const member = { ...SPACE, id: 'bob', name: 'Bob', locale: 'en', role: 'member' } as const;
    expect((await harness().run('status', {}, { member })).text).not.toContain(why);
  });

  it('tells of an outage, and of what the daily limit left untranslated', async () => {
    const outage = { languages: ['es', 'ja'], reason: { key: 'reasons.unavailable' } } as const;
    harness().script.backlog = { ...NO_BACKLOG, waiting: 1, overLimit: 2, outage };
    const { text, controls } = await harness().run('status');
    const told = { languages: 'Spanish, Japanese', reason: sentence('reasons.unavailable') };
    expect(text).toContain(`❌ ${sentence('status.outage', told)}`);
    expect(text).toContain(`⚠️ ${sentence('status.over-limit', { count: 2 })}`);
    // What waits for its end can be tried again at once.
    expect(controls).toMatchObject([{ press: 'status retry' }]);
  });

  it('tells moderators for which linked channel messages wait', async () => {
    const late = [{ platform: 'Slack', language: 'es', waiting: 12 }];
    harness().script.backlog = { ...NO_BACKLOG, waiting: 12, late };
    const told = sentence('status.late', { count: 12, platform: 'Slack', language: 'Spanish' });
    expect((await harness().run('status')).text).toContain(`⏳ ${told}`);
    const others = await harness().run('status', {}, { member: { id: 'bob', role: 'member' } });
    expect(others.text).not.toContain(told);
  });

  it('tells why recordings wait, and lets moderators try again', async () => {
    const reason = { key: 'service.no-access' } as const;
    harness().script.backlog = { ...NO_BACKLOG, waiting: 1, recordingsWait: reason };
    const { text, controls } = await harness().run('status');
    const told = sentence('status.recordings-wait', { reason: sentence('service.no-access') });
    expect(text).toContain(`❌ ${told}`);
    expect(controls).toMatchObject([{ press: 'status retry' }]);
  });

  it('lists when messages were missed that could not be read, as far as one may see it', async () => {
    const hidden = { space: HERE.space, id: '200' };
    const [fromMs, untilMs] = [1_000_000, 2_000_000];
    const gaps = [HERE, hidden].map((channel) => ({
      channel,
      fromMs,
      untilMs,
      reason: 'forbidden' as const,
    }));
    harness().script.backlog = { ...NO_BACKLOG, gaps };
    harness().script.access = { '200': 'none' };
    await harness().run('autotranslate reply', { languages: 'es' });
    const { text } = await harness().run('status');
    expect(text).toContain(`⚠️ ${sentence('status.gaps')}`);
    expect(text).toContain(`<#${HERE.id}>: <t:1000:f> to <t:2000:f>`);
    expect(text).not.toContain('<#200>');
  });

  it('names what is missing where something could not be written, as far as one may see it', async () => {
    const hidden = { space: HERE.space, id: '200' };
    const permissions = ['Send Messages', 'Manage Webhooks'];
    const lacks = [HERE, hidden].map((channel) => ({ channel, permissions }));
    const dead = {
      ref: { channel: HERE, id: '1' },
      code: 'forbidden',
      reason: { key: 'reasons.forbidden' },
      lacks,
    } as const;
    harness().script.backlog = { ...NO_BACKLOG, dead: 1, newestDead: [dead] };
    harness().script.access = { '200': 'none' };
    const { text } = await harness().run('status');
    const what = permissions.join(', ');
    expect(text).toContain(`<#100> · <#100>: ${sentence('status.missing', { permissions: what })}`);
    expect(text).not.toContain('<#200>');
    expect(text).not.toContain(sentence('reasons.forbidden'));
  });

  it('says once which permission is missing, with the addresses of the messages that failed', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    const permissions = ['Send Messages'];
    harness().script.missing = { [HERE.id]: permissions };
    const failed = (id: string) => ({
      ref: { channel: HERE, id },
      code: 'forbidden' as const,
      reason: { key: 'reasons.forbidden' } as const,
      lacks: [{ channel: HERE, permissions }],
      link: `https://chat.example/${id}`,
    });
    harness().script.backlog = { ...NO_BACKLOG, dead: 2, newestDead: [failed('2'), failed('1')] };
    const { text } = await harness().run('status');
    expect(text.split('Send Messages')).toHaveLength(2);
    const to = (id: string) =>
      `<#100> ([${sentence('status.message')}](https://chat.example/${id}))`;
    expect(text).toContain(`- ${to('2')}, ${to('1')} · ${sentence('reasons.forbidden')}`);
  });

  it('says of a channel that Dragoman is not in it, and how it gets there', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    const params = { channel: '#here', command: '/invite @dragoman' };
    harness().script.refusals = { [HERE.id]: userError('forbidden', 'watch.not-there', params) };
    const { text } = await harness().run('status');
    expect(text).toContain(`- ❌ <#${HERE.id}> · ${sentence('watch.not-there', params)}`);
  });

  it('says why messages wait, and what moderators can mend in a channel', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    const full = { key: 'watch.webhooks-full', params: { channel: '#here', most: 15 } } as const;
    harness().script.drawbacks = { [HERE.id]: full };
    harness().script.backlog = {
      ...NO_BACKLOG,
      waiting: 1,
      waitsFor: { key: 'reasons.unavailable' },
    };
    const { text } = await harness().run('status');
    expect(text).toContain(`- ⚠️ ${sentence(full.key, full.params)}`);
    expect(text).toContain(sentence('reasons.unavailable'));
  });

  it('tells moderators what the service said of a message, which stands nowhere else', async () => {
    const reason = { key: 'service.refused', params: { detail: 'too many signs' } } as const;
    const dead = { ref: { channel: HERE, id: '1' }, code: 'bad-input', reason } as const;
    harness().script.backlog = { ...NO_BACKLOG, dead: 1, newestDead: [dead] };
    expect(sentence(reason.key, reason.params)).not.toContain('too many signs');
    const { text } = await harness().run('status');
    expect(text).toContain(
      `${sentence(reason.key)} · ${sentence('remedies.detail', reason.params)}`,
    );
  });

  it('lets moderators try again what could not be done', async () => {
    const dead = {
      ref: { channel: HERE, id: '1' },
      code: 'missing',
      reason: { key: 'service.no-translation', params: PAIR },
    } as const;
    harness().script.backlog = { ...NO_BACKLOG, dead: 3, newestDead: [dead] };
    const seen = await harness().run('status', {}, { member: { role: 'member' } });
    expect(seen.text).toContain(`❌ ${sentence('status.dead', { count: 3 })}`);
    expect(seen.text).not.toContain('<#100>');
    expect(seen.text.trimEnd().endsWith('-')).toBe(false);
    expect(seen.controls).toBeUndefined();
    const { text } = await harness().run('status');
    expect(text).toContain(
      `<#100> · ${sentence('service.no-translation', PAIR)}\n  - ${sentence('status.more', { count: 2 })}`,
    );
    const refused = await harness().press('status.retry', [], { member: { role: 'member' } });
    expect(refused.text).toContain(sentence('errors.needs-moderator', { platform: 'test' }));
    await harness().run('status');
    const content = await harness().press('status.retry');
    expect(content.text).toContain(sentence('status.revived', { count: 3 }));
    expect(content.controls).toBeUndefined();
  });
});

describe('/privacy', () => {
  const member = { id: 'bob', role: 'member' } as const;

  it('says what is kept, and lets people opt out and in', async () => {
    const { text, controls } = await harness().run('privacy', {}, { member });
    expect(text).toBe(
      [
        'privacy.heading',
        'privacy.is-in',
        'privacy.mentions-are-on',
        'privacy.short',
        'privacy.service',
      ]
        .map((key) => sentence(key as 'privacy.heading'))
        .join('\n'),
    );
    expect(controls).toHaveLength(5);
    const { text: all } = await harness().press('privacy.details', [], { member });
    for (const key of ['privacy.choices', 'privacy.usage', 'privacy.copies'] as const)
      expect(all).toContain(`- ${sentence(key)}`);
    await harness().press('privacy.back', [], { member });
    const out = await harness().press('privacy.opt-out', [], { member });
    expect(out.text).toContain(sentence('privacy.is-out'));
    expect(await harness().services.privacy.optedOut({ platform: 'test', id: 'bob' })).toBe(true);
    const refused = await harness().run('translate', {}, { on: messageOf('hello') });
    expect(refused.text).toContain(sentence('errors.author-opted-out'));
    await harness().run('privacy', {}, { member });
    expect((await harness().press('privacy.opt-in', [], { member })).text).toContain(
      sentence('privacy.is-in'),
    );
  });

  it('lets people choose whether answers to copies mention them, who did not opt out', async () => {
    await harness().run('privacy', {}, { member });
    const off = await harness().press('privacy.mentions-off', [], { member });
    expect(off.text).toContain(sentence('privacy.mentions-are-off'));
    const on = await harness().press('privacy.mentions-on', [], { member });
    expect(on.text).toContain(sentence('privacy.mentions-are-on'));
    const out = await harness().press('privacy.opt-out', [], { member });
    expect(out.text).not.toContain(sentence('privacy.mentions-are-on'));
    expect(out.controls).toHaveLength(4);
  });

  it('gives people what is kept', async () => {
    await harness().services.usage.record(SPACE, 'bob', { characters: 5 });
    await harness().run('privacy', {}, { member });
    const { files, controls } = await harness().press('privacy.export', [], { member });
    const kept = JSON.parse(Buffer.from(files?.[0]?.bytes ?? []).toString()) as object;
    expect(kept).toMatchObject({ member: 'bob', usage: [{ characters: 5 }] });
    expect(controls).toHaveLength(5);
  });

  it('forgets only after a second press', async () => {
    await harness().run('language', { language: 'ja' }, { member });
    await harness().run('privacy', {}, { member });
    expect((await harness().press('privacy.forget', [], { member })).text).toContain(
      sentence('privacy.sure'),
    );
    expect((await harness().press('privacy.back', [], { member })).text).toContain(
      sentence('privacy.heading'),
    );
    await harness().press('privacy.forget', [], { member });
    const settings = () => harness().services.settings.of({ platform: 'test', id: 'bob' });
    expect(await settings()).toMatchObject({ language: 'ja' });
    expect((await harness().press('privacy.forget-now', [], { member })).text).toContain(
      sentence('privacy.forgotten'),
    );
    expect(await settings()).toMatchObject({ language: undefined });
    await harness().press('privacy.back', [], { member });
  });
});

describe('/status while nothing can be stored', () => {
  const full = new AppError('unavailable', 'the disk is full', {
    sentence: { key: 'errors.storage' },
    remedy: { key: 'remedies.disk-full' },
  });

  it('says so to everybody, and to operators what to do', async () => {
    expect((await harness().run('status')).text).not.toContain(sentence('errors.storage'));
    harness().script.storageFault = full;
    const { text } = await harness().run('status');
    expect(text).toContain(sentence('errors.storage'));
    expect(text).toContain(sentence('remedies.disk-full'));
    for (const member of [{ id: 'max' }, { id: 'bob', role: 'member' }] as const) {
      const seen = await harness().run('status', {}, { member });
      expect(seen.text).toContain(sentence('errors.storage'));
      expect(seen.text).not.toContain(sentence('remedies.disk-full'));
    }
  });
});
