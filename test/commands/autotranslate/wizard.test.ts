import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { labelled, SPACE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';
import { placeOfSetup, watchesOf } from './support.ts';
import { TWELVE_LANGUAGES, useWizard } from './wizard-support.ts';

const harness = useCommandHarness();
const { open, choose, make, lines, unfinished, builder } = useWizard(harness);
const groups = () =>
  new Set(
    harness()
      .services.watches.list(SPACE)
      .map(({ group }) => group),
  ).size;

describe('the wizard of /autotranslate', () => {
  it('makes and links a channel for each of three languages with three presses', async () => {
    await open();
    await harness().press('autotranslate.wizard-languages', ['es', 'ja', 'fr']);
    const { text } = await make();
    expect(text).toContain(sentence('autotranslate.wizard-done', { kind: 'channel' }));
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
    await choose(TWELVE_LANGUAGES, ['1', '2', '3', '4']);
    await make();
    expect(builder().built).toHaveLength(48);
    expect(harness().services.watches.list(SPACE)).toHaveLength(52);
    expect(groups()).toBe(4);
  });

  it('adds only what a group has not, and the group stays one', async () => {
    await harness().run('autotranslate mirror', { channels: '<#100> en <#2> es' });
    await choose(['es', 'ja']);
    const { text } = await make();
    const kept = sentence('autotranslate.wizard-kept', { count: 1 });
    expect(text).toContain(`- <#100> · Japanese · ${kept}`);
    expect(lines()).toEqual(['100 mirror en', '2 mirror es', '9001 mirror ja']);
    expect(groups()).toBe(1);
  });

  it('makes threads in the channel, where these are chosen', async () => {
    await choose(['es']);
    const { text } = await harness().press('autotranslate.wizard-form', ['threads']);
    expect(text).toContain(sentence('autotranslate.wizard-how', { kind: 'thread' }));
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
    const { controls = [] } = await choose(TWELVE_LANGUAGES);
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
