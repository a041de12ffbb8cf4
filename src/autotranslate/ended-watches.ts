import { randomUUID } from 'node:crypto';
import { createLru } from '../async/lru.ts';
import { MINUTE_MS } from '../async/clock.ts';
import { userError } from '../errors.ts';
import { keyOf, type Space } from '../model/place.ts';
import { actAsUndo } from '../store/actor.ts';
import { MOST_CHANNELS, type ChannelWatch, type Changer } from '../model/space.ts';
import type { Watches } from '../model/watches.ts';

/** Time for which what was turned off can be set back as it was. */
const KEPT_MS = 10 * MINUTE_MS;
/** Most ends that a process remembers. */
const MOST_ENDS = 1_000;

export interface EndedWatchesDeps {
  readonly watches: Pick<Watches, 'list' | 'elsewhere' | 'mixesAges' | 'set'>;
  readonly now: () => number;
}

interface Ended {
  readonly space: Space;
  readonly watches: readonly ChannelWatch[];
  /** True where they, and those that they were linked with, were of mixed ages, which somebody had agreed to. */
  readonly mixesAges: boolean;
  readonly atMs: number;
}

export type EndedWatches = ReturnType<typeof createEndedWatches>;

/** Remembers for some minutes, in this process alone, what was set for channels before auto-translate was turned off. */
export const createEndedWatches = ({ watches, now }: EndedWatchesDeps) => {
  const ends = createLru<string, Ended>(MOST_ENDS);

  /** The channels of a space that are set now, and those that the ended ones would be linked with. */
  const around = (space: Space, ended: readonly ChannelWatch[]) => {
    const all = watches.list(space);
    const group = ended[0]?.group;
    return { all, others: all.filter((each) => group !== undefined && each.group === group) };
  };

  return {
    /**
     * Notes watches that are about to end together; resolves with what names the end. Undefined where a channel is linked
     * with other spaces: those agree to a link anew.
     */
    note: async (space: Space, ending: readonly ChannelWatch[]): Promise<string | undefined> => {
      if (ending.some((watch) => watches.elsewhere(watch) > 0)) return undefined;
      const id = randomUUID();
      const mixesAges = await watches.mixesAges([...ending, ...around(space, ending).others]);
      ends.set(id, { space, watches: ending, mixesAges, atMs: now() });
      return id;
    },
    /**
     * Sets back what ended, once; resolves with it. Rejects with `not-found` where that is too long ago or something else
     * is set meanwhile, and as `Watches.set` does.
     *
     * @param admit rejects where the person may not decide about one of the channels
     */
    restore: async (
      space: Space,
      id: string,
      by: Changer,
      admit: (ended: readonly ChannelWatch[]) => Promise<void>,
    ): Promise<readonly ChannelWatch[]> => {
      const ended = ends.get(id);
      const over = userError('not-found', 'autotranslate.undo-over');
      if (!ended || keyOf(ended.space) !== keyOf(space) || now() - ended.atMs > KEPT_MS) throw over;
      const { all, others } = around(space, ended.watches);
      const isSet = ended.watches.some((old) =>
        all.some(({ channel }) => channel.id === old.channel.id),
      );
      const group = ended.watches[0]?.group;
      const size = others.length + ended.watches.length;
      const isWhole = group === undefined || (size > 1 && size <= MOST_CHANNELS);
      if (isSet || !isWhole || others.some((each) => watches.elsewhere(each) > 0)) throw over;
      await admit([...ended.watches, ...others]);
      const { mixesAges: mayMixAges } = ended;
      if (!mayMixAges && (await watches.mixesAges([...ended.watches, ...others]))) throw over;
      await actAsUndo(() => watches.set(ended.watches, { by, mayMixAges }));
      ends.delete(id);
      return ended.watches;
    },
  };
};
