import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { placeOfSetup } from './support.ts';
import { HERE, labelled, SPACE } from '../../fakes/command-harness.ts';
import type { Shown } from '../../fakes/platform.ts';
import { sentence } from '../../fakes/sentences.ts';
import { BOB, useCommandHarness } from '../support.ts';
import { watchesOf } from './support.ts';

const harness = useCommandHarness();
const TWELVE = 'es,ja,fr,de,it,pt,nl,pl,ko,sv,zh,ru'.split(',');
const open = () => harness().run('autotranslate wizard');
const choose = async (languages: readonly string[], channels: readonly string[] = ['100']) => {
  await open();
  await harness().press('autotranslate.wizard-channels', channels);
  return harness().press('autotranslate.wizard-languages', languages);
};
const make = () => harness().press('autotranslate.wizard-make');
const lines = () =>
  watchesOf(harness()).map(({ id, mode, languages }) => `${id} ${mode} ${languages.join()}`);
const groups = () =>
  new Set(
    harness()
      .services.watches.list(SPACE)
      .map(({ group }) => group),
  ).size;
const unfinished = () => harness().services.setups.unfinished(SPACE);
const builder = () => harness().script.builder;

describe('the wizard of /autotranslate', () => {
  it('makes and links a channel for each of three languages with three presses', async () => {
    await open();
    await harness().press('autotranslate.wizard-languages', ['es', 'ja', 'fr']);
    const { text } = await make();
    expect(text).toContain(sentence('autotranslate.wizard-done'));
    expect(builder().built.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'channel name100 español',
      'channel name100 日本語',
      'channel name100 français',
    ]);
    expect(lines()).toEqual([
      '100 mirror en',
      '9001 mirror es',
      '9002 mirror ja',
      '9003 mirror fr',
    ]);
    expect(groups()).toBe(1);
    expect(await unfinished()).toEqual([]);
  });

  it('makes four groups of twelve languages in one go', async () => {
    await choose(TWELVE, ['1', '2', '3', '4']);
    await make();
    expect(builder().built).toHaveLength(48);
    expect(harness().services.watches.list(SPACE)).toHaveLength(52);
    expect(groups()).toBe(4);
  });

  it('adds only what a group has not, and the group stays one', async () => {
    await harness().run('autotranslate mirror', { channels: '<#100> en <#2> es' });
    await choose(['es', 'ja']);
    await make();
    expect(lines()).toEqual(['100 mirror en', '2 mirror es', '9001 mirror ja']);
    expect(groups()).toBe(1);
  });

  it('makes threads in the channel, where these are chosen', async () => {
    await choose(['es']);
    await harness().press('autotranslate.wizard-form', ['threads']);
    await make();
    expect(builder().built).toMatchObject([{ kind: 'thread', name: 'español', source: '100' }]);
    const [, thread] = harness().services.watches.list(SPACE);
    expect(thread?.channel).toMatchObject({ id: '9001', parentId: '100' });
  });

  it('puts the channels of a full category into one of their own', async () => {
    builder().apart = ['100'];
    await choose(['es']);
    await make();
    expect(builder().built).toMatchObject([
      { kind: 'category', name: 'name100' },
      { kind: 'channel', category: '9001' },
    ]);
  });

  it('keeps the options that the channel had', async () => {
    await harness().run('autotranslate reply', { languages: 'es', bots: true });
    await choose(['es']);
    await make();
    expect(watchesOf(harness()).every(({ bots }) => bots)).toBe(true);
  });

  it('finds languages that are not offered', async () => {
    await open();
    await harness().press('autotranslate.panel-find', ['swahi']);
    await harness().press('autotranslate.wizard-languages', ['sw']);
    await make();
    expect(lines()).toEqual(['100 mirror en', '9001 mirror sw']);
  });

  it('keeps its controls within what platforms show', async () => {
    const { controls = [] } = await choose(TWELVE);
    const buttons = controls.filter(({ kind }) => kind === 'button').length;
    expect(controls.length - buttons + Math.ceil(buttons / 5)).toBeLessThanOrEqual(5);
    for (const { press } of controls) expect(press.length).toBeLessThanOrEqual(100);
  });

  it('names what it makes and says what it replaces before anything is pressed', async () => {
    await harness().run('autotranslate reply', { languages: 'es, ja' });
    const { text } = await choose(['es', 'fr'], ['100', '200']);
    expect(text).toContain(
      '- <#100> · name100-español, name100-français\n- <#200> · name200-español',
    );
    const before = `${sentence('autotranslate.modes.reply')} · Spanish, Japanese`;
    const replaced = sentence('autotranslate.replaced', { channel: '<#100>', before });
    expect(text).toContain(`⚠️ ${replaced}`);
    expect(text.match(/⚠️/g)).toHaveLength(1);
    expect(lines()).toEqual(['100 reply es,ja']);
  });

  it('says before anything is made which permissions are missing where, and to whom', async () => {
    const lacking = (permission: string) => sentence('watch.missing', { permissions: permission });
    harness().script.missing = {
      100: ['Manage Webhooks'],
      200: ['Manage Webhooks'],
      300: ['View Channel'],
    };
    builder().personLacks = new AppError('forbidden', 'missing', {
      sentence: { key: 'autotranslate.wizard-yours', params: { permissions: 'Manage Channels' } },
    });
    const page = await choose(['es'], ['100', '200', '300']);
    expect(page.text).toContain(`⚠️ <#100> <#200> · ${lacking('Manage Webhooks')}`);
    expect(page.text).toContain(`⚠️ <#300> · ${lacking('View Channel')}`);
    expect(page.text).toContain(
      sentence('autotranslate.wizard-yours', { permissions: 'Manage Channels' }),
    );
    expect(builder().built).toEqual([]);
  });

  it('says on its page that the server has no room', async () => {
    const params = { kind: 'channels', needed: 1, left: 0, most: 500 };
    builder().refusal = new AppError('bad-input', 'full', {
      sentence: { key: 'autotranslate.wizard-no-room', params },
    });
    const { text } = await choose(['es']);
    expect(text).toContain('- <#100> · español\n');
    expect(text).toContain(`⚠️ ${sentence('autotranslate.wizard-no-room', params)}`);
  });

  it('names nothing of a channel that is hidden from the person', async () => {
    await choose(['es'], ['100', '200']);
    harness().script.access = { 200: 'none' };
    const { text } = await harness().press('autotranslate.wizard-languages', ['es', 'fr']);
    expect(text).not.toMatch(/name[12]00/);
  });

  it('offers languages of the server first, and found ones for what people write there, too', async () => {
    await harness().run('autotranslate reply', { languages: 'ca', channel: '5' });
    const { controls = [] } = await open();
    const values = (key: 'autotranslate.wizard-languages' | 'autotranslate.wizard-from') => {
      const control = labelled(harness().shown.at(-1), key);
      return control?.kind === 'choice' ? control.choices.map(({ value }) => value) : [];
    };
    expect(controls.length).toBeGreaterThan(0);
    expect(values('autotranslate.wizard-languages')[0]).toBe('ca');
    expect(values('autotranslate.wizard-from').slice(0, 2)).toEqual(['en', 'ca']);
    await harness().press('autotranslate.panel-find', ['swahi']);
    await harness().press('autotranslate.wizard-from', ['sw']);
    expect(values('autotranslate.wizard-from')[0]).toBe('sw');
  });

  it('is not offered where channels cannot be made', async () => {
    const channel = placeOfSetup('mute');
    const panel = await harness().run('autotranslate panel', {}, { channel });
    expect(labelled(panel, 'autotranslate.wizard')).toBeUndefined();
  });
});

