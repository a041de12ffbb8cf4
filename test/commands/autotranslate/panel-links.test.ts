import { describe, expect, it } from 'vitest';
import { sentence } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';
import { memberElsewhere, watchesOf } from './support.ts';
import { usePanel } from './panel-support.ts';

const harness = useCommandHarness();
const { languagesOf, openChannel, watch } = usePanel(harness);

describe('the panel of /autotranslate', () => {
  it('links two channels, and adds a third to them', async () => {
    await openChannel('1');
    await harness().press('autotranslate.panel-link');
    await harness().press('autotranslate.panel-language', ['en']);
    await harness().press('autotranslate.panel-pick', ['2']);
    const linked = await harness().press('autotranslate.panel-language', ['es']);
    // The other channels speak what is translated into this one's language.
    expect(linked.text).not.toContain('⚠️');
    await harness().press('autotranslate.panel-link');
    await harness().press('autotranslate.panel-pick', ['3']);
    await harness().press('autotranslate.panel-find', ['japan']);
    const { text } = await harness().press('autotranslate.panel-language', ['ja']);
    expect(text).toContain(sentence('autotranslate.group', { count: 3, elsewhere: 0 }));
    expect(watchesOf(harness()).map(({ id, languages }) => `${id} ${languages.join()}`)).toEqual([
      '1 en',
      '2 es',
      '3 ja',
    ]);
    expect(new Set(['1', '2', '3'].map((id) => watch(id)?.group)).size).toBe(1);
    await harness().press('autotranslate.panel-language', ['fr']);
    expect(languagesOf('1')).toBe('fr');
  });

  it('asks no language of a channel that is linked already', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    await openChannel('1');
    await harness().press('autotranslate.panel-link');
    const joined = { channel: '<#2>', other: '<#1>', language: 'Spanish' };
    expect((await harness().press('autotranslate.panel-pick', ['2'])).text).toContain(
      sentence('autotranslate.joined', joined),
    );
    await openChannel('3');
    await harness().press('autotranslate.panel-link');
    await harness().press('autotranslate.panel-language', ['ja']);
    const { text } = await harness().press('autotranslate.panel-pick', ['2']);
    expect(text).toContain(sentence('autotranslate.panel-heading', { channel: '<#3>' }));
    expect(watchesOf(harness()).map(({ languages }) => languages.join())).toEqual([
      'en',
      'es',
      'ja',
    ]);
  });

  it('names its channel, and those of other servers that are linked with it', async () => {
    await harness().run('autotranslate reply', { languages: 'es', channel: '7' });
    const heading = (id: string) =>
      sentence('autotranslate.panel-heading', { channel: `<#${id}>` });
    expect((await openChannel('7')).text.startsWith(`${heading('7')}\n`)).toBe(true);
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    harness().script.members = [memberElsewhere()];
    const group = sentence('autotranslate.group', { count: 3, elsewhere: 1 });
    const { text } = await openChannel('2');
    expect(text).toContain(`${heading('2')} · ${group}\n`);
    expect(text).toContain('- #there');
    expect((await harness().run('autotranslate panel')).text).toContain(
      sentence('autotranslate.elsewhere', { count: 1 }),
    );
  });

  it('says before it links a channel what that ends there', async () => {
    await harness().run('autotranslate reply', { languages: 'es', channel: '4' });
    await openChannel('3');
    const asked = await harness().press('autotranslate.panel-link');
    expect(asked.text).not.toContain('⚠️');
    const pick = await harness().press('autotranslate.panel-language', ['ja']);
    const entry = sentence('autotranslate.panel-elsewhere');
    expect(pick.text).toBe(sentence('autotranslate.panel-link-to', { channel: '<#3>', entry }));
    const { text } = await harness().press('autotranslate.panel-pick', ['4']);
    const before = `${sentence('autotranslate.modes.reply')} · Spanish`;
    expect(text).toContain(sentence('autotranslate.link-replaces', { channel: '<#4>', before }));
  });

  it('says which channels elsewhere would see a channel before it is linked with their group', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    harness().script.members = [memberElsewhere()];
    const seen = { channel: '<#3>', channels: '#there' };
    const begin = async (id: string) => {
      await openChannel(id);
      await harness().press('autotranslate.panel-link');
    };
    await begin('3');
    await harness().press('autotranslate.panel-language', ['ja']);
    const asked = await harness().press('autotranslate.panel-pick', ['1']);
    expect(asked.text).toBe(sentence('autotranslate.join-seen', seen));
    await begin('1');
    await harness().press('autotranslate.panel-pick', ['3']);
    const also = await harness().press('autotranslate.panel-language', ['ja']);
    expect(also.text).toBe(asked.text);
    const members = harness().script.members;
    harness().script.members = [...members, { ...members[0]!, key: 'slack C9', name: '#more' }];
    const again = await harness().press('autotranslate.link-yes');
    expect(again.text).toContain('#more');
    expect(watchesOf(harness())).toHaveLength(2);
    const { text } = await harness().press('autotranslate.link-yes');
    expect(text).toContain(sentence('autotranslate.panel-heading', { channel: '<#1>' }));
    expect(watchesOf(harness()).at(-1)).toMatchObject({ id: '3', languages: ['ja'] });
  });

  it('takes no channel out of another group', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    await harness().run('autotranslate mirror', { channels: '<#3> en <#4> es' });
    const before = watchesOf(harness());
    await openChannel('1');
    await harness().press('autotranslate.panel-link');
    const { text } = await harness().press('autotranslate.panel-pick', ['3']);
    expect(text).toContain(sentence('autotranslate.join-grouped', { channel: '<#3>' }));
    expect(watchesOf(harness())).toEqual(before);
  });

  it('links no channel with itself, and none with another in the same language', async () => {
    await openChannel('1');
    await harness().press('autotranslate.panel-link');
    await harness().press('autotranslate.panel-language', ['en']);
    const itself = await harness().press('autotranslate.panel-pick', ['1']);
    expect(itself.text).toContain(sentence('autotranslate.join-itself'));
    const same = await harness().pressNamed('autotranslate linkas:1/en/2', {}, ['en']);
    expect(same.text).toContain(sentence('autotranslate.one-language'));
    expect(watchesOf(harness())).toEqual([]);
    await harness().press('autotranslate.panel-language', ['es']);
    expect(watchesOf(harness())).toMatchObject([
      { id: '1', languages: ['en'] },
      { id: '2', languages: ['es'] },
    ]);
  });

  it('keeps the language that was chosen where a channel cannot be linked with itself', async () => {
    await openChannel('1');
    await harness().press('autotranslate.panel-link');
    await harness().press('autotranslate.panel-language', ['en']);
    await harness().press('autotranslate.panel-pick', ['1']);
    await harness().press('autotranslate.panel-pick', ['2']);
    await harness().press('autotranslate.panel-language', ['es']);
    expect(watchesOf(harness())).toMatchObject([{ languages: ['en'] }, { languages: ['es'] }]);
  });
});
