import { channel, person } from '../../../fakes/channel-feed.ts';
import { ENGLISH, WORKSPACE, type Scene } from '../support.ts';

/** Who answers. */
export const BY = { author: person('bob') };
export const MODERATOR = { name: 'Mod', locale: 'en' };
/** A channel of another platform. */
export const THERE = channel('there', undefined, WORKSPACE);

/** A message and an answer to it; resolves once both are copied. */
export const answered = async (scene: Scene) => {
  const { ref } = await scene.say(ENGLISH, 'secret');
  await scene.idle();
  const answer = await scene.say(ENGLISH, 'really', { ...BY, replyTo: ref });
  await scene.idle();
  return { ref, answer: answer.ref };
};
