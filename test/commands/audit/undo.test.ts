import { describe, expect, it } from 'vitest';
import { HERE, SPACE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { BOB, useCommandHarness } from '../support.ts';

const harness = useCommandHarness();

describe('/audit beside what was turned off some minutes ago', () => {
  const undos = async (asking = {}) =>
    ((await harness().run('audit', {}, asking)).controls ?? []).filter(({ press }) =>
      press.startsWith('autotranslate restore:'),
    );
  const off = async (): Promise<void> => {
    await harness().run('autotranslate reply', { languages: 'es' });
    await harness().run('autotranslate off');
  };
  const all = () => harness().services.watches.list(SPACE);

  const labelOf = (done: string): string => `${sentence('autotranslate.wizard-undo')}: ${done}`;

  it('has an Undo that says what it undoes, is used once, and leads back', async () => {
    await off();
    const [undo, ...others] = await undos();
    expect(others).toEqual([]);
    expect(undo?.label).toBe(
      labelOf(sentence('audit.said.off', { who: 'nobody', channel: `#name of ${HERE.id}` })),
    );
    const { text } = await harness().pressNamed(undo?.press ?? '');
    expect(text).toContain(sentence('autotranslate.restored'));
    expect(all()).toHaveLength(1);
    const { press: back = '' } = (await harness().press('settings.back')).controls?.at(-1) ?? {};
    expect(back).toMatch(/^audit export/);
    await harness().run('autotranslate off');
    const over = await harness().pressNamed(undo?.press ?? '');
    expect(over.text).toBe(sentence('autotranslate.undone-already'));
    expect(all()).toEqual([]);
  });

  it('has none once it is over, or something else is set; what has one is said', async () => {
    await off();
    expect((await harness().run('audit')).text.split('\n').at(-1)).toBe(
      sentence('audit.undos', { undo: sentence('autotranslate.wizard-undo'), minutes: 10 }),
    );
    await harness().run('autotranslate reply', { languages: 'ja' });
    expect(await undos()).toEqual([]);
    await harness().run('autotranslate off');
    expect(await undos()).toHaveLength(1);
    harness().script.passedMs = 11 * 60_000;
    expect(await undos()).toEqual([]);
  });

  it('has none for who may not press it, whose forged press changes nothing', async () => {
    await off();
    const [{ press } = { press: '' }] = await undos();
    harness().script.access = { [HERE.id]: 'see' };
    expect(await undos()).toEqual([]);
    await harness().pressNamed(press);
    harness().script.access = {};
    await harness().pressNamed(press, { member: BOB });
    await harness().pressNamed(press, {
      channel: { ...HERE, space: { platform: 'other', id: 'mar-azul' } },
    });
    for (const forged of ['/audit', 'x/audit', `${press.split(':')[1]?.slice(1)}`])
      await harness().pressNamed(`autotranslate restore:${forged}`);
    expect(all()).toEqual([]);
    expect(await undos()).toHaveLength(1);
  });

  it('tells the end of rules apart from that of translation', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    await harness().run('autotranslate rules', { about: 'words', values: 'gg' });
    await harness().pressNamed(`autotranslate ruleend:${HERE.id}`);
    const params = { who: 'nobody', channel: `#name of ${HERE.id}` };
    const labels = (await undos()).map(({ label }) => label);
    expect(labels).toEqual([labelOf(sentence('audit.said.changed', params))]);
  });

  it('has those of the newest alone', async () => {
    for (const id of ['1', '2', '3', '4', '5', '6']) {
      await harness().run('autotranslate reply', { languages: 'es', channel: id });
      await harness().run('autotranslate off', { channel: id });
    }
    const labels = (await undos()).map(({ label }) => /of (\d)/.exec(label)?.[1]);
    expect(labels).toEqual(['6', '5', '4', '3', '2']);
  });
});
