import { describe, expect, it, vi } from 'vitest';
import { HERE, SPACE, labelled } from '../fakes/command-harness.ts';
import { useCommandHarness } from './support.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';

const harness = useCommandHarness();

const choices = () => harness().services.spaces.of(SPACE);

describe('/settings', () => {
  it('shows what is on where', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    await harness().services.spaces.change(SPACE, {
      quietChannels: ['7'],
      dailyCharacters: 10_000,
      roles: { say: ['11', '12'], ask: [] },
    });
    const { text } = await harness().run('settings');
    expect(text.split('\n')).toEqual([
      sentence('settings.heading'),
      `- ${sentence('settings.watched', { count: 1 })}`,
      `  - <#100> · ${sentence('autotranslate.modes.reply')} · Spanish`,
      `  - ${sentence('settings.change-languages')}`,
      `- ${sentence('settings.flags-are-on')}`,
      `- ${sentence('settings.mentions-are-on')}`,
      `- ${sentence('settings.quiet-in', { channels: '<#7>' })}`,
      `- ${sentence('settings.limits-are', { characters: '10,000', minutes: sentence('settings.no-limit'), tokens: sentence('settings.no-limit') })}`,
      `- ${sentence('settings.roles-are', { count: 1 })}`,
      '  - `/say` · <@&11> <@&12>',
      `- ${sentence('settings.key-none')}`,
    ]);
  });

  it('loses nothing of what two moderators change at once, nor do the settings of rooms', async () => {
    await Promise.all([
      harness().pressNamed('settings roles:say', {}, ['11']),
      harness().pressNamed('settings roles:ask', {}, ['12']),
      harness().run('readaloud on', { channel: '7' }),
      harness().run('readaloud on', { channel: '8' }),
      harness().pressNamed('rooms barge', {}, ['stop']),
    ]);
    const { roles, rooms } = await choices();
    expect(roles).toMatchObject({ say: ['11'], ask: ['12'] });
    expect(rooms.readAloud.toSorted()).toEqual(['7', '8']);
    expect(rooms.bargeIn).toBe('stop');
  });

  it('keeps what others chose after a panel was shown, and what was taken away of it', async () => {
    const press = (name: string, values: string[], shown: string[]) =>
      harness().pressNamed(name, {}, values, shown);
    for (const name of ['settings quiet', 'settings linkable', 'settings roles:say', 'rooms joins'])
      await press(name, ['1', '2'], []);
    for (const name of ['settings quiet', 'settings linkable', 'settings roles:say', 'rooms joins'])
      await press(name, ['3'], []);
    for (const name of ['settings quiet', 'settings linkable', 'settings roles:say', 'rooms joins'])
      await press(name, ['1', '4'], ['1', '2']);
    const { quietChannels, links, roles, rooms } = await choices();
    for (const ids of [quietChannels, links?.channels, roles['say'], rooms.joins])
      expect(ids?.toSorted()).toEqual(['1', '3', '4']);
    await press('rooms languages', ['es'], []);
    await press('rooms languages', ['ja'], []);
    expect((await choices()).rooms.languages).toEqual(['es', 'ja']);
    await harness().run('autotranslate reply', { languages: 'es' });
    for (const type of ['links', 'files'])
      await press(`autotranslate ruletypes:${HERE.id}`, [type], []);
    expect(harness().services.watches.of(HERE)?.choices?.rules?.types?.of).toEqual([
      'links',
      'files',
    ]);
  });

  it('loses no switch of a channel that is set anew meanwhile', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    const { watches } = harness().services;
    const change = watches.change.bind(watches);
    // Somebody else chooses languages between the look at the channel and the change of it.
    vi.spyOn(watches, 'change').mockImplementationOnce(async (channel, how) => {
      await change(channel, (watch) => ({ ...watch, languages: ['fr'] }));
      return change(channel, how);
    });
    await harness().pressNamed('settings bots', {}, [HERE.id], []);
    expect(watches.of(HERE)).toMatchObject({ bots: true, languages: ['fr'] });
  });

  it('says which channel is paused, as the status does', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    await harness().services.watches.pause(HERE, true);
    const paused = sentence('autotranslate.is-paused');
    expect((await harness().run('settings')).text).toContain(`Spanish · ${paused}`);
    expect((await harness().run('status')).text).toContain(`⏸️ <#100> · ${paused}`);
  });

  it('switches copied reactions off and on', async () => {
    await harness().run('settings');
    await harness().press('settings.links');
    const off = await harness().press('settings.reactions-off');
    expect(off.text).toContain(sentence('settings.reactions-are-off'));
    expect((await choices()).reactions).toBe(false);
    const on = await harness().press('settings.reactions-on');
    expect(on.text).toContain(sentence('settings.reactions-are-on'));
  });

  it('switches the mentions of authors in answers off and on', async () => {
    await harness().run('settings');
    const off = await harness().press('settings.mentions-off');
    expect(off.text).toContain(sentence('settings.mentions-are-off'));
    expect((await choices()).answersMention).toBe(false);
    const on = await harness().press('settings.mentions-on');
    expect(on.text).toContain(sentence('settings.mentions-are-on'));
  });

  it('switches flags off and on', async () => {
    await harness().services.spaces.change(SPACE, {
      flags: { on: true, languages: { '🏴': 'en' } },
    });
    await harness().run('settings');
    const off = await harness().press('settings.flags-off');
    expect(off.text).toContain(sentence('settings.flags-are-off'));
    expect(await choices()).toMatchObject({ flags: { on: false, languages: { '🏴': 'en' } } });
    await harness().press('settings.flags-on');
    expect(await choices()).toMatchObject({ flags: { on: true } });
  });

  it('keeps channels quiet', async () => {
    await harness().run('settings');
    await harness().press('settings.quiet');
    const content = await harness().press('settings.quiet', ['1', '2']);
    expect(labelled(content, 'settings.quiet')).toMatchObject({ chosen: ['1', '2'] });
    expect((await choices()).quietChannels).toEqual(['1', '2']);
    expect((await harness().press('settings.back')).text).toContain(
      sentence('settings.quiet-in', { channels: '<#1> <#2>' }),
    );
  });

  it('chooses the one channel of the moderators, in the language of who chose it, and none', async () => {
    await harness().run('settings');
    await harness().press('settings.moderators');
    await harness().press('settings.moderators', ['1']);
    expect((await choices()).moderators).toEqual({ channel: '1', locale: 'en' });
    const content = await harness().press('settings.moderators', ['1', '2']);
    expect(labelled(content, 'settings.moderators')).toMatchObject({ chosen: ['2'] });
    await harness().press('settings.moderators', []);
    expect((await choices()).moderators).toBeUndefined();
  });

  it('sets limits and takes them away', async () => {
    await harness().run('settings');
    await harness().press('settings.limits');
    await harness().press('settings.characters', ['50000']);
    const content = await harness().press('settings.minutes', ['60']);
    expect(await choices()).toMatchObject({ dailyCharacters: 50_000, dailyAudioMinutes: 60 });
    const control = labelled(content, 'settings.characters');
    expect(control?.kind === 'choice' && control.choices.filter(({ chosen }) => chosen)).toEqual([
      { value: '50000', label: '50,000', chosen: true },
    ]);
    await harness().press('settings.characters', ['none']);
    expect((await choices()).dailyCharacters).toBeUndefined();
  });

  it('offers limits of chat tokens, too', async () => {
    await harness().run('settings');
    await harness().press('settings.limits');
    await harness().press('settings.tokens', ['50000']);
    expect(await choices()).toMatchObject({ dailyChatTokens: 50_000 });
    expect((await harness().press('settings.back')).text).toContain(
      sentence('settings.limits-are', {
        characters: sentence('settings.no-limit'),
        minutes: sentence('settings.no-limit'),
        tokens: '50,000',
      }),
    );
  });

  it('shows the operator’s limits, and offers only lower ones', async () => {
    Object.assign(harness().script.operator, {
      space: { characters: 60_000 },
      person: { audioMinutes: 5, chatTokens: 1_000 },
    });
    await harness().services.spaces.change(SPACE, { dailyCharacters: 100_000 });
    const front = await harness().run('settings');
    expect(front.text).toContain('60,000');
    const page = await harness().press('settings.limits');
    const amount = sentence('usage.characters', { count: 60_000 });
    expect(page.text).toContain(sentence('settings.limits-operator', { amounts: amount }));
    expect(page.text).toContain(sentence('usage.about-tokens'));
    const amounts = `${sentence('usage.minutes', { count: 5 })}, ${sentence('usage.tokens', { count: 1_000 })}`;
    expect(page.text).toContain(sentence('settings.limits-person', { amounts }));
    const control = labelled(page, 'settings.characters');
    expect(control?.kind === 'choice' && control.choices).toEqual([
      { value: 'none', label: sentence('settings.by-operator', { limit: '60,000' }), chosen: true },
      { value: '10000', label: '10,000', chosen: false },
      { value: '50000', label: '50,000', chosen: false },
    ]);
  });

  it('gives a command to roles, and back to everybody', async () => {
    await harness().run('settings');
    const first = await harness().press('settings.roles');
    expect(labelled(first, 'settings.roles')).toBeUndefined();
    const command = labelled(first, 'settings.command');
    const offered = command?.kind === 'choice' ? command.choices.map(({ value }) => value) : [];
    expect(offered).toContain('translate');
    expect(offered).toContain('glossary');
    for (const name of ['help', 'privacy', 'settings', 'autotranslate'])
      expect(offered).not.toContain(name);
    await harness().press('settings.command', ['say']);
    const content = await harness().press('settings.roles', ['r1']);
    expect(content.text).toContain('`/say`');
    expect(labelled(content, 'settings.roles')).toMatchObject({ chosen: ['r1'] });
    expect((await choices()).roles).toEqual({ say: ['r1'] });
    const refused = await harness().run('say', { text: 'a' }, { member: { role: 'member' } });
    expect(refused.text).toMatch(sentenceLike('errors.needs-role'));
    await harness().run('settings');
    await harness().press('settings.roles');
    await harness().press('settings.command', ['say']);
    await harness().press('settings.roles', []);
    expect((await choices()).roles).toEqual({ say: [] });
  });

  it('switches voice messages and bots by channel', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    await harness().run('settings');
    const content = await harness().press('settings.channels');
    expect(labelled(content, 'settings.voice-messages')).toMatchObject({
      chosen: ['1', '2'],
    });
    await harness().press('settings.voice-messages', ['2', '99']);
    await harness().press('settings.bots', ['1']);
    const watches = harness().services.watches.list(SPACE);
    expect(
      watches.map(({ channel, transcribes, bots }) => [channel.id, transcribes, bots]),
    ).toEqual([
      ['1', false, true],
      ['2', true, false],
    ]);
    expect(new Set(watches.map(({ group }) => group)).size).toBe(1);
  });

  it('have a policy for links with others, and say when names carry that of a server', async () => {
    const { services } = harness();
    await harness().run('settings');
    await harness().press('settings.links');
    await harness().press('settings.servers', ['change']);
    await harness().press('settings.outside', ['nobody']);
    await harness().press('settings.private-off');
    await harness().press('settings.linkable', ['100']);
    const { text } = await harness().press('settings.approved', ['T0ABC, 123 T0ABC']);
    expect(text).toContain('`T0ABC`, `123`');
    expect(await services.spaces.of(SPACE)).toMatchObject({
      serverNames: 'change',
      links: {
        outside: 'approved',
        approved: ['T0ABC', '123'],
        privateChannels: false,
        channels: ['100'],
      },
    });
    expect((await harness().press('settings.approved', ['T0TOWER, 123'])).text).toContain(
      sentence('settings.approved-are', { ids: 'tower.example (Slack) `T0TOWER`, `123`' }),
    );
    expect((await harness().press('settings.approved', ['<b>'])).text).toContain(
      sentence('settings.approved-wrong', { most: 50 }),
    );
  });

  it('says so where no channel, or too many, are translated', async () => {
    await harness().run('settings');
    expect((await harness().press('settings.channels')).text).toContain(
      sentence('settings.none-watched'),
    );
    await harness().services.watches.set(
      Array.from({ length: 26 }, (_, id) => ({
        channel: { ...HERE, id: String(id) },
        mode: 'reply' as const,
        languages: ['es'],
        transcribes: true,
        bots: false,
      })),
    );
    await harness().run('settings');
    const content = await harness().press('settings.channels');
    expect(content.text).toContain(sentence('settings.too-many-watched'));
    expect(content.controls).toHaveLength(1);
  });

  it('keeps the page when a press cannot be done', async () => {
    await harness().run('settings');
    await harness().press('settings.limits');
    harness().script.access = { '200': 'none' };
    await harness().press('settings.back');
    await harness().press('settings.quiet');
    const content = await harness().press('settings.quiet', ['200']);
    const unseen = sentence('errors.channel-unseen', { channel: '<#200>' });
    expect(content.text).toContain(sentence('settings.quiet-heading'));
    expect(content.text).toContain(`> ⚠️ ${unseen}`);
    expect(labelled(content, 'settings.quiet')).toBeDefined();
  });

  it('is not drawn for who presses without the right', async () => {
    await harness().run('settings');
    await harness().press('settings.limits');
    const member = { role: 'member' } as const;
    const content = await harness().press('settings.characters', ['10000'], { member });
    expect(content).toMatchObject({ text: sentence('errors.needs-moderator'), tone: 'error' });
    expect(content.controls ?? []).toEqual([]);
    expect((await choices()).dailyCharacters).toBeUndefined();
  });

  it('fits what platforms take: two rows of controls, short ids, few choices', async () => {
    await harness().services.watches.set(
      Array.from({ length: 25 }, (_, id) => ({
        channel: { ...HERE, id: `12345678901234567${id}` },
        mode: 'reply' as const,
        languages: ['es'],
        transcribes: true,
        bots: true,
      })),
    );
    await harness().run('settings');
    for (const page of ['settings.channels', 'settings.quiet', 'settings.limits'] as const) {
      await harness().press(page);
      await harness().press('settings.back');
    }
    await harness().press('settings.roles');
    await harness().press('settings.command', ['transcribe']);
    for (const { controls = [], text } of harness().shown) {
      expect(text.length).toBeLessThan(2_000);
      expect(controls.length).toBeLessThanOrEqual(10);
      expect(new Set(controls.map(({ press }) => press)).size).toBe(controls.length);
      for (const control of controls) {
        expect(control.press.length).toBeLessThanOrEqual(100);
        expect(control.label.length).toBeLessThanOrEqual(80);
        if (control.kind !== 'choice') continue;
        expect(control.choices.length).toBeLessThanOrEqual(25);
        for (const { value, label } of control.choices) {
          expect(value).not.toBe('');
          expect(label).not.toBe('');
        }
      }
    }
  });
});

