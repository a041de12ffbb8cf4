import type { LinkConditions, Watches } from '../../../../src/model/watches.ts';
import { SPACE } from '../../../fakes/channel-feed.ts';
import { ENGLISH, withScene, WORKSPACE } from '../support.ts';
import { mirror, THERE } from './support.ts';

export const admit = async (): Promise<void> => undefined;
/** Of somebody who may link. */
export const conditions: LinkConditions = {
  admit,
  mayMixAges: false,
  by: { id: 'bob', name: 'Bob' },
};
/** The refusal of what can be answered no longer. */
export const isOver = { sentence: { key: 'autotranslate.link-over' } };
/** Makes a code; resolves with it. */
export const inviteTo = async (watches: Watches): Promise<string> => {
  const { code } = await watches.invite(mirror(ENGLISH, 'en'), false, { id: 'ann', name: 'Ann' });
  return code;
};
/** Makes a code, and uses it on the other side. */
export const propose = async (watches: Watches) =>
  watches.propose(await inviteTo(watches), mirror(THERE, 'es'), conditions);

/** A scene, and what is linked and asked in it. */
export const withRequests = () => {
  const scene = withScene();
  const linked = (): number =>
    scene.watches.list(SPACE).length + scene.watches.list(WORKSPACE).length;
  /** Asks the side that made the code; resolves with the id of the question. */
  const ask = async (): Promise<string> => {
    const { id } = await propose(scene.watches);
    await scene.watches.ask(id, WORKSPACE, admit);
    return id;
  };

  return { scene, linked, ask };
};