describe('roles of the wizard', () => {
  const withRoles = async (form = 'channels-roles') => {
    await choose(['es', 'ja']);
    await harness().press('autotranslate.wizard-form', [form]);
    return make();
  };

  it('are made for each language, that of the channel too, and members take them by buttons', async () => {
    await withRoles();
    const roles = builder().built.filter(({ kind }) => kind === 'role');
    expect(roles.map(({ name }) => name)).toEqual(['English', 'español', '日本語']);
    await harness().press('autotranslate.wizard-where', ['200']);
    const [posted] = harness().script.posted;
    expect(posted?.in).toBe('200');
    expect(posted?.controls?.map(({ label }) => label)).toEqual([
      '🇬🇧 English',
      '🇪🇸 español',
      '🇯🇵 日本語',
    ]);
    const press = posted?.controls?.[1]?.press ?? '';
    const { text } = await harness().pressNamed(press, { member: BOB });
    expect(text).toContain(sentence('autotranslate.role-given', { language: 'Spanish' }));
    expect(builder().given).toEqual([`+${roles[1]?.id} ${BOB.id}`]);
    const bob = { platform: 'test', id: BOB.id ?? '' };
    expect((await harness().services.settings.of(bob)).language).toBe('es');
    await harness().pressNamed(press, { member: { ...BOB, roles: [roles[1]?.id ?? ''] } });
    expect(builder().given.at(-1)).toBe(`-${roles[1]?.id} ${BOB.id}`);
  });

  it('are used again by the next set-up', async () => {
    await withRoles();
    await choose(['es'], ['300']);
    await harness().press('autotranslate.wizard-form', ['channels-hidden']);
    await make();
    expect(builder().built.filter(({ kind }) => kind === 'role')).toHaveLength(3);
    expect(builder().built.at(-1)).toMatchObject({ source: '300', seenBy: '9002' });
  });

  it('see a channel alone only where that is chosen', async () => {
    await withRoles();
    expect(builder().built.some((thing) => 'seenBy' in thing)).toBe(false);
    await choose(['fr'], ['300']);
    await harness().press('autotranslate.wizard-form', ['channels-hidden']);
    await make();
    expect(builder().built.at(-1)).toMatchObject({ kind: 'channel', seenBy: '9006' });
  });

  it.each(['xx', 'fr', 'es', ''])('are not given by a forged press: %s', async (language) => {
    await withRoles();
    builder().unsafe.add('9002');
    const { tone } = await harness().pressNamed(`autotranslate role:${language}`, { member: BOB });
    expect(tone).toBe('error');
    expect(builder().given).toEqual([]);
  });
});