describe('/flags', () => {
  it('have what they bring removed after some minutes, until that is turned off', async () => {
    const set = await harness().run('flags expire', { minutes: 10 });
    expect(set.text).toBe(sentence('flags.expire', { count: 10 }));
    expect((await harness().run('flags list')).text).toContain(set.text);
    const { flags } = await harness().services.spaces.of(SPACE);
    expect(flags.keptMinutes).toBe(10);
    const off = await harness().run('flags expire', { minutes: 0 });
    expect(off.text).toBe(sentence('flags.stay'));
    expect((await harness().services.spaces.of(SPACE)).flags.keptMinutes).toBeUndefined();
    const member = { role: 'member' } as const;
    const refused = await harness().run('flags expire', { minutes: 1 }, { member });
    expect(refused.text).toBe(sentence('errors.needs-moderator'));
  });

  it('gives an emoji a language, lists and takes it', async () => {
    const set = await harness().run('flags set', { emoji: '🏴‍☠️', language: 'Spanish' });
    expect(set.text).toContain(sentence('flags.set', { emoji: '🏴‍☠️', language: 'Spanish' }));
    await harness().run('flags set', { emoji: '<:wave:123456>', language: 'ja' });
    await harness().run('flags set', { emoji: '❤', language: 'fr' });
    expect((await choices()).flags.languages).toEqual({
      '🏴‍☠️': 'es',
      '123456': 'ja',
      '❤️': 'fr',
    });
    const { text } = await harness().run('flags list', {}, { member: { role: 'member' } });
    expect(text).toContain('<:emoji:123456> → Japanese');
    expect(await harness().complete('flags remove', 'emoji', 'spa')).toEqual(['🏴‍☠️|🏴‍☠️ Spanish']);
    expect(await harness().complete('flags remove', 'emoji', 'jap')).toEqual([
      '123456|123456 Japanese',
    ]);
    await harness().run('flags remove', { emoji: '123456' });
    await harness().run('flags set', { emoji: '<:wave:123456>', language: 'ja' });
    await harness().run('flags remove', { emoji: '<a:other:123456>' });
    await harness().run('flags remove', { emoji: '❤️' });
    expect((await choices()).flags.languages).toEqual({ '🏴‍☠️': 'es' });
    expect(await harness().run('flags remove', { emoji: '❤️' })).toMatchObject({ tone: 'error' });
  });

  it.each(['hello', '🇯🇵🇯🇵', ':wave:', '5', '<@123>'])(
    'takes nothing but one emoji: not %j',
    async (emoji) => {
      const content = await harness().run('flags set', { emoji, language: 'es' });
      expect(content.text).toMatch(sentenceLike('flags.no-emoji'));
    },
  );

  it('says that flags are off, and is full at a hundred', async () => {
    const languages = Object.fromEntries(Array.from({ length: 100 }, (_, id) => [`9${id}`, 'es']));
    await harness().services.spaces.change(SPACE, { flags: { on: false, languages } });
    expect((await harness().run('flags list')).text).toContain(sentence('flags.are-off'));
    const full = await harness().run('flags set', { emoji: '🇯🇵', language: 'ja' });
    expect(full).toMatchObject({ tone: 'error' });
    const changed = await harness().run('flags set', { emoji: '<:a:90>', language: 'ja' });
    expect(changed.text).toContain(sentence('flags.are-off'));
  });

  it('is set by moderators only', async () => {
    const member = { role: 'member' } as const;
    const content = await harness().run('flags set', { emoji: '🇯🇵', language: 'ja' }, { member });
    expect(content.tone).toBe('error');
  });
});
