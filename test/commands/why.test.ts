import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../src/autotranslate/explain.ts';
import { UNKNOWN_REASONS } from '../../src/autotranslate/explain.ts';
import { CUT_OFFS } from '../../src/model/space.ts';
import { FLAG_REFUSALS } from '../../src/autotranslate/flags/refusals.ts';
import { SKIP_REASONS } from '../../src/autotranslate/policy.ts';
import { ERROR_CODES, userError } from '../../src/errors.ts';
import { HEARING_STATES, READING_STATES } from '../../src/voice/room-answers.ts';
import { realTexts } from '../fakes/texts.ts';
import { SPACE } from '../fakes/command-harness.ts';
import { sentence } from '../fakes/sentences.ts';
import { EVE } from './support.ts';
import { by, ELSEWHERE, ON, useWhy } from './why/support.ts';

const { harness, explain, ask } = useWhy();

const HOW = sentence('why.how', { entry: sentence('commands.why.menu') });

const ENTRY = { entry: sentence('commands.translate.menu') };
const NOT_YOURS = sentence('why.not-yours', ENTRY);

describe('/why', () => {
  it('tells the author and moderators alone', async () => {
    explain({ state: 'skipped', reason: { key: 'why.skipped.bot' } });
    expect((await ask()).text).toContain(sentence('why.skipped.bot'));
    expect((await ask({ role: 'moderator' })).text).toContain(sentence('why.skipped.bot'));
    expect((await ask({ ...EVE, id: 'mallory' })).text).toBe(NOT_YOURS);
  });

  it('tells who set a flag of that one alone, and nothing of anybody', async () => {
    harness().script.flags = { mallory: ['en', 'fr'] };
    const same = { key: 'why.skipped.same-language' } as const;
    const parts: readonly Explanation[] = [
      { state: 'skipped', reason: { key: 'why.skipped.bot' } },
      { flag: 'en', state: 'skipped', reason: same },
      { flag: 'fr', state: 'skipped', reason: { key: 'why.skipped.opted-out' } },
      { flag: 'de', state: 'dead', reason: { key: 'why.skipped.rule-people' } },
    ];
    harness().script.explained = [{ ref: ON.ref, author: by('eve'), parts }];
    const { text } = await ask({ ...EVE, id: 'mallory' });
    expect(text).toContain(sentence(same.key));
    expect(text).toContain(sentence('flags.not-translated'));
    for (const key of ['bot', 'opted-out', 'rule-people'] as const)
      expect(text).not.toContain(sentence(`why.skipped.${key}`));
    expect(text).not.toContain('German');
    expect((await ask({ ...EVE, id: 'bob' })).text).toBe(NOT_YOURS);
  });

  it('names only channels that the asker may see, and counts those elsewhere', async () => {
    const seen = { space: SPACE, id: '101' };
    const hidden = { space: SPACE, id: '102' };
    harness().script.access = { [hidden.id]: 'none' };
    explain({ state: 'posted', sinceMs: 0, shownIn: [seen, hidden, ELSEWHERE] });
    const { text } = await ask();
    expect(text).toContain('101');
    expect(text).not.toContain('102');
    expect(text).not.toContain('900');
    expect(text).toContain(sentence('why.elsewhere', { count: 2 }));
  });

  it('tells of a copy in linked channels that it is one, and where there is none', async () => {
    const [there, missing] = [
      { space: SPACE, id: '101' },
      { space: SPACE, id: '102' },
    ];
    const reason = { key: 'why.cut-off.muted-there' } as const;
    const places = { shownIn: [there], missing: [{ channels: [missing], reason }] };
    explain({ state: 'posted', isCopied: true, sinceMs: 0, ...places });
    const { text } = await ask();
    expect(text).toContain(sentence('why.copies', { channels: '<#101>' }));
    const absent = sentence('why.missing', { channels: '<#102>' });
    expect(text).toContain(`${absent} ${sentence(reason.key)}`);
    const entry = sentence('commands.translate.menu');
    expect(text).toContain(sentence('why.instead', { entry }));
  });

  it('says nothing of what kept it out of a channel that the asker may not see', async () => {
    harness().script.access = { '102': 'none' };
    const reason = { key: 'why.cut-off.muted-there' } as const;
    const missing = [{ channels: [{ space: SPACE, id: '102' }, ELSEWHERE], reason }];
    explain({ state: 'posted', isCopied: true, sinceMs: 0, missing });
    const { text } = await ask();
    expect(text).not.toContain('102');
    expect(text).not.toContain(sentence(reason.key));
  });

  it('says of a copy that somebody deleted elsewhere that it is gone', async () => {
    explain({ state: 'posted', isCopied: true, sinceMs: 0, shownIn: [], removedIn: [ELSEWHERE] });
    const { text } = await ask();
    expect(text).toContain(sentence('why.removed-elsewhere', { count: 1 }));
    expect(text).not.toContain('✅');
  });

  it('says in which language it was already', async () => {
    explain({ state: 'posted', sinceMs: 0, alreadyIn: 'es' });
    expect((await ask()).text).toContain(sentence('why.already-in', { language: 'Spanish' }));
  });

  it('does not say of a copy whose source is unknown that it was not translated', async () => {
    explain({ state: 'unknown', reason: { key: 'why.unknown.own' } }, by(''));
    const { text } = await ask({ role: 'moderator' });
    expect(text).not.toContain(sentence('why.none'));
    expect(text).toContain(sentence('why.own'));
  });

  it.each([
    ['blocked', 'why.you-blocked'],
    ['forgotten', 'why.you-forgotten'],
    ['rule-people', 'why.you-left-out'],
    ['rule-roles', 'why.your-roles'],
  ] as const)('tells the author of themselves: %s', async (skipped, key) => {
    const reason = { key: `why.skipped.${skipped}` } as const;
    explain({ state: 'skipped', reason });
    expect((await ask()).text).toContain(sentence(key));
    explain({ state: 'posted', missing: [{ channels: [ON.ref.channel], reason }] });
    expect((await ask()).text).toContain(sentence(key));
    expect((await ask({ ...EVE, id: 'ada', role: 'moderator' })).text).toContain(
      sentence(reason.key),
    );
  });

  it('tells nobody but its author and moderators that the author opted out', async () => {
    await harness().services.privacy.setOptedOut({ platform: 'test', id: 'eve' }, true);
    explain({ state: 'skipped', reason: { key: 'why.skipped.opted-out' } });
    expect((await ask({ ...EVE, id: 'mallory' })).text).toBe(NOT_YOURS);
    expect((await ask()).text).toContain(sentence('why.you-opted-out'));
    const { text, tone } = await ask({ role: 'moderator' });
    expect(text).toContain(sentence('why.skipped.opted-out'));
    expect(tone).not.toBe('error');
    explain({ state: 'dead', sinceMs: 0, reason: { key: 'reasons.timeout' } });
    const later = await ask({ role: 'moderator' });
    expect(later.text).toContain(sentence('why.skipped.opted-out'));
    expect(later.text).not.toContain(sentence('reasons.timeout'));
  });

  it('says of a message without words that its copies are as it was written', async () => {
    const reason = { key: 'why.skipped.no-words' } as const;
    const shownIn = [{ space: SPACE, id: '101' }];
    explain({ state: 'posted', isCopied: true, sinceMs: 0, shownIn, reason });
    const { text } = await ask();
    expect(text).toContain(sentence('why.copies-as-written', { channels: '<#101>' }));
    expect(text).not.toContain(sentence('why.copies', { channels: '<#101>' }));
  });

  it('says of a message whose edit waits for the end of a pause that what is shown is of before', async () => {
    const reason = { key: 'why.after-pause' } as const;
    const shownIn = [{ space: SPACE, id: '101' }];
    explain({ state: 'waiting', isCopied: true, sinceMs: 0, shownIn, reason });
    const { text } = await ask();
    for (const key of ['why.earlier', reason.key] as const) expect(text).toContain(sentence(key));
    expect(text).toContain(sentence('why.copies', { channels: '<#101>' }));
    const entry = sentence('commands.translate.menu');
    expect(text).not.toContain(sentence('why.instead', { entry }));
  });

  it('says of a message whose edit was left out that what is shown is of before', async () => {
    const reason = { key: 'why.skipped.paused' } as const;
    const shownIn = [{ space: SPACE, id: '101' }];
    explain({ state: 'skipped', isCopied: true, sinceMs: 0, shownIn, reason });
    const { text } = await ask();
    for (const key of ['why.earlier', 'why.skipped.paused'] as const)
      expect(text).toContain(sentence(key));
    expect(text).toContain(sentence('why.copies', { channels: '<#101>' }));
    expect(text).not.toContain(sentence('why.none'));
  });

  it('tells somebody of another platform what became of their own words here', async () => {
    const author = { platform: 'other', id: 'ada' };
    const reason = { key: 'why.skipped.bot' } as const;
    harness().script.explained = [{ ref: ON.ref, author, parts: [{ state: 'skipped', reason }] }];
    expect((await ask({ ...EVE, ...author })).text).toContain(sentence('why.skipped.bot'));
    expect((await ask({ ...EVE, id: 'ada' })).text).toContain(NOT_YOURS);
  });

  it('says of a copy that nothing is known of any more that it is one', async () => {
    explain({ state: 'unknown', reason: { key: 'why.unknown.copy' } });
    const { text } = await ask();
    expect(text).toContain(sentence('why.own'));
    expect(text).toContain(sentence('why.unknown.copy'));
  });

  it('names the channel where a copy was written, where the asker sees it', async () => {
    const parts = [{ state: 'posted', isCopied: true, sinceMs: 0 } as const];
    const [seen, hidden] = ['101', '102'].map((id) => ({ space: SPACE, id }));
    harness().script.access = { '102': 'none' };
    harness().script.explained = [seen!, hidden!, ELSEWHERE].map((channel) => ({
      ref: { channel, id: '1' },
      author: by('eve'),
      parts,
    }));
    const { text } = await ask();
    expect(text).toContain(sentence('why.written-in', { channel: '<#101>' }));
    expect(text).not.toContain('102');
    expect(text).not.toContain('900');
  });

  it('tells moderators with which models a copy was translated, and where rules are changed', async () => {
    harness().script.copied = ['small'];
    explain({ state: 'skipped', reason: { key: 'why.skipped.rule-words' } });
    const told = [sentence('why.models', { models: 'small' }), sentence('why.rules-change')];
    const { text } = await ask({ role: 'moderator' });
    for (const each of told) expect(text).toContain(each);
    const { text: author } = await ask();
    for (const each of told) expect(author).not.toContain(each);
  });

  it('says of a copy whose link has ended that its channel is no longer linked', async () => {
    const ref = { channel: ELSEWHERE, id: '1' };
    const parts = [{ state: 'posted', sinceMs: 0 }] as const;
    harness().script.explained = [{ ref, author: by('mallory'), parts }];
    const { text } = await ask({ role: 'moderator' });
    expect(text).toContain(sentence('why.written-unlinked', { name: sentence('people.unknown') }));
  });

  it('counts the people who reacted elsewhere, by emoji', async () => {
    const elsewhere = [
      { emoji: '👍', people: 100 },
      { emoji: '❤️', people: 3 },
    ];
    const parts = [{ state: 'posted', isCopied: true, sinceMs: 0 } as const];
    harness().script.explained = [{ ref: ON.ref, author: by('eve'), parts, elsewhere }];
    const reactions = '👍 100+ · ❤️ 3';
    expect((await ask()).text).toContain(sentence('why.reactions', { reactions }));
  });

  it('tells moderators how what failed is tried again', async () => {
    explain({ state: 'dead', sinceMs: 0, reason: { key: 'reasons.timeout' } });
    expect((await ask()).text).not.toContain(sentence('why.try-again'));
    expect((await ask({ role: 'moderator' })).text).toContain(sentence('why.try-again'));
    explain({ state: 'dead', sinceMs: 0, isOfElsewhere: true });
    expect((await ask({ role: 'moderator' })).text).not.toContain(sentence('why.try-again'));
  });

  it('says how it is used where it is typed', async () => {
    expect((await harness().run('why', {}, {})).text).toBe(HOW);
  });

  describe('with the link of a message', () => {
    const link = async (member: object = EVE, message = 'https://chat.example/message') =>
      (await harness().run('why', { message }, { member })).text;

    it('tells what its menu tells, to the same people', async () => {
      harness().script.messages = [ON];
      explain({ state: 'skipped', reason: { key: 'why.skipped.bot' } });
      expect(await link()).toBe((await ask()).text);
      expect(await link({ role: 'moderator' })).toContain(sentence('why.skipped.bot'));
      expect(await link({ ...EVE, id: 'mallory' })).toBe(NOT_YOURS);
      await harness().services.privacy.setOptedOut({ platform: 'test', id: 'eve' }, true);
      expect(await link({ ...EVE, id: 'mallory' })).toBe(NOT_YOURS);
      expect(await link({ role: 'moderator' })).toContain(sentence('why.skipped.opted-out'));
      expect(await link()).toContain(sentence('why.skipped.bot'));
    });

    it('says the same of a channel that the asker may not see, of an unknown one and of no link', async () => {
      const none = sentence('why.not-found');
      harness().script.messages = [ON];
      explain({ state: 'skipped', reason: { key: 'why.skipped.bot' } });
      expect(await link(EVE, 'https://chat.example/other')).toBe(none);
      expect(await link(EVE, 'my message')).toBe(none);
      for (const access of ['none', undefined] as const) {
        harness().script.access = { '100': access };
        expect(await link()).toBe(none);
      }
    });

    it('tells of a deleted message what is stored, and nothing of one that never was', async () => {
      const { ref, position } = ON;
      harness().script.messages = [{ ref, position } as typeof ON];
      explain({ state: 'unknown', reason: { key: 'why.unknown.unreported' } });
      expect(await link({ role: 'moderator' })).toBe(sentence('why.not-found'));
      explain({ state: 'skipped', reason: { key: 'why.skipped.deleted' } });
      expect(await link()).toContain(sentence('why.skipped.deleted'));
    });
  });

  it('tells whether the message was read aloud, where it had to be', async () => {
    explain({ state: 'skipped', reason: { key: 'why.skipped.bot' } });
    expect((await ask()).text).not.toContain(sentence('why.read.command'));
    harness().rooms.script.reading = 'command';
    expect((await ask()).text).toContain(sentence('why.read.command'));
  });

  it('says once what holds for auto-translate and for several flags', async () => {
    const skipped = { state: 'skipped', reason: { key: 'why.skipped.quiet-channel' } } as const;
    const unknown = { state: 'unknown', reason: { key: 'why.unknown.quiet-channel' } } as const;
    const flags = ['ja', 'fr'].map((flag): Explanation => ({ flag, ...skipped }));
    const said = async (parts: readonly Explanation[]) => {
      harness().script.explained = [{ ref: ON.ref, author: by('eve'), parts }];
      return (await ask()).text;
    };
    const [none, reason] = [sentence('why.none'), sentence('why.skipped.quiet-channel')];
    const copied: Explanation = { state: 'posted', isCopied: true, sinceMs: 0 };
    expect(await said([unknown, ...flags])).toBe(`- ➖ ${none}\n  - ${reason}`);
    expect(await said([copied, ...flags])).toContain(
      `\n- ➖ Japanese, French · ${none}\n  - ${reason}`,
    );
  });

  it('names a flag that stands for no language', async () => {
    explain({ emoji: '🇦🇶', state: 'skipped', reason: { key: 'why.flag.no-language' } });
    const { text } = await ask();
    expect(text).toContain(sentence('why.flag.none', { emoji: '🇦🇶' }));
    expect(text).toContain(sentence('why.flag.no-language'));
  });

  it.each(realTexts.locales)('has a sentence for each reason in %s', (locale) => {
    for (const reason of SKIP_REASONS)
      expect(sentence(`why.skipped.${reason}`, { reset: 't' }, locale)).toMatch(/\p{L}/u);
    for (const way of CUT_OFFS)
      expect(sentence(`why.cut-off.${way}`, { server: 'Babel' }, locale)).toMatch(/\p{L}/u);
    for (const reason of UNKNOWN_REASONS)
      expect(sentence(`why.unknown.${reason}`, {}, locale)).toMatch(/\p{L}/u);
    for (const code of ERROR_CODES)
      expect(sentence(`reasons.${code}`, {}, locale)).toMatch(/\p{L}/u);
    for (const state of HEARING_STATES)
      expect(sentence(`why.voice.${state}`, { channel: 'c' }, locale)).toMatch(/\p{L}/u);
    for (const state of READING_STATES)
      expect(sentence(`why.read.${state}`, {}, locale)).toMatch(/\p{L}/u);
    for (const key of Object.values(FLAG_REFUSALS))
      expect(sentence(key, {}, locale)).toMatch(/\p{L}/u);
  });
});

