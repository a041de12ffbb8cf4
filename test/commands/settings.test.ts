import { describe, expect, it, vi } from 'vitest';
import { HERE, SPACE, labelled } from '../fakes/command-harness.ts';
import { choicesOf, useCommandHarness } from './support.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';

const harness = useCommandHarness();

describe('/settings', () => {
  it('shows what is on where', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    await harness().services.spaces.change(SPACE, {
      quietChannels: ['7'],
      dailyCharacters: 10_000,
      roles: { say: ['11', '12'], ask: [] },
      moderators: { channel: '8', locale: 'en' },
    });
    const { text } = await harness().run('settings');
    expect(text.split('\n')).toEqual([
      sentence('settings.heading'),
      `- ${sentence('settings.watched', { count: 1, threads: 0 })}`,
      `  - <#100> · ${sentence('autotranslate.modes.reply')} · Spanish · ${sentence('autotranslate.with-voice-messages')}`,
      `  - ${sentence('settings.change-languages')}`,
      `- ${sentence('settings.flags-are-on')}`,
      `- ${sentence('settings.mentions-are-on')}`,
      `- ${sentence('rules.panel-reading')} · ${sentence('rules.panel-reading-own')}`,
      `- ${sentence('settings.quiet-in', { channels: '<#7>' })}`,
      `- ${sentence('settings.outside')} · ${sentence('settings.outside-everybody')}`,
      `- ${sentence('settings.moderators-are', { channels: '<#8>' })}`,
      `- ${sentence('settings.limits-are', { characters: '10,000', minutes: sentence('settings.no-limit'), tokens: sentence('settings.no-limit') })}`,
      `- ${sentence('settings.roles-are', { count: 1 })}`,
      '  - `/say` · <@&11> <@&12>',
      `- ${sentence('settings.key-none')}`,
    ]);
  });

  it('says how auto-translate is turned on, except where the menu for that stands above', async () => {
    const how = sentence('settings.change-languages');
    const off = sentence('settings.watched', { count: 0, threads: 0 });
    expect((await harness().run('settings')).text).toContain(`${off}\n  - ${how}`);
    harness().services.watches.isTalk = () => true;
    expect((await harness().run('settings')).text).not.toContain('autotranslate');
  });

  it('loses nothing of what two moderators change at once, nor do the settings of rooms', async () => {
    await Promise.all([
      harness().pressNamed('settings roles:say', {}, ['11']),
      harness().pressNamed('settings roles:ask', {}, ['12']),
      harness().run('readaloud on', { channel: '7' }),
      harness().run('readaloud on', { channel: '8' }),
      harness().pressNamed('rooms barge', {}, ['stop']),
    ]);
    const { roles, rooms } = await choicesOf(harness());
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
    const { quietChannels, links, roles, rooms } = await choicesOf(harness());
    for (const ids of [quietChannels, links?.channels, roles['say'], rooms.joins])
      expect(ids?.toSorted()).toEqual(['1', '3', '4']);
    await press('rooms languages', ['es'], []);
    await press('rooms languages', ['ja'], []);
    expect((await choicesOf(harness())).rooms.languages).toEqual(['es', 'ja']);
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
    expect((await harness().run('settings')).text).toMatch(
      new RegExp(`Spanish · .* · ${paused}\n`),
    );
    expect((await harness().run('status')).text).toContain(`⏸️ <#100> · ${paused}`);
  });

  it('switches the mentions of authors in answers off and on', async () => {
    await harness().run('settings');
    const off = await harness().press('settings.mentions-off');
    expect(off.text).toContain(sentence('settings.mentions-are-off'));
    expect((await choicesOf(harness())).answersMention).toBe(false);
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
    expect(await choicesOf(harness())).toMatchObject({
      flags: { on: false, languages: { '🏴': 'en' } },
    });
    await harness().press('settings.flags-on');
    expect(await choicesOf(harness())).toMatchObject({ flags: { on: true } });
  });

  it('keeps channels quiet', async () => {
    await harness().run('settings');
    await harness().press('settings.quiet');
    const content = await harness().press('settings.quiet', ['1', '2']);
    expect(labelled(content, 'settings.quiet')).toMatchObject({ chosen: ['1', '2'] });
    expect((await choicesOf(harness())).quietChannels).toEqual(['1', '2']);
    expect((await harness().press('settings.back')).text).toContain(
      sentence('settings.quiet-in', { channels: '<#1> <#2>' }),
    );
  });

  it('chooses the one channel of the moderators, in the language of who chose it, and none', async () => {
    await harness().run('settings');
    const page = await harness().press('settings.moderators');
    expect(labelled(page, 'settings.moderators')).toMatchObject({ most: 1 });
    await harness().press('settings.moderators', ['1']);
    expect((await choicesOf(harness())).moderators).toEqual({ channel: '1', locale: 'en' });
    const content = await harness().press('settings.moderators', ['2']);
    expect(labelled(content, 'settings.moderators')).toMatchObject({ chosen: ['2'] });
    await harness().press('settings.moderators', []);
    expect((await choicesOf(harness())).moderators).toBeUndefined();
  });

  it('keeps the channel of the moderators where nothing could be said in the one that is chosen', async () => {
    harness().script.missing = { 2: ['Send Messages'] };
    await harness().run('settings');
    await harness().press('settings.moderators');
    await harness().press('settings.moderators', ['1']);
    const { text } = await harness().press('settings.moderators', ['2']);
    expect(text).toContain(sentence('watch.missing', { permissions: 'Send Messages' }));
    expect((await choicesOf(harness())).moderators).toMatchObject({ channel: '1' });
  });

  it('asks once before everybody reads what moderators are told, and shows it where that came later', async () => {
    const open = sentence('settings.moderators-open');
    harness().script.openChannels = ['1'];
    await harness().run('settings');
    await harness().press('settings.moderators');
    const asked = await harness().press('settings.moderators', ['1']);
    expect(asked.text).toContain(open);
    expect((await choicesOf(harness())).moderators).toBeUndefined();
    await harness().press('settings.moderators-other');
    await harness().press('settings.moderators', ['2']);
    expect((await choicesOf(harness())).moderators).toMatchObject({ channel: '2' });
    await harness().press('settings.moderators', ['1']);
    const used = await harness().press('settings.moderators-anyway');
    expect(used.text).toContain(`⚠️ ${sentence('settings.moderators-are', { channels: '<#1>' })}`);
    expect((await choicesOf(harness())).moderators).toMatchObject({ channel: '1' });
    harness().script.openChannels = [];
    expect((await harness().press('settings.back')).text).not.toContain(open);
    harness().script.openChannels = ['1'];
    for (const command of ['settings', 'status'])
      expect((await harness().run(command)).text).toContain(open);
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
    expect((await choicesOf(harness())).roles).toEqual({ say: ['r1'] });
    const refused = await harness().run('say', { text: 'a' }, { member: { role: 'member' } });
    expect(refused.text).toMatch(sentenceLike('errors.needs-role'));
    await harness().run('settings');
    await harness().press('settings.roles');
    await harness().press('settings.command', ['say']);
    await harness().press('settings.roles', []);
    expect((await choicesOf(harness())).roles).toEqual({ say: [] });
  });

  it('keeps no command for roles that everybody needs, whatever is pressed', async () => {
    for (const name of ['privacy', 'help', 'constructor'])
      await harness().pressNamed(`settings roles:${name}`, {}, ['r1']);
    expect((await choicesOf(harness())).roles).toEqual({});
    await harness().services.spaces.change(SPACE, () => ({ roles: { privacy: ['r1'] } }));
    const { text } = await harness().run('privacy', {}, { member: { role: 'member' } });
    expect(text).not.toMatch(sentenceLike('errors.needs-role'));
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
    expect(content).toMatchObject({
      text: sentence('errors.needs-moderator', { platform: 'test' }),
      tone: 'error',
    });
    expect(content.controls ?? []).toEqual([]);
    expect((await choicesOf(harness())).dailyCharacters).toBeUndefined();
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
