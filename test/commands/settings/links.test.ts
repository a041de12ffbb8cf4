import { describe, expect, it } from 'vitest';
import { SPACE } from '../../fakes/command-harness.ts';
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

  it('says the ID by which others approve this one', async () => {
    await harness().run('settings');
    const { text } = await harness().press('settings.links');
    expect(text).toContain(sentence('settings.links-id', { id: `\`${SPACE.id}\`` }));
  });

  it('approves whom the moderators’ channel was told of, and nobody where links are off', async () => {
    const approve = async () => (await harness().pressNamed('settings approve:T0TOWER')).text;
    await harness().run('settings');
    await harness().press('settings.links');
    await harness().press('settings.approved', ['123']);
    expect(await approve()).toBe(
      sentence('settings.approved-are', { ids: 'tower.example (Slack) `T0TOWER`' }),
    );
    await approve();
    expect((await choicesOf(harness())).links?.approved).toEqual(['123', 'T0TOWER']);
    await harness().run('settings');
    await harness().press('settings.links');
    await harness().press('settings.outside', ['nobody']);
    expect(await approve()).toContain(sentence('links.not-allowed').replaceAll('_', '*'));
  });
});
