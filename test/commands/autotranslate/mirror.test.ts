import { describe, expect, it } from 'vitest';
import { SPACE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';
import { watchesOf } from './support.ts';

const harness = useCommandHarness();

describe('/autotranslate mirror', () => {
  const unknown = (channel: string, language: string) =>
    sentence('autotranslate.channel-language', { channel, language });

  it('links a whole group at once', async () => {
    const channels = '<#1> en, <#2> español, <#3> 日本語';
    const { text } = await harness().run('autotranslate mirror', { channels });
    expect(watchesOf(harness()).map(({ id, mode, languages }) => [id, mode, languages])).toEqual([
      ['1', 'mirror', ['en']],
      ['2', 'mirror', ['es']],
      ['3', 'mirror', ['ja']],
    ]);
    const groups = harness()
      .services.watches.list(SPACE)
      .map(({ group }) => group);
    expect(new Set(groups).size).toBe(1);
    expect(groups[0]).toBeDefined();
    expect(text).toContain('- <#1> · English\n- <#2> · Spanish\n- <#3> · Japanese');
  });

  it.each([
    ['#general en, #español es', sentence('autotranslate.mirror-how')],
    ['en', sentence('autotranslate.mirror-how')],
    ['<#1> en', sentence('autotranslate.how-many-channels', { fewest: 2, most: 20 })],
    [
      Array.from({ length: 21 }, (_, id) => `<#${id}> en`).join(),
      sentence('autotranslate.how-many-channels', { fewest: 2, most: 20 }),
    ],
    ['<#1> en, <#1> es', sentence('autotranslate.channel-twice', { channel: '<#1>' })],
    ['<#1> en, <#2>', sentence('autotranslate.mirror-how')],
    ['<#1> en, <#2> klingon', unknown('<#2>', '`klingon`')],
    ['<#1> en, <#2> English', sentence('autotranslate.one-language')],
  ])('refuses %j with a sentence that helps', async (channels, expected) => {
    const content = await harness().run('autotranslate mirror', { channels });
    expect(content).toMatchObject({ tone: 'error' });
    expect(content.text).toContain(expected);
    expect(watchesOf(harness())).toEqual([]);
  });
});
