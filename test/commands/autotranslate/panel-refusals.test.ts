import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { HERE, labelled } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { BOB, useCommandHarness } from '../support.ts';
import { watchesOf } from './support.ts';
import { MANY_LANGUAGES, usePanel } from './panel-support.ts';

const harness = useCommandHarness();
const { openChannel, watch } = usePanel(harness);

describe('a press of the panel that cannot be done', () => {
  it('says what is missing, and the page stays', async () => {
    await openChannel('100');
    harness().script.refusal = new AppError('forbidden', 'missing', {
      sentence: { key: 'watch.missing', params: { permissions: { list: ['View Channel'] } } },
    });
    const content = await harness().press('autotranslate.panel-languages', ['es']);
    expect(content.text).toContain('View Channel');
    expect(labelled(content, 'autotranslate.panel-languages')).toBeDefined();
    expect(watchesOf(harness())).toEqual([]);
  });

  it('is told where another moderator has changed the channel meanwhile', async () => {
    await harness().run('autotranslate reply', { languages: 'es', channel: '1' });
    await openChannel('1');
    const panel = harness().shown.at(-1);
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    const { press = '' } = labelled(panel, 'autotranslate.panel-mode') ?? {};
    const content = await harness().pressNamed(press, {}, ['thread']);
    expect(content.text).toContain(sentence('autotranslate.panel-changed', { channel: '<#1>' }));
    expect(content.text).toContain('<#2>');
    expect(watch('1')).toMatchObject({ mode: 'mirror', languages: ['en'] });
  });

  it('ends nothing twice', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    await harness().pressNamed('autotranslate off:100');
    expect((await harness().pressNamed('autotranslate off:100')).text).toContain(
      sentence('autotranslate.not-on', { channel: '<#100>' }),
    );
  });

  const FORGED = [
    ['languages:100', ['ja']],
    ['mode:100', ['thread']],
    ['pause:100', []],
    ['off:100', []],
    ['linkas:100/en/2', ['ja']],
    ['linksure:100/en/2/ja', []],
  ] as const;

  it.each(FORGED)('has no effect where somebody forges it: %s', async (press, values) => {
    await harness().run('autotranslate reply', { languages: 'es' });
    const before = watch('100');
    const asMember = { member: { ...BOB } };
    const { text } = await harness().pressNamed(`autotranslate ${press}`, asMember, values);
    expect(text).toContain(sentence('errors.needs-moderator', { platform: 'test' }));
    harness().script.access = { 100: press.startsWith('off') ? 'none' : 'see' };
    await harness().pressNamed(`autotranslate ${press}`, {}, values);
    harness().script.access = { 100: 'none' };
    const hidden = await harness().pressNamed(`autotranslate ${press}`, {}, values);
    expect(hidden.tone === 'error' || hidden.text.includes('⚠️')).toBe(true);
    expect(watch('100')).toEqual(before);
  });

  it.each([
    ['languages:100', ['klingon']],
    ['languages:100', [...MANY_LANGUAGES, 'tr']],
    ['languages:100', []],
    ['language:100', ['ja']],
    ['mode:100', ['mirror']],
    ['linkas:100//2', ['ja']],
    ['linkfrom:100', ['<#1>']],
  ])('has no effect where it carries what is none of its choices: %s %s', async (press, values) => {
    await harness().run('autotranslate reply', { languages: 'es' });
    const before = watchesOf(harness());
    await harness().pressNamed(`autotranslate ${press}`, { channel: HERE }, values);
    expect(watchesOf(harness())).toEqual(before);
  });
});
