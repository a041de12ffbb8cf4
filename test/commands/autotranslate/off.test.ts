import { describe, expect, it } from 'vitest';
import { HERE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';
import { watchesOf } from './support.ts';

const harness = useCommandHarness();

describe('/autotranslate off', () => {
  it('ends the watch of a channel, and says so where there was none', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    expect((await harness().run('autotranslate off')).text).toContain('<#100>');
    expect(watchesOf(harness())).toEqual([]);
    expect(await harness().run('autotranslate off')).toMatchObject({ tone: 'note' });
  });

  it('ends a group of which one channel would be left', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es <#3> fr' });
    await harness().run('autotranslate off', { channel: '1' });
    expect(watchesOf(harness())).toHaveLength(2);
    const { text } = await harness().run('autotranslate off', { channel: '2' });
    expect(text).toContain(sentence('autotranslate.off-too', { channel: '<#3>' }));
    expect(watchesOf(harness())).toEqual([]);
  });

  it('ends the watch of a thread’s channel, or of a thread that is a mirror itself', async () => {
    const channel = { ...HERE, id: '101', parentId: '100' };
    await harness().run('autotranslate reply', { languages: 'es' });
    await harness().run('autotranslate mirror', { channels: '<#101> en <#102> es <#103> fr' });
    await harness().run('autotranslate off', {}, { channel });
    expect(watchesOf(harness()).map(({ id }) => id)).toEqual(['100', '102', '103']);
    await harness().run('autotranslate off', {}, { channel });
    expect(watchesOf(harness()).map(({ id }) => id)).toEqual(['102', '103']);
  });
});
