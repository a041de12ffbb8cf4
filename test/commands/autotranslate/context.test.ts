import { describe, expect, it } from 'vitest';
import { SPACE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { BOB, useCommandHarness } from '../support.ts';
import { memberElsewhere, watchesOf } from './support.ts';

const harness = useCommandHarness();

describe('a setting that does not do what people expect', () => {
  const warnings = async (command: string, options: Record<string, unknown>) =>
    (await harness().run(command, options)).text
      .split('\n')
      .filter((line) => line.startsWith('⚠️'));

  const replaced = (channel: string, rest: string) => {
    const before = `${sentence('autotranslate.modes.reply')} · ${rest}`;
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
      replaced('<#100>', 'French, Spanish'),
    ]);
    expect(await warnings('autotranslate thread', { languages: 'ja' })).toEqual([
      replaced('<#100>', 'Japanese'),
    ]);
  });

  const ends = (channel: string, channels: string, elsewhere = 0) =>
    [
      sentence('autotranslate.parts', {
        channel,
        channels,
        others: channels.split(', ').length,
        elsewhere,
      }),
      sentence('autotranslate.parts-first'),
    ].join('\n');

  it.each([
    ['autotranslate reply', { languages: 'fr', channel: '2' }],
    ['autotranslate thread', { languages: 'fr', channel: '2' }],
    ['autotranslate request', { channel: '2' }],
    ['autotranslate mirror', { channels: '<#2> es <#3> fr' }],
  ])('is set by %s once the link that it would end is turned off', async (command, options) => {
    const channels = '<#1> en <#2> es <#9> ja';
    await harness().run('autotranslate mirror', { channels });
    expect(await warnings('autotranslate mirror', { channels })).toEqual([]);
    const before = watchesOf(harness());
    const asked = await harness().run(command, options);
    expect(asked.text).toBe(ends('<#2>', '<#1>, <#9>'));
    expect(watchesOf(harness())).toEqual(before);
    await harness().press('autotranslate.off-one', [], { member: BOB });
    expect(watchesOf(harness())).toEqual(before);
    await harness().run(command, options);
    const { text } = await harness().press('autotranslate.off-one');
    expect(text).toContain(sentence('autotranslate.off-left', { channels: '<#1>, <#9>' }));
    await harness().run(command, options);
    expect(watchesOf(harness()).map(({ id }) => id)).toContain('2');
  });

  it('ends no link with another server before that is pressed, also where the group stays', async () => {
    const channels = '<#1> en <#2> es';
    await harness().run('autotranslate mirror', { channels });
    const before = watchesOf(harness());
    harness().script.members = [memberElsewhere()];
    const { text } = await harness().run('autotranslate mirror', { channels });
    expect(text).toBe(ends('<#1>', '<#2>, #there', 1));
    expect(watchesOf(harness())).toEqual(before);
  });
});
