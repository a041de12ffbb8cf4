import type { Channel, MessageRef } from '../../../src/model/place.ts';
import { SPACE } from '../../fakes/channel-feed.ts';
import { ENGLISH, linked, SPANISH, withScene, WORKSPACE } from './support.ts';

export const HOUR_MS = 3_600_000;

/** A scene of each test, with what pauses and edits in it. */
export const withPauses = () => {
  const scene = withScene();

  const sayAfter = async (hours: number, to: Channel, text: string) => {
    const position = String(Date.now() + hours * HOUR_MS).padStart(20, '0');
    return scene.say(to, text, { position });
  };
  const after = (hours: number): void => void (scene.clock.aheadMs = hours * HOUR_MS);
  const pauseAfter = async (hours: number, of: Channel, isPausing: boolean): Promise<void> => {
    after(hours);
    await scene.watches.pause(of, isPausing);
    scene.clock.aheadMs += 1;
  };
  const edit = async (ref: MessageRef, text: string): Promise<void> => {
    await scene.listener.messageChanged(scene.feed.edit(ref, text));
    await scene.idle();
  };
  /** Lets a minute pass, in which the stored work of both platforms is looked for. */
  const later = async (): Promise<void> => {
    for (const { platform } of [SPACE, WORKSPACE]) scene.listener.connected(platform);
    await scene.later();
  };
  const spanish = (): string => scene.feed.texts(SPANISH).join('\n');
  const waiting = async () =>
    scene.store.selectFrom('inbox').selectAll().where('state', '=', 'waiting').execute();
  /** A message with copies, which is edited while a channel is paused. */
  const editedInPause = async (of: Channel): Promise<MessageRef> => {
    await scene.watches.set(linked());
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    await pauseAfter(1, of, true);
    await edit(ref, 'hello there');
    return ref;
  };

  return { scene, sayAfter, after, pauseAfter, edit, later, spanish, waiting, editedInPause };
};