describe('a set-up that fails midway', () => {
  const refused = new AppError('forbidden', 'refused', {
    sentence: { key: 'watch.missing', params: { permissions: { list: ['Manage Channels'] } } },
  });
  const fail = async () => {
    builder().faults.set(3, refused);
    await choose(['es', 'ja', 'fr', 'de']);
    return make();
  };

  it('says why, links nothing, and goes on where it stopped', async () => {
    const content = await fail();
    expect(content.text).toContain('Manage Channels');
    expect(content.text).toContain(
      sentence('autotranslate.wizard-unfinished', { done: 2, all: 4 }),
    );
    expect(watchesOf(harness())).toEqual([]);
    await harness().press('autotranslate.wizard-continue');
    expect(builder().built).toHaveLength(4);
    expect(watchesOf(harness())).toHaveLength(5);
  });

  it('is undone with all that was made', async () => {
    await fail();
    const { text } = await harness().press('autotranslate.wizard-undo');
    expect(text).toContain(sentence('autotranslate.wizard-undone'));
    expect(builder().built).toEqual([]);
    expect(await unfinished()).toEqual([]);
  });

  it('names what is left, as somebody else may have made it', async () => {
    builder().faults.set(2, 'lost');
    builder().doubtful = true;
    await choose(['es', 'ja', 'fr']);
    await make();
    const { text } = await harness().press('autotranslate.wizard-undo');
    expect(text).toContain(sentence('autotranslate.wizard-left'));
    expect(text).toContain('<#9002>');
    expect(builder().built.map(({ id }) => id)).toEqual(['9002']);
  });

  it.each(['autotranslate.wizard-continue', 'autotranslate.wizard-undo'] as const)(
    'is left to people who may make such things themselves: %s',
    async (key) => {
      await fail();
      builder().personLacks = refused;
      expect((await harness().press(key)).text).toContain('Manage Channels');
      expect(builder().built).toHaveLength(2);
    },
  );

  it('is listed beside others, but not for who sees not all of its channels', async () => {
    const stop = async (channel: string, language: string) => {
      builder().faults.set(builder().calls + 1, refused);
      await choose([language], [channel]);
      await make();
    };
    await stop('1', 'es');
    await stop('2', 'ja');
    const named = (content: Shown) =>
      (content.controls ?? []).flatMap(({ press, label }) =>
        press.startsWith('autotranslate setup:') ? [label] : [],
      );
    const [first, second] = ['name1 español', 'name2 日本語'].map((name) =>
      sentence('autotranslate.wizard-open', { name }),
    );
    expect(named(await harness().run('autotranslate panel'))).toEqual([first, second]);
    harness().script.access = { 1: 'none' };
    expect(named(await harness().run('autotranslate panel'))).toEqual([second]);
  });

  it('stands in the panel until then', async () => {
    await fail();
    await harness().run('autotranslate panel');
    const [{ id } = { id: '' }] = await unfinished();
    const content = await harness().pressNamed(`autotranslate setup:${id}`);
    expect(labelled(content, 'autotranslate.wizard-undo')).toBeDefined();
  });

  it.each(['autotranslate.wizard-continue', 'autotranslate.wizard-undo'] as const)(
    'leaves nothing doubled or over where an answer was lost: %s',
    async (key) => {
      builder().faults.set(2, 'lost');
      await choose(['es', 'ja', 'fr']);
      await make();
      await harness().press(key);
      expect(builder().built).toHaveLength(key === 'autotranslate.wizard-undo' ? 0 : 3);
    },
  );

  it('makes anew what somebody deleted meanwhile', async () => {
    await fail();
    await builder().remove(SPACE, { kind: 'channel', id: '9001' });
    await harness().press('autotranslate.wizard-continue');
    expect(builder().built).toHaveLength(4);
    expect(lines()).not.toContain('9001 mirror es');
  });

  it('waits where the platform takes no more for a moment', async () => {
    const busy = new AppError('rate-limited', 'wait', { retryable: true, retryAfterMs: 5_000 });
    builder().faults.set(1, busy).set(2, busy);
    await choose(['es']);
    await make();
    expect(builder().built).toHaveLength(1);
  });

  it('is left to a person where the platform takes no more for long', async () => {
    const busy = new AppError('rate-limited', 'wait', { retryable: true, retryAfterMs: 3_600_000 });
    builder().faults.set(2, busy);
    await choose(['es', 'ja']);
    const content = await make();
    expect(labelled(content, 'autotranslate.wizard-continue')).toBeDefined();
  });

  it('keeps what is linked already, whoever undoes it', async () => {
    await fail();
    const [setup] = await unfinished();
    await harness().services.watches.set(
      ['9001', '9002'].map((id) => ({
        channel: { space: SPACE, id },
        mode: 'mirror',
        languages: ['es'],
        group: 'g',
        transcribes: true,
        bots: false,
      })),
    );
    await harness().pressNamed(`autotranslate undo:${setup?.id}`);
    expect(builder().built).toHaveLength(2);
  });
});

