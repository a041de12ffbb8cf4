import { keyOf, type Channel } from '../../../../src/model/place.ts';
import type { ChannelWatch } from '../../../../src/model/space.ts';
import type { LinkConditions } from '../../../../src/model/watches.ts';
import { channel } from '../../../fakes/channel-feed.ts';
import { WORKSPACE, type Scene } from '../support.ts';

/** A channel of another platform. */
export const THERE = channel('42', undefined, WORKSPACE);
export const ADA = { id: 'ada', name: 'Ada' };
export const admitAll: LinkConditions = {
  admit: async () => undefined,
  mayMixAges: false,
  by: ADA,
};
export const mirror = (of: Channel, language: string): ChannelWatch => ({
  channel: of,
  mode: 'mirror',
  languages: [language],
  transcribes: true,
  bots: false,
});
/** Links as both sides agree. */
export const linkIn = async (
  { watches }: Pick<Scene, 'watches'>,
  code: string,
  watch: ChannelWatch,
  conditions: LinkConditions,
): Promise<void> => {
  const { id, watches: group } = await watches.propose(code, watch, conditions);
  const asked = await watches.ask(id, watch.channel.space, conditions.admit);
  const [other] = group.filter(
    ({ channel: { space } }) => keyOf(space) !== keyOf(watch.channel.space),
  );
  if (asked === 'asked' && other)
    await watches.answer(id, other.channel.space, true, conditions.admit);
};
