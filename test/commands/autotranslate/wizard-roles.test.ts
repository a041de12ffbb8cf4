import { describe, expect, it } from 'vitest';
import { sentence } from '../../fakes/sentences.ts';
import { BOB, useCommandHarness } from '../support.ts';
import { useWizard } from './wizard-support.ts';

const harness = useCommandHarness();
const { choose, make, builder } = useWizard(harness);

describe('roles of the wizard', () => {
  const withRoles = async (form = 'channels-roles') => {
    await choose(['es', 'ja']);
    await harness().press('autotranslate.wizard-form', [form]);
    return make();
  };

  it('are made for each language, that of the channel too, and members take them by buttons', async () => {
    await withRoles();
    const roles = builder().built.filter(({ kind }) => kind === 'role');
    expect(roles.map(({ name }) => name)).toEqual(['English', 'español', '日本語']);
    await harness().press('autotranslate.wizard-where', ['200']);
    const [posted] = harness().script.posted;
    expect(posted?.in).toBe('200');
    expect(posted?.controls?.map(({ label }) => label)).toEqual([
      '🇬🇧 English',
      '🇪🇸 español',
      '🇯🇵 日本語',
    ]);
    const press = posted?.controls?.[1]?.press ?? '';
    const { text } = await harness().pressNamed(press, { member: BOB });
    expect(text).toContain(sentence('autotranslate.role-given', { language: 'Spanish' }));
    expect(builder().given).toEqual([`+${roles[1]?.id} ${BOB.id}`]);
    const bob = { platform: 'test', id: BOB.id ?? '' };
    expect((await harness().services.settings.of(bob)).language).toBe('es');
    await harness().pressNamed(press, { member: { ...BOB, roles: [roles[1]?.id ?? ''] } });
    expect(builder().given.at(-1)).toBe(`-${roles[1]?.id} ${BOB.id}`);
  });

  it('are used again by the next set-up', async () => {
    await withRoles();
    await choose(['es'], ['300']);
    await harness().press('autotranslate.wizard-form', ['channels-hidden']);
    await make();
    expect(builder().built.filter(({ kind }) => kind === 'role')).toHaveLength(3);
    expect(builder().built.at(-1)).toMatchObject({ source: '300', seenBy: '9002' });
  });

  it('see a channel alone only where that is chosen', async () => {
    await withRoles();
    expect(builder().built.some((thing) => 'seenBy' in thing)).toBe(false);
    await choose(['fr'], ['300']);
    await harness().press('autotranslate.wizard-form', ['channels-hidden']);
    await make();
    expect(builder().built.at(-1)).toMatchObject({ kind: 'channel', seenBy: '9006' });
  });

  it.each(['xx', 'fr', 'es', ''])('are not given by a forged press: %s', async (language) => {
    await withRoles();
    builder().unsafe.add('9002');
    const { tone } = await harness().pressNamed(`autotranslate role:${language}`, { member: BOB });
    expect(tone).toBe('error');
    expect(builder().given).toEqual([]);
  });
});
