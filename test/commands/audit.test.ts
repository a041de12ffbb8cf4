import { describe, expect, it } from 'vitest';
import { watchOf } from '../fakes/autotranslate.ts';
import { HERE, SPACE } from '../fakes/command-harness.ts';
import { sentence } from '../fakes/sentences.ts';
import { AUDITED } from '../../src/model/audit.ts';
import { actAs } from '../../src/store/actor.ts';
import { openWatchStore } from '../../src/store/channels/watches.ts';
import { realTexts } from '../fakes/texts.ts';
import { BOB, useCommandHarness } from './support.ts';

const harness = useCommandHarness();

describe('/audit', () => {
  it('says who changed what with a press, before and after', async () => {
    await harness().run('settings');
    await harness().press('settings.flags-off');
    const { text } = await harness().run('audit');
    expect(text).toContain('Ada');
    expect(text).toContain(sentence('audit.what.setting'));
    expect(text).toMatch(/flags: `.*"on":true.*` → `.*"on":false.*`/);
  });

  it('is for moderators, who read of channels that they see alone', async () => {
    const { store, script } = harness();
    const watches = await openWatchStore(store, () => 1);
    await actAs({ id: 'ada', name: 'Ada', space: SPACE }, () => watches.set([watchOf(HERE)]));
    expect((await harness().run('audit', {}, { member: BOB })).text).toContain(
      sentence('errors.needs-moderator'),
    );
    expect((await harness().run('audit')).text).toContain(HERE.id);
    script.access = { [HERE.id]: 'none' };
    const { text } = await harness().run('audit');
    expect(text).not.toContain(HERE.id);
    expect(text).toContain(sentence('channels.hidden', { count: 1 }));
    const { files } = await harness().press('audit.export');
    expect(Buffer.from(files?.[0]?.bytes ?? []).toString()).not.toContain(`,${HERE.id},`);
  });

  it('shows ten at once, and the older ones with a press', async () => {
    const { services } = harness();
    for (let limit = 1; limit <= 12; limit += 1)
      await services.spaces.change(SPACE, { dailyCharacters: limit });
    const lines = (text: string) => text.match(/dailyCharacters/g)?.length;
    expect(lines((await harness().run('audit')).text)).toBe(10);
    expect(lines((await harness().press('blocks.older')).text)).toBe(2);
  });

  it.each(AUDITED)('has a word for %s', (what) => {
    expect(realTexts.in('ja')(`audit.what.${what}`)).not.toBe(
      realTexts.in('en')(`audit.what.${what}`),
    );
  });
});
