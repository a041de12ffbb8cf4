import { describe, expect, it } from 'vitest';
import { userError } from '../../../src/errors.ts';
import { isPrivatePress } from '../../../src/model/command-info.ts';
import { labelled, SPACE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { BOB, useCommandHarness } from '../support.ts';
import { watchesOf } from './support.ts';

const harness = useCommandHarness();

describe('/autotranslate link', () => {
  it.each([{}, { code: 'ABCD-EFGH-JKMN' }])(
    'says before anything is linked what a link ends in its channel: %j',
    async (given) => {
      await harness().run('autotranslate reply', { languages: 'es' });
      const { text } = await harness().run('autotranslate link', { language: 'en', ...given });
      const before = `${sentence('autotranslate.modes.reply')} · Spanish`;
      const replaced = sentence('autotranslate.link-replaces', { channel: '<#100>', before });
      expect(text).toContain(`⚠️ ${replaced}`);
    },
  );

  it('asks for the language of a code by a menu where none is typed', async () => {
    const asked = await harness().run('autotranslate link', { bots: true, code: 'group' });
    expect(asked.text).toContain(
      sentence('autotranslate.panel-link-language', { channel: '<#100>' }),
    );
    await harness().press('autotranslate.panel-find', ['swahi']);
    const { text } = await harness().press('autotranslate.panel-language', ['sw']);
    expect(text).toContain(sentence('autotranslate.bots'));
    await harness().press('autotranslate.link-yes');
    expect(watchesOf(harness())).toMatchObject([{ id: '100', languages: ['sw'], bots: true }]);
  });

  it('offers alone to make a code or to enter one, asks nothing yet, and keeps its switches', async () => {
    const offered = await harness().run('autotranslate link', { bots: true });
    expect(offered.text).toBe(sentence('autotranslate.link-codes', { channel: '<#100>' }));
    for (const key of ['autotranslate.link-make', 'settings.back'] as const)
      expect(labelled(offered, key)).toBeDefined();
    await harness().press('autotranslate.link-enter', ['group']);
    const { text } = await harness().press('autotranslate.panel-language', ['fr']);
    expect(text).toContain(sentence('autotranslate.bots'));
    await harness().run('autotranslate link');
    await harness().press('autotranslate.link-make');
    const made = await harness().press('autotranslate.panel-language', ['fr']);
    expect(made.text).toContain('ABCD-EFGH-JKMN');
    await harness().press('settings.back');
    expect(labelled(harness().shown.at(-1), 'autotranslate.link-make')).toBeDefined();
  });

  it.each([undefined, '8'])(
    'names the channel in which the question for a link will stand: that of the moderators is %s',
    async (mods) => {
      const moderators = mods === undefined ? undefined : { channel: mods, locale: 'en' };
      await harness().services.spaces.change(SPACE, { moderators });
      const { text } = await harness().run('autotranslate link', { language: 'en' });
      const others = { code: '', discord: '', slack: '', entry: '', channels: '' };
      const params = { ...others, channel: `<#${mods ?? '100'}>`, until: '!' };
      const [, asked] = sentence('autotranslate.link-code', params).split('!');
      expect(text).toContain(asked);
    },
  );

  it.each([{}, { language: 'en' }])(
    'says of an unknown code that it is before it asks anything, and takes it anew: %j',
    async (given) => {
      const refused = await harness().run('autotranslate link', { code: 'WRONG', ...given });
      expect(refused.text).toContain(`⚠️ ${sentence('autotranslate.link-unknown')}`);
      expect(labelled(refused, 'autotranslate.panel-language')).toBeUndefined();
      const { text } = await harness().press('autotranslate.link-enter', ['group']);
      expect(text).toContain(sentence('autotranslate.panel-link-language', { channel: '<#100>' }));
    },
  );

  it('takes a code that is typed alone for one, and no other language', async () => {
    const typed = (language: string) => harness().run('autotranslate link', { language });
    const asked = await harness().run('autotranslate link', { code: 'ABCD-EFGH-JKMN' });
    expect((await typed('abcd-efgh-jkmn')).text).toBe(asked.text);
    expect((await typed('Klingon-language')).text).toContain(
      sentence('errors.unknown-language', { language: '`Klingon-language`' }),
    );
  });

  it('is asked anew where the channel was set up otherwise since, and replaces nothing before', async () => {
    const options = { language: 'en', code: 'group' };
    await harness().run('autotranslate link', options);
    const { press = '' } = labelled(harness().shown.at(-1), 'autotranslate.link-yes') ?? {};
    await harness().run('autotranslate reply', { languages: 'es' });
    const asked = await harness().pressNamed(press);
    expect(asked.text).toContain(sentence('autotranslate.panel-changed', { channel: '<#100>' }));
    const before = `${sentence('autotranslate.modes.reply')} · Spanish`;
    expect(asked.text).toContain(
      sentence('autotranslate.link-replaces', { channel: '<#100>', before }),
    );
    expect(watchesOf(harness())).toMatchObject([{ mode: 'reply', languages: ['es'] }]);
    await harness().run('autotranslate off');
    const off = await harness().pressNamed(press.replace(/[^/]+$/, 'former'));
    expect(off.text).toContain(sentence('autotranslate.not-on', { channel: '<#100>' }));
    await harness().press('autotranslate.link-yes');
    expect(watchesOf(harness())).toMatchObject([{ mode: 'mirror', languages: ['en'] }]);
  });

  it.each([true, false])(
    'says before the press what each side may do afterwards, where they may do different things: %s',
    async (isLater) => {
      const { watches } = harness().services;
      const propose = watches.propose.bind(watches);
      watches.propose = async (...given) => ({ ...(await propose(...given)), isLater });
      const { text } = await harness().run('autotranslate link', { language: 'en', code: 'group' });
      const said = sentence('autotranslate.link-see-later', { channel: '<#100>' });
      expect(text.includes(said)).toBe(isLater);
    },
  );

  it('warns of nothing in a channel that is linked already', async () => {
    await harness().run('autotranslate mirror', { channels: '<#100> en <#2> es' });
    expect((await harness().run('autotranslate link')).text).not.toContain('⚠️');
  });
});

describe('the question whether channels are to be linked', () => {
  it.each([
    ['link', 'autotranslate.link-done'],
    ['refuse', 'autotranslate.link-refused'],
  ] as const)('makes way for its answer, without buttons: %s', async (press, key) => {
    const isPrivateFor = (role: 'moderator' | 'member') =>
      isPrivatePress(harness().commands, `autotranslate ${press}:id`, role);
    expect([isPrivateFor('moderator'), isPrivateFor('member')]).toEqual([false, true]);
    const { text, controls = [] } = await harness().pressNamed(`autotranslate ${press}:id`);
    expect([text, controls]).toEqual([sentence(key), []]);
  });

  it.each([
    'link-over',
    'link-done',
    'link-refused',
    'link-withdrawn',
    'link-linked',
    'link-gone',
  ] as const)('stays as it is for all others where it is over: %s', async (key) => {
    harness().services.watches.answer = async () => {
      throw userError('not-found', `autotranslate.${key}`);
    };
    const { text, tone, controls = [] } = await harness().pressNamed('autotranslate link:id');
    expect([text, tone, controls]).toEqual([sentence(`autotranslate.${key}`), 'error', []]);
  });

  it.each([
    ['ask:r/100', 'asked', 'autotranslate.link-asked'],
    ['ask:r/100', 'over', 'autotranslate.link-over'],
    ['ask:r/100', 'drafted', 'errors.unknown-press'],
    ['link:r/seen', 'over', 'autotranslate.link-over'],
    ['refuse:r', 'over', 'autotranslate.link-over'],
    ['link:r/seen', 'asked', 'errors.unknown-press'],
  ] as const)(
    'says how it stands to whoever presses once more, and does nothing: %s, %s',
    async (press, state, key) => {
      harness().services.watches.stateOf = async (id) => (id === 'r' ? state : 'drafted');
      const { text, controls = [] } = await harness().forge(`autotranslate ${press}`);
      expect([text, controls]).toEqual([sentence(key), []]);
      expect(harness().script.decided).toEqual([]);
      expect(watchesOf(harness())).toEqual([]);
    },
  );

  it('stays for whoever presses without being a moderator', async () => {
    const { tone } = await harness().pressNamed('autotranslate link:id', { member: BOB });
    expect(tone).toBe('error');
  });
});