describe('/why in a voice channel', () => {
  const ROOM = { space: SPACE, id: 'room' };
  const enter = async (): Promise<void> => {
    const { rooms } = harness();
    await rooms.join(ROOM, 'en', true);
    rooms.script.hearing = 'not-agreed';
    rooms.script.withheld = { ...rooms.script.withheld, unsure: 2 };
    rooms.script.faults = [userError('forbidden', 'room.not-heard')];
  };
  const told = [
    sentence('why.voice.not-agreed', { channel: '<#room>' }),
    sentence('status.withheld-unsure', { count: 2 }),
    sentence('room.not-heard'),
  ];

  it('tells people of themselves: heard or not and why, their withheld lines, faults of the room', async () => {
    await enter();
    harness().rooms.people.set('eve', ROOM);
    const { text } = await harness().run('why', {}, { member: EVE });
    for (const each of told.slice(1)) expect(text).toContain(each);
    expect(text).toContain(HOW);
  });

  it('tells nothing of a room that the person is neither in nor asks in', async () => {
    await enter();
    expect((await harness().run('why', {}, { member: EVE })).text).toBe(HOW);
  });

  it('tells the same on a caption of the bot', async () => {
    await enter();
    harness().rooms.people.set('eve', ROOM);
    const caption = { ...ON, author: { id: 'us', name: 'us', kind: 'ourselves' } } as const;
    explain({ state: 'unknown', reason: { key: 'why.unknown.own' } }, by('us'));
    const { text } = await harness().run('why', {}, { member: EVE, on: caption });
    for (const each of told.slice(1)) expect(text).toContain(each);
  });
});