describe('a set-up that cannot be made', () => {
  it('is refused before anything is made', async () => {
    builder().refusal = new AppError('bad-input', 'no room');
    await choose(['es']);
    const content = await make();
    expect(labelled(content, 'autotranslate.wizard-make')).toBeDefined();
    expect(builder().built).toEqual([]);
    expect(await unfinished()).toEqual([]);
  });

  it('asks for room for 60 channels and 28 languages no more than groups may have', async () => {
    const many = Array.from({ length: 60 }, (_, place) => String(1_000 + place));
    await choose(TWELVE, many);
    const more = [...TWELVE, ...'tr,ar,hi,id,vi,th,uk,cs,fi,el,he,da,lt,ro,hu,bg'.split(',')];
    const { press } = labelled(harness().shown.at(-1), 'autotranslate.wizard-languages') ?? {};
    const { text } = await harness().pressNamed(press ?? '', {}, more);
    expect(text).toContain(sentence('autotranslate.how-many-languages', { most: 20 }));
    await make();
    expect(builder().needs?.sources).toHaveLength(60);
    expect(builder().needs?.sources.every(({ count }) => count === 12)).toBe(true);
  });

  it('is refused where a channel lacks permissions, and where one is hidden from the person', async () => {
    harness().script.missing = { 2: ['Manage Webhooks'] };
    await choose(['es'], ['100', '2']);
    expect((await make()).text).toContain('Manage Webhooks');
    harness().script.missing = {};
    harness().script.access = { 2: 'none' };
    expect((await make()).text).toContain(sentence('errors.channel-unseen', { channel: '<#2>' }));
    expect(builder().built).toEqual([]);
  });

  it('is made once where two moderators press at once', async () => {
    await choose(['es', 'ja']);
    const { press = '' } = labelled(harness().shown.at(-1), 'autotranslate.wizard-make') ?? {};
    await Promise.all([1, 2].map(() => harness().pressNamed(press)));
    expect(builder().built).toHaveLength(2);
    expect(watchesOf(harness())).toHaveLength(3);
  });

  it('is not changed once it is being made', async () => {
    await choose(['es', 'ja']);
    builder().faults.set(2, new AppError('forbidden', 'refused'));
    const { press = '' } = labelled(harness().shown.at(-1), 'autotranslate.wizard-languages') ?? {};
    await make();
    const { text } = await harness().pressNamed(press, {}, ['fr']);
    expect(text).toContain(sentence('autotranslate.wizard-changed'));
    expect((await unfinished())[0]?.choices.languages).toEqual(['es', 'ja']);
  });

  it.each([
    ['sources', '300'],
    ['into', 'ja'],
    ['spoken', 'ja'],
    ['form', 'threads'],
    ['make', ''],
    ['undo', ''],
    ['setup', ''],
  ])('is no other than its own of a forged press: %s', async (word, value) => {
    await choose(['es']);
    const { press = '' } = labelled(harness().shown.at(-1), 'autotranslate.wizard-make') ?? {};
    const id = press.split(':')[1];
    const other = await harness().pressNamed(`autotranslate ${word}:nothing`, {}, [value]);
    expect(other.text).toContain(sentence('autotranslate.wizard-over'));
    const elsewhere = { channel: { ...HERE, space: { platform: 'test', id: 'other' } } };
    await harness().pressNamed(`autotranslate ${word}:${id}`, elsewhere, [value]);
    const asMember = await harness().pressNamed(`autotranslate ${word}:${id}`, { member: BOB });
    expect(asMember.text).toContain(sentence('errors.needs-moderator'));
    const { choices } = await harness().services.setups.find(SPACE, id ?? '');
    expect(choices).toMatchObject({ channels: ['100'], languages: ['es'], from: 'en' });
    expect(builder().built).toEqual([]);
  });
});
