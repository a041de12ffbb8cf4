import { describe, expect, it } from 'vitest';
import { SPACE } from '../../fakes/channel-feed.ts';
import { sentence } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';
import { memberElsewhere } from './support.ts';

const harness = useCommandHarness();

describe('/autotranslate list', () => {
  it('says where what is on, groups together', async () => {
    expect(await harness().run('autotranslate list')).toMatchObject({ tone: 'note' });
    await harness().run('autotranslate reply', { languages: 'es fr', bots: true });
    await harness().run('autotranslate mirror', {
      channels: '<#1> en <#2> es',
      'voice-messages': false,
    });
    const [replies, mirror] = [
      sentence('autotranslate.modes.reply'),
      sentence('autotranslate.modes.mirror'),
    ];
    const extras = [
      sentence('autotranslate.with-voice-messages'),
      sentence('autotranslate.with-bots'),
    ];
    expect((await harness().run('autotranslate list')).text.split('\n')).toEqual([
      sentence('autotranslate.heading', { count: 3, threads: 0 }),
      `- <#100> · ${replies} · Spanish, French · ${extras.join(' · ')}`,
      `- ${sentence('autotranslate.group', { count: 2, elsewhere: 0 })}`,
      `  - <#1> · ${mirror} · English`,
      `  - <#2> · ${mirror} · Spanish`,
    ]);
  });

  it('counts threads among its channels, and says how many they are', async () => {
    const watch = { mode: 'reply', languages: ['es'], transcribes: true, bots: false } as const;
    await harness().services.watches.set([
      { ...watch, channel: { space: SPACE, id: '6' } },
      { ...watch, channel: { space: SPACE, id: '7', parentId: '6' } },
    ]);
    expect((await harness().run('autotranslate list')).text).toContain(
      sentence('autotranslate.heading', { count: 2, threads: 1 }),
    );
  });

  it('says which of them are paused, and by whom, as the panel does', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    harness().script.members = [memberElsewhere({ held: 'here', isPaused: true, holds: true })];
    const states = [
      sentence('members.held'),
      sentence('members.paused'),
      ...[1, 2].map((id) => sentence('members.holds', { channel: `<#${id}>` })),
    ];
    const line = `- #there · ${states.join(' · ')}`;
    expect((await harness().run('autotranslate list')).text).toContain(line);
    expect((await harness().pressNamed('autotranslate page:1')).text).toContain(line);
  });

  it.each(['autotranslate list', 'autotranslate panel', 'settings'])(
    'says where the bot has no access, and what is paused or lost elsewhere: %s',
    async (command) => {
      await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
      harness().script.state = { isLost: true, isHeld: true, elsewhere: { lost: 2, paused: 1 } };
      const marks = [
        sentence('members.held'),
        sentence('autotranslate.is-lost'),
        sentence('autotranslate.elsewhere-paused', { count: 1 }),
        sentence('autotranslate.elsewhere-lost', { count: 2 }),
      ];
      const { text } = await harness().run(command);
      expect(text.split(marks.join(' · '))).toHaveLength(3);
    },
  );

  it('names the channels of other servers that a group is linked with, and where they are muted', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    harness().script.members = [
      memberElsewhere({ name: '#loud · tower.example (Slack)', isMuted: true }),
      memberElsewhere({ key: 'slack C9', name: '#there · tower.example (Slack)' }),
    ];
    const { text } = await harness().run('autotranslate list');
    expect(text).toContain(`- ${sentence('autotranslate.group', { count: 4, elsewhere: 2 })}\n`);
    const muted = [1, 2].map((id) => sentence('members.muted', { channel: `<#${id}>` }));
    expect(text.split('\n').slice(-2)).toEqual([
      `  - #loud · tower.example (Slack) · ${muted.join(' · ')}`,
      '  - #there · tower.example (Slack)',
    ]);
  });
});
