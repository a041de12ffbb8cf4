import { describe, expect, it } from 'vitest';
import { labelled, SPACE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { choicesOf, useCommandHarness } from '../support.ts';

const harness = useCommandHarness();

describe('the page of limits in /settings', () => {
  it('sets limits and takes them away', async () => {
    await harness().run('settings');
    const reset = `<t:${Date.UTC(2026, 4, 21) / 1_000}:t>`;
    const { text } = await harness().press('settings.limits');
    expect(text).toContain(sentence('settings.limits-how', { reset }));
    await harness().press('settings.characters', ['50000']);
    const content = await harness().press('settings.minutes', ['60']);
    expect(await choicesOf(harness())).toMatchObject({
      dailyCharacters: 50_000,
      dailyAudioMinutes: 60,
    });
    const control = labelled(content, 'settings.characters');
    expect(control?.kind === 'choice' && control.choices.filter(({ chosen }) => chosen)).toEqual([
      { value: '50000', label: '50,000', chosen: true },
    ]);
    await harness().press('settings.characters', ['none']);
    expect((await choicesOf(harness())).dailyCharacters).toBeUndefined();
  });

  it('offers limits of chat tokens, too', async () => {
    await harness().run('settings');
    await harness().press('settings.limits');
    await harness().press('settings.tokens', ['50000']);
    expect(await choicesOf(harness())).toMatchObject({ dailyChatTokens: 50_000 });
    expect((await harness().press('settings.back')).text).toContain(
      sentence('settings.limits-are', {
        characters: sentence('settings.no-limit'),
        minutes: sentence('settings.no-limit'),
        tokens: '50,000',
      }),
    );
  });

  it('shows the operator’s limits, and offers only lower ones', async () => {
    Object.assign(harness().script.operator, {
      space: { characters: 60_000 },
      person: { audioMinutes: 5, chatTokens: 1_000 },
    });
    await harness().services.spaces.change(SPACE, { dailyCharacters: 100_000 });
    const front = await harness().run('settings');
    expect(front.text).toContain('60,000');
    const page = await harness().press('settings.limits');
    const amount = sentence('usage.characters', { count: 60_000 });
    expect(page.text).toContain(sentence('settings.limits-operator', { amounts: amount }));
    expect(page.text).toContain(sentence('usage.about-tokens'));
    const amounts = `${sentence('usage.minutes', { count: 5 })}, ${sentence('usage.tokens', { count: 1_000 })}`;
    expect(page.text).toContain(sentence('settings.limits-person', { amounts }));
    const control = labelled(page, 'settings.characters');
    expect(control?.kind === 'choice' && control.choices).toEqual([
      { value: 'none', label: sentence('settings.by-operator', { limit: '60,000' }), chosen: true },
      { value: '10000', label: '10,000', chosen: false },
      { value: '50000', label: '50,000', chosen: false },
    ]);
  });
});
