import type { MessageRef, Channel } from '../../../../src/model/place.ts';
import { ENGLISH, linked, withScene } from '../support.ts';

export const THUMB = '👍';

/** Linked channels, and what people do and see there. */
export const withReactions = () => {
  const scene = withScene(linked());

  const said = async (): Promise<MessageRef> => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    return ref;
  };
  const copyIn = (of: Channel): MessageRef => scene.feed.messages(of)[0]!.ref;
  const press = async (
    ref: MessageRef,
    people: number | readonly string[],
    emoji = THUMB,
  ): Promise<void> => {
    scene.feed.react(ref, emoji, people);
    // The next look at the same emoji comes a second later.
    scene.clock.aheadMs += 1_000;
    await scene.listener.reactionChanged(ref, emoji, people !== 0);
    await scene.idle();
  };
  const shown = (...refs: readonly MessageRef[]): string[] =>
    refs.map((ref) => scene.feed.reacted(ref).join(''));
  const countOf = (call: string): number => scene.feed.calls.filter((each) => each === call).length;
  const elsewhere = async (ref: MessageRef) => {
    const [told] = await scene.inbox.explain({ ref, position: '0' });
    return told?.elsewhere?.map(({ emoji, people }) => `${emoji} ${people}`);
  };

  return { scene, said, copyIn, press, shown, countOf, elsewhere };
};
