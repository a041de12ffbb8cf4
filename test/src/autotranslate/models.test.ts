import { describe, expect, it } from 'vitest';
import { channel } from '../../fakes/channel-feed.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { ENGLISH, GENERAL, JAPANESE, linked, SPANISH, withScene } from './support.ts';

describe('the models that translated', () => {
  const languages = ['es', 'ja'];
  const scene = withScene([...linked(), watchOf(GENERAL, { languages })]);
  const modelsOfLast = async (place: typeof GENERAL): Promise<readonly string[]> =>
    scene.modelsOf(scene.feed.messages(place).at(-1)!.ref);

  it('are known of each copy and reply, after a restart as well', async () => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    await scene.restart();
    expect(await modelsOfLast(SPANISH)).toEqual(['large-es']);
    expect(await modelsOfLast(JAPANESE)).toEqual(['large-ja']);
    expect(await modelsOfLast(GENERAL)).toEqual(['large-es+large-ja']);
    expect(await scene.modelsOf(ref)).toEqual([]);
    expect(await scene.modelsOf({ channel: channel('other'), id: ref.id })).toEqual([]);
  });

  it('are those of what a message was changed to', async () => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    await scene.listener.messageChanged(scene.feed.edit(ref, 'Taxi'));
    await scene.idle();
    expect(await modelsOfLast(SPANISH)).toEqual([]);
    await scene.listener.messageChanged(scene.feed.edit(ref, 'hello again'));
    await scene.idle();
    expect(await modelsOfLast(SPANISH)).toEqual(['large-es']);
  });
});
