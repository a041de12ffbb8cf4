import { describe, expect, it } from 'vitest';
import { AppError, userError } from '../../../src/errors.ts';
import { HERE, labelled, SPACE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { BOB, useCommandHarness } from '../support.ts';
import { watchesOf } from './support.ts';
import { TWELVE_LANGUAGES, useWizard } from './wizard-support.ts';

const harness = useCommandHarness();
const { choose, make, unfinished, builder } = useWizard(harness);

describe('a set-up that cannot be made', () => {
  it('is refused before anything is made', async () => {
    builder().refusal = new AppError('bad-input', 'no room');
    await choose(['es']);
    const content = await make();
    expect(labelled(content, 'autotranslate.wizard-make')).toBeDefined();
    expect(builder().built).toEqual([]);
    expect(await unfinished()).toEqual([]);
  });

  it.each(['refusal', 'personLacks'] as const)(
    'says at its start that nothing can be made, and does not offer it: %s',
    async (name) => {
      builder()[name] = userError('forbidden', 'slack.may-not-make', { permissions: 'a:scope' });
      const refused = sentence('slack.may-not-make', { permissions: 'a:scope' });
      const first = await harness().run('autotranslate wizard');
      expect(first.text.split(refused.slice(0, 40))).toHaveLength(2);
      const chosen = await choose(['es']);
      expect(chosen.text.split(refused.slice(0, 40))).toHaveLength(2);
      expect(labelled(chosen, 'autotranslate.wizard-make')).toBeUndefined();
      builder()[name] = undefined;
      expect(labelled(await choose(['es']), 'autotranslate.wizard-make')).toBeDefined();
    },
  );

  it('names the language of the channels, whose menu shows no label', async () => {
    const { text } = await harness().run('autotranslate wizard');
    expect(text).toContain(`${sentence('autotranslate.wizard-from')} · English`);
  });

  it('takes 25 of 60 channels, and 20 of 28 languages', async () => {
    const many = Array.from({ length: 60 }, (_, place) => String(1_000 + place));
    await choose(TWELVE_LANGUAGES, ['100']);
    const sources = labelled(harness().shown.at(-1), 'autotranslate.wizard-channels');
    const refused = await harness().pressNamed(sources?.press ?? '', {}, many);
    expect(refused.text).toContain(sentence('autotranslate.wizard-many', { most: 25 }));
    await harness().pressNamed(sources?.press ?? '', {}, many.slice(0, 25));
    const more = [
      ...TWELVE_LANGUAGES,
      ...'tr,ar,hi,id,vi,th,uk,cs,fi,el,he,da,lt,ro,hu,bg'.split(','),
    ];
    const { press } = labelled(harness().shown.at(-1), 'autotranslate.wizard-languages') ?? {};
    const { text } = await harness().pressNamed(press ?? '', {}, more);
    expect(text).toContain(sentence('autotranslate.how-many-languages', { most: 20 }));
    await make();
    expect(builder().needs?.sources).toHaveLength(25);
    expect(builder().needs?.sources.every(({ count }) => count === 12)).toBe(true);
  });

  it('is refused where a channel lacks permissions, and where one is hidden from the person', async () => {
    harness().script.missing = { 2: ['Manage Webhooks'] };
    await choose(['es'], ['100', '2']);
    expect((await make()).text.split('Manage Webhooks')).toHaveLength(2);
    harness().script.missing = {};
    harness().script.access = { 2: 'none' };
    expect((await make()).text).toContain(sentence('errors.channel-unseen', { channel: '<#2>' }));
    expect(builder().built).toEqual([]);
  });

  it('is made once where two moderators press at once', async () => {
    await choose(['es', 'ja']);
    const { press = '' } = labelled(harness().shown.at(-1), 'autotranslate.wizard-make') ?? {};
    await Promise.all([1, 2].map(() => harness().pressNamed(press)));
    expect(builder().built).toHaveLength(2);
    expect(watchesOf(harness())).toHaveLength(3);
  });

  it('is not changed once it is being made', async () => {
    await choose(['es', 'ja']);
    builder().faults.set(2, new AppError('forbidden', 'refused'));
    const { press = '' } = labelled(harness().shown.at(-1), 'autotranslate.wizard-languages') ?? {};
    await make();
    const { text } = await harness().pressNamed(press, {}, ['fr']);
    expect(text).toContain(sentence('autotranslate.wizard-changed'));
    expect((await unfinished())[0]?.choices.languages).toEqual(['es', 'ja']);
  });

  it.each([
    ['sources', '300'],
    ['into', 'ja'],
    ['spoken', 'ja'],
    ['form', 'threads'],
    ['make', ''],
    ['undo', ''],
    ['setup', ''],
  ])('is no other than its own of a forged press: %s', async (word, value) => {
    await choose(['es']);
    const { press = '' } = labelled(harness().shown.at(-1), 'autotranslate.wizard-make') ?? {};
    const id = press.split(':')[1];
    const other = await harness().pressNamed(`autotranslate ${word}:nothing`, {}, [value]);
    expect(other.text).toContain(sentence('autotranslate.wizard-over'));
    const elsewhere = { channel: { ...HERE, space: { platform: 'test', id: 'other' } } };
    await harness().pressNamed(`autotranslate ${word}:${id}`, elsewhere, [value]);
    const asMember = await harness().pressNamed(`autotranslate ${word}:${id}`, { member: BOB });
    expect(asMember.text).toContain(sentence('errors.needs-moderator', { platform: 'test' }));
    const { choices } = await harness().services.setups.find(SPACE, id ?? '');
    expect(choices).toMatchObject({ channels: ['100'], languages: ['es'], from: 'en' });
    expect(builder().built).toEqual([]);
  });
});
