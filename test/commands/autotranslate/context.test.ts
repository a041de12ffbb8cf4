import { describe, expect, it } from 'vitest';
import { SPACE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';
import { watchesOf } from './support.ts';

const harness = useCommandHarness();

describe('a setting that does not do what people expect', () => {
  const warnings = async (command: string, options: Record<string, unknown>) =>
    (await harness().run(command, options)).text
      .split('\n')
      .filter((line) => line.startsWith('⚠️'));

  const replaced = (channel: string, mode: 'reply' | 'mirror', rest: string) => {
    const before = `${sentence(`autotranslate.modes.${mode}`)} · ${rest}`;
    return `⚠️ ${sentence('autotranslate.replaced', { channel, before })}`;
  };

  it('is none where all is well', async () => {
    expect(await warnings('autotranslate reply', { languages: 'es' })).toEqual([]);
    expect(await warnings('autotranslate mirror', { channels: '<#1> en <#2> es' })).toEqual([]);
  });

  it('is set, with the languages named that no engine translates into', async () => {
    harness().script.untranslated = ['ja', 'ko'];
    expect(await warnings('autotranslate reply', { languages: 'es, ja, ko' })).toEqual([
      `⚠️ ${sentence('remedies.no-translation-into', { languages: 'Japanese, Korean' })}`,
    ]);
    expect(watchesOf(harness())).toMatchObject([{ languages: ['es', 'ja', 'ko'] }]);
  });

  it('is looked at in a group from each of its languages', async () => {
    const channels = '<#1> en <#2> es <#3> ja';
    harness().script.untranslated = ['en ja'];
    expect(await warnings('autotranslate mirror', { channels })).toEqual([]);
    harness().script.untranslated = ['en ja', 'es ja'];
    expect(await warnings('autotranslate mirror', { channels })).toMatchObject([
      `⚠️ ${sentence('remedies.no-translation-into', { languages: 'Japanese' })}`,
    ]);
  });

  it('is told where the channel is quiet, or the one that its thread belongs to', async () => {
    await harness().services.spaces.change(SPACE, { quietChannels: ['100', '2'] });
    expect(await warnings('autotranslate reply', { languages: 'es' })).toEqual([
      `⚠️ ${sentence('autotranslate.quiet', { channels: '<#100>', count: 1 })}`,
    ]);
    expect(await warnings('autotranslate mirror', { channels: '<#1> en <#2> es' })).toMatchObject([
      `⚠️ ${sentence('autotranslate.quiet', { channels: '<#2>', count: 1 })}`,
    ]);
  });

  it('is told where it takes the place of another', async () => {
    await harness().run('autotranslate reply', { languages: 'es, fr' });
    expect(await warnings('autotranslate reply', { languages: 'fr, es' })).toEqual([]);
    expect(await warnings('autotranslate reply', { languages: 'ja' })).toEqual([
      replaced('<#100>', 'reply', 'French, Spanish'),
    ]);
    expect(await warnings('autotranslate thread', { languages: 'ja' })).toEqual([
      replaced('<#100>', 'reply', 'Japanese'),
    ]);
  });

  it('is told where it takes a channel from its group, and ends that', async () => {
    const channels = '<#1> en <#2> es';
    await harness().run('autotranslate mirror', { channels });
    expect(await warnings('autotranslate mirror', { channels })).toEqual([]);
    expect(await warnings('autotranslate mirror', { channels: '<#2> es <#3> fr' })).toEqual([
      replaced('<#2>', 'mirror', 'Spanish · <#1>'),
      `⚠️ ${sentence('autotranslate.ended', { channel: '<#1>' })}`,
    ]);
    expect(watchesOf(harness()).map(({ id }) => id)).toEqual(['2', '3']);
  });
});
