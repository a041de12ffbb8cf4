import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { SPACE } from '../../fakes/channel-feed.ts';
import { GENERAL, withScene } from './support.ts';

const scene = withScene();

const partsOf = async (message: Message) =>
  (await scene.inbox.explain(message)).flatMap(({ parts }) => parts);

describe('an explanation of a flag that is not answered', () => {
  const flagged = async (emoji: string, message: Message) => {
    await scene.listener.reactionChanged(message.ref, emoji, true);
    await scene.idle();
    return (await partsOf(message)).filter((part) => part.emoji ?? part.flag);
  };

  it('says that it stands for no language, and nothing once it is removed', async () => {
    const message = await scene.say(GENERAL, 'hello');
    expect(await flagged('🇦🇶', message)).toEqual([
      { emoji: '🇦🇶', state: 'skipped', reason: { key: 'why.flag.no-language' } },
    ]);
    expect(await flagged('👍', message)).toHaveLength(1);
    await scene.listener.reactionChanged(message.ref, '🇦🇶', false);
    expect((await partsOf(message)).filter(({ emoji }) => emoji)).toEqual([]);
  });

  it('says that moderators turned flags off, or keep the channel quiet', async () => {
    const message = await scene.say(GENERAL, 'hello');
    await scene.spaces.change(SPACE, { quietChannels: [GENERAL.id] });
    expect(await flagged('🇯🇵', message)).toEqual([
      { flag: 'ja', state: 'skipped', reason: { key: 'why.skipped.quiet-channel' } },
    ]);
    await scene.spaces.change(SPACE, { flags: { on: false, languages: {} } });
    expect(await flagged('🇯🇵', message)).toEqual([
      { flag: 'ja', state: 'skipped', reason: { key: 'why.flag.off' } },
    ]);
  });

  it('says that the author opted out', async () => {
    const message = await scene.say(GENERAL, 'hello');
    await scene.privacy.setOptedOut({ platform: SPACE.platform, id: message.author.id }, true);
    expect(await flagged('🇯🇵', message)).toEqual([
      { flag: 'ja', state: 'skipped', reason: { key: 'why.skipped.opted-out' } },
    ]);
  });

  it('says that the translation is there already', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    const message = await scene.say(GENERAL, 'hello');
    await scene.idle();
    expect(await flagged('🇪🇸', message)).toEqual([
      { flag: 'es', state: 'skipped', reason: { key: 'why.flag.shown' } },
    ]);
  });

  it('is for who set it: what they set is known, and not that of others', async () => {
    const message = await scene.say(GENERAL, 'good morning everybody');
    await scene.listener.reactionChanged(message.ref, '🇬🇧', true, 'bob');
    await scene.listener.reactionChanged(message.ref, '🇦🇶', true, 'bob');
    await scene.listener.reactionChanged(message.ref, '👍', true, 'carol');
    await scene.idle();
    expect(scene.inbox.flagsOf(message.ref, 'bob')).toEqual(['en', '🇦🇶']);
    expect(scene.inbox.flagsOf(message.ref, 'carol')).toEqual([]);
  });
});
