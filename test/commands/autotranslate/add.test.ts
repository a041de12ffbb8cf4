import { describe, expect, it } from 'vitest';
import { sentence } from '../../fakes/sentences.ts';
import { BOB, useCommandHarness } from '../support.ts';
import { memberElsewhere, watchesOf } from './support.ts';

const harness = useCommandHarness();
const languages = () => watchesOf(harness()).map((watch) => watch.languages.join());

describe('/autotranslate add', () => {
  it('adds a language to those of a channel, whatever else is set there', async () => {
    await harness().run('autotranslate thread', { languages: 'es', bots: true });
    const { text } = await harness().run('autotranslate add', { language: 'Japanese' });
    expect(text).toBe(
      sentence('autotranslate.now-into', { channel: '<#100>', languages: 'Spanish, Japanese' }),
    );
    expect(watchesOf(harness())).toMatchObject([
      { mode: 'thread', languages: ['es', 'ja'], bots: true },
    ]);
  });

  it('adds a channel to a group without tearing the group apart', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    const options = { language: 'ja', channel: '3', with: '1' };
    const { text } = await harness().run('autotranslate add', options);
    expect(text).toContain('- <#1> · English\n- <#2> · Spanish\n- <#3> · Japanese');
    expect(languages()).toEqual(['en', 'es', 'ja']);
  });

  it('says which channels elsewhere would see a channel before it is added to their group', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    harness().script.members = [memberElsewhere()];
    const options = { language: 'ja', channel: '3', with: '1' };
    const asked = await harness().run('autotranslate add', options);
    const seen = { channel: '<#3>', channels: '#there' };
    expect(asked.text).toBe(sentence('autotranslate.join-seen', seen));
    const [control] = asked.controls ?? [];
    await harness().pressNamed(control?.press ?? '', { member: BOB });
    expect(languages()).toEqual(['en', 'es']);
    // A channel that joined meanwhile was not named.
    const members = harness().script.members;
    harness().script.members = [...members, { ...members[0]!, key: 'slack C9', name: '#more' }];
    const again = await harness().pressNamed(control?.press ?? '');
    expect(again.text).toContain('#more');
    expect(languages()).toEqual(['en', 'es']);
    const changed = sentence('autotranslate.panel-changed', { channel: '<#3>' });
    expect(again.text).not.toContain(changed);
    await harness().run('autotranslate reply', { languages: 'es', channel: '3' });
    const anew = await harness().pressNamed(again.controls?.[0]?.press ?? '');
    expect(anew.text).toContain(changed);
    expect(watchesOf(harness()).at(-1)).toMatchObject({ id: '3', mode: 'reply' });
    const { text } = await harness().press('autotranslate.link-yes');
    expect(text).toContain('- <#3> · Japanese');
    expect(languages()).toEqual(['en', 'es', 'ja']);
  });

  it('asks again before a channel is added to a group that changes meanwhile', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    const options = { language: 'ja', channel: '3', with: '1' };
    harness().script.joining = () => {
      delete harness().script.joining;
      harness().script.members = [memberElsewhere()];
    };
    const { text } = await harness().run('autotranslate add', options);
    const seen = { channel: '<#3>', channels: '#there' };
    expect(text).toBe(sentence('autotranslate.join-seen', seen));
    expect(languages()).toEqual(['en', 'es']);
    await harness().press('autotranslate.link-yes');
    expect(languages()).toEqual(['en', 'es', 'ja']);
  });

  it.each([
    [{ language: 'es' }, sentence('autotranslate.add-off', { channel: '<#100>' })],
    [{ language: 'ja', channel: '1' }, sentence('autotranslate.add-with', { channel: '<#1>' })],
    [{ language: 'klingon' }, sentence('errors.unknown-language', { language: '`klingon`' })],
  ])('refuses %j with a sentence that helps', async (options, expected) => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    expect(await harness().run('autotranslate add', options)).toMatchObject({
      tone: 'error',
      text: expected,
    });
    expect(languages()).toEqual(['en', 'es']);
  });

  it('says that a channel is in the group already, or in another one, and changes nothing', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    await harness().run('autotranslate mirror', { channels: '<#3> en <#4> fr' });
    const before = watchesOf(harness());
    const add = (language: string, channel: string) =>
      harness().run('autotranslate add', { language, channel, with: '1' });
    const joined = { channel: '<#2>', other: '<#1>', language: 'Spanish' };
    expect((await add('es', '2')).text).toBe(sentence('autotranslate.joined', joined));
    expect((await add('fr', '2')).text).toBe(sentence('autotranslate.joined', joined));
    expect((await add('fr', '4')).text).toBe(
      sentence('autotranslate.join-grouped', { channel: '<#4>' }),
    );
    expect(watchesOf(harness())).toEqual(before);
  });

  it('says that a language is there already, and tells nobody else', async () => {
    await harness().run('autotranslate reply', { languages: 'es, ja' });
    const answer = await harness().run('autotranslate add', { language: 'ja' });
    const named = { channel: '<#100>', language: 'Japanese' };
    expect(answer).toMatchObject({
      text: sentence('autotranslate.already-into', named),
      tone: 'error',
    });
    expect(languages()).toEqual(['es,ja']);
  });

  it('adds no language beyond the most that there may be', async () => {
    await harness().run('autotranslate reply', { languages: 'es,ja,fr,de,it,pt,nl,pl,ko,sv' });
    const { text } = await harness().run('autotranslate add', { language: 'tr' });
    expect(text).toBe(sentence('autotranslate.how-many-languages', { most: 10 }));
  });

  it('changes nothing of a group with a channel that the person may not see', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    harness().script.access = { 2: 'none' };
    const options = { language: 'ja', channel: '3', with: '1' };
    const { text } = await harness().run('autotranslate add', options);
    expect(text).toBe(sentence('autotranslate.linked-unseen'));
    expect(languages()).toEqual(['en', 'es']);
  });
});

