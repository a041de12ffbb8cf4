import { describe, expect, it } from 'vitest';
import { sentence } from '../../fakes/sentences.ts';
import { choicesOf, useCommandHarness } from '../support.ts';

const harness = useCommandHarness();

describe('the page of links in /settings', () => {
  it('switches copied reactions off and on', async () => {
    await harness().run('settings');
    await harness().press('settings.links');
    const off = await harness().press('settings.reactions-off');
    expect(off.text).toContain(sentence('settings.reactions-are-off'));
    expect((await choicesOf(harness())).reactions).toBe(false);
    const on = await harness().press('settings.reactions-on');
    expect(on.text).toContain(sentence('settings.reactions-are-on'));
  });

  it('has a policy for links with others, and says when names carry that of a server', async () => {
    await harness().run('settings');
    await harness().press('settings.links');
    await harness().press('settings.servers', ['change']);
    await harness().press('settings.private-off');
    await harness().press('settings.linkable', ['100']);
    const { text } = await harness().press('settings.approved', ['T0ABC, 123 T0ABC']);
    expect(text).toContain('`T0ABC`, `123`');
    expect(await choicesOf(harness())).toMatchObject({
      serverNames: 'change',
      links: {
        outside: 'approved',
        approved: ['T0ABC', '123'],
        privateChannels: false,
        channels: ['100'],
      },
    });
    // An older form does not open what somebody has closed since.
    await harness().press('settings.outside', ['nobody']);
    await harness().press('settings.approved', ['T0TOWER, 123']);
    expect((await choicesOf(harness())).links?.outside).toBe('nobody');
    await harness().press('settings.outside', ['approved']);
    expect((await harness().press('settings.approved', ['T0TOWER, 123'])).text).toContain(
      sentence('settings.approved-are', { ids: 'tower.example (Slack) `T0TOWER`, `123`' }),
    );
    expect((await harness().press('settings.approved', ['<b>'])).text).toContain(
      sentence('settings.approved-wrong', { most: 50 }),
    );
  });
});
