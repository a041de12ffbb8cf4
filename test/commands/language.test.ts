import { expect, it } from 'vitest';
import { labelled } from '../fakes/command-harness.ts';
import { sentence } from '../fakes/sentences.ts';
import { BOB, useCommandHarness } from './support.ts';

const harness = useCommandHarness();

it.each([
  ['language', 'language.button', BOB],
  ['settings', 'rules.panel-reading', {}],
] as const)('/%s finds a language that its menu does not list', async (command, menu, member) => {
  const asking = { member };
  let content = await harness().run(command, {}, asking);
  if (command === 'settings') content = await harness().press(menu, [], asking);
  const listed = (): readonly string[] => {
    const control = labelled(content, menu);
    return control?.kind === 'choice' ? control.choices.map(({ value }) => value) : [];
  };
  expect(listed()).not.toContain('sw');
  content = await harness().press('autotranslate.panel-find', ['swahili'], asking);
  expect(listed()).toContain('sw');
  content = await harness().press(menu, ['sw'], asking);
  expect(listed()).toContain('sw');
  const none = await harness().pressNamed(
    `${command} ${command === 'language' ? 'find' : 'findreading'}`,
    asking,
    ['Klingonese'],
  );
  expect(none.text).toContain(sentence('errors.unknown-language', { language: '`Klingonese`' }));
});