describe('/autotranslate remove', () => {
  it('takes nothing out of a group where nothing is said, and says what can be taken out', async () => {
    await harness().run('autotranslate mirror', { channels: '<#100> en <#2> es' });
    const before = watchesOf(harness());
    const { text } = await harness().run('autotranslate remove');
    const channels = '<#100> · English, <#2> · Spanish';
    expect(text).toBe(sentence('autotranslate.remove-what', { channels }));
    expect(watchesOf(harness())).toEqual(before);
  });

  it('takes one language away, and ends it with the last', async () => {
    await harness().run('autotranslate reply', { languages: 'es, ja' });
    await harness().run('autotranslate remove', { language: 'es' });
    expect(languages()).toEqual(['ja']);
    const { text } = await harness().run('autotranslate remove', { language: 'ja' });
    expect(text).toBe(sentence('autotranslate.off', { channel: '<#100>' }));
    expect(languages()).toEqual([]);
  });

  it('takes a channel out of its group, by itself or by its language', async () => {
    const channels = '<#1> en <#2> es <#3> ja <#4> fr';
    await harness().run('autotranslate mirror', { channels });
    await harness().run('autotranslate remove', { channel: '2' });
    const channel = { space: { platform: 'test', id: 'space' }, id: '1' };
    await harness().run('autotranslate remove', { language: 'ja' }, { channel });
    expect(languages()).toEqual(['en', 'fr']);
  });

  it.each([
    [{ language: 'ja' }, { language: 'Japanese', count: 0 }],
    [
      { language: 'es', channel: '1' },
      { language: 'Spanish', count: 2 },
    ],
    [{ language: 'es' }, { language: 'Spanish', count: 2 }],
    [
      { language: 'en', channel: '2' },
      { language: 'English', count: 1 },
    ],
  ])('names the linked channels where %j means none or several of them', async (options, said) => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es <#3> es' });
    const channel = { space: { platform: 'test', id: 'space' }, id: '1' };
    const { text } = await harness().run('autotranslate remove', options, { channel });
    expect(text).toBe(
      sentence('autotranslate.remove-which', {
        ...said,
        channel: `<#${'channel' in options ? options.channel : 1}>`,
        channels: '<#1> · English, <#2> · Spanish, <#3> · Spanish',
      }),
    );
    expect(languages()).toEqual(['en', 'es', 'es']);
  });

  it('names no linked channel that the person may not see', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es <#3> es' });
    harness().script.access = { 3: 'none' };
    const channel = { space: { platform: 'test', id: 'space' }, id: '1' };
    const { text } = await harness().run('autotranslate remove', { language: 'ja' }, { channel });
    expect(text).toBe(sentence('autotranslate.linked-unseen'));
  });

  it('says what is missing, or not there', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    expect(await harness().run('autotranslate remove')).toMatchObject({
      text: sentence('autotranslate.remove-language', { channel: '<#100>', languages: 'Spanish' }),
    });
    expect(await harness().run('autotranslate remove', { language: 'ja' })).toMatchObject({
      text: sentence('autotranslate.not-a-language', { channel: '<#100>', language: 'Japanese' }),
    });
    expect(languages()).toEqual(['es']);
  });
});
