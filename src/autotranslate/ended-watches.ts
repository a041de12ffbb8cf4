import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { MINUTE_MS } from '../async/clock.ts';
import { userError } from '../errors.ts';
import { channelMention, isSameChannel, keyOf, type Channel, type Space } from '../model/place.ts';
import { saysNothing, type WatchRules } from '../model/rules.ts';
import { actFurther } from '../store/actor.ts';
import type { FormerSetups } from '../store/channels/former-setups.ts';
import type { StoredUndo, WatchUndos } from '../store/channels/watch-undos.ts';
import type { Claim } from '../store/channels/watches.ts';
import type { SpaceSettings } from '../store/settings.ts';
import { UNDO_MINUTES } from '../store/privacy/tables.ts';
import { MOST_CHANNELS, rulesWatch, type ChannelWatch, type Changer } from '../model/space.ts';
import type { Watches } from '../model/watches.ts';

export interface EndedWatchesDeps {
  readonly watches: Pick<Watches, 'list' | 'elsewhere' | 'mixesAges'> & {
    /** @param claim see `WatchStore.set` */
    set(...args: [...Parameters<Watches['set']>, claim?: Claim]): Promise<void>;
  };
  readonly undos: Pick<WatchUndos, 'list' | 'take' | 'isUsed'>;
  readonly formers: Pick<FormerSetups, 'of' | 'isBack'>;
  readonly spaces: Pick<SpaceSettings, 'of' | 'change'>;
  readonly now: () => number;
}

export type EndedWatches = ReturnType<typeof createEndedWatches>;

/** The channels, but those of an undo, that it would link its own with. */
const othersOf = ({ watches }: StoredUndo, all: readonly ChannelWatch[]): ChannelWatch[] => {
  const group = watches[0]?.group;
  const isOwn = (each: ChannelWatch): boolean =>
    watches.some(({ channel }) => isSameChannel(channel, each.channel));
  return all.filter((each) => group !== undefined && each.group === group && !isOwn(each));
};

/**
 * The watches that an undo sets, over those that are set now; undefined where something else is set meanwhile, or a channel
 * of another space is linked: those agree to a link anew.
 */
const restoredOf = (
  undo: StoredUndo,
  all: readonly ChannelWatch[],
): readonly ChannelWatch[] | undefined => {
  const { watches, isOfRules } = undo;
  const isOld = ({ channel }: ChannelWatch): boolean =>
    watches.some((old) => isSameChannel(old.channel, channel));
  const set = all.filter(isOld);
  if (isOfRules) {
    const rules = watches[0]?.choices?.rules ?? {};
    const isAsEnded = ([about, rule]: readonly [string, WatchRules[keyof WatchRules]]): boolean =>
      saysNothing(rule) || isDeepStrictEqual(rule, rules[about as keyof WatchRules]);
    const isEnded = set.every(
      ({ choices: { rules: now = {} } = {} }) =>
        !isDeepStrictEqual(now, rules) && Object.entries(now).every(isAsEnded),
    );
    const restored = set.map((watch) => ({ ...watch, choices: { ...watch.choices, rules } }));
    return isEnded && set.length > 0 ? restored : undefined;
  }
  const others = othersOf(undo, all);
  const both = [...watches, ...others];
  const isWhole = !watches[0]?.group || (both.length > 1 && both.length <= MOST_CHANNELS);
  const isOwn = new Set(both.map(({ channel }) => keyOf(channel.space))).size === 1;
  return set.length === 0 && isWhole && isOwn ? watches : undefined;
};

/** Sets back, for some minutes and in every process, what was set for channels before it was turned off. */
export const createEndedWatches = ({ watches, undos, formers, spaces, now }: EndedWatchesDeps) => {
  /**
   * Lists what a space can set back at this moment, the newest first and of each channel the last end alone, with all watches
   * that this touches.
   */
  const list = async (space: Space) => {
    const { rules } = await spaces.of(space);
    const all = [...watches.list(space), rulesWatch(space, rules)];
    const known = new Set<string>();
    return (await undos.list(space)).flatMap((undo) => {
      const keys = undo.watches.map(({ channel }) => `${undo.isOfRules} ${channel.id}`);
      const isLast = !keys.some((key) => known.has(key));
      for (const key of keys) known.add(key);
      const restored = restoredOf(undo, all);
      const others = othersOf(undo, all);
      const isShared = !undo.isOfRules && others.some((each) => watches.elsewhere(each) > 0);
      if (!restored || isShared || !isLast) return [];
      return [{ ...undo, restored, touched: [...restored, ...others] }];
    });
  };

  return {
    list,
    /** Time for which an end can be set back, minutes. */
    minutes: UNDO_MINUTES,
    /**
     * Does work that ends watches together, or the rules of one; resolves with what came of it, and with the id of what sets
     * it back, which is stored with it. There is none where a watch ends that is linked with other spaces.
     *
     * @param ending none for rules of all channels
     */
    ending: async <Result>(
      space: Space,
      ending: readonly ChannelWatch[],
      isOfRules: boolean,
      work: () => Promise<Result>,
    ): Promise<readonly [result: Result, undo?: string]> => {
      const isShared = ending.some((watch) => watches.elsewhere(watch) > 0);
      if (isShared && !isOfRules) return [await work()];
      const id = randomUUID();
      const expiresMs = now() + UNDO_MINUTES * MINUTE_MS;
      const group = ending[0]?.group;
      const others = watches.list(space).filter((each) => group && each.group === group);
      const mixesAges = isOfRules || (await watches.mixesAges([...ending, ...others]));
      const undo = { id, mixesAges, isOfRules, expiresMs };
      return [await actFurther({ undo }, work), id];
    },
    /**
     * Sets back what ended, once; resolves with it. Rejects with `not-found` where that is too long ago, was done already
     * or something else is set meanwhile, and as `Watches.set` does.
     *
     * @param admit rejects where the person may not decide about one of the channels
     */
    restore: async (
      space: Space,
      id: string,
      by: Changer,
      admit: (ended: readonly ChannelWatch[]) => Promise<void>,
    ): Promise<readonly ChannelWatch[]> => {
      const over = userError('not-found', 'autotranslate.undo-over');
      const refusal = async (db?: Parameters<Claim>[0]) =>
        (await undos.isUsed(space, id, db))
          ? userError('not-found', 'autotranslate.undone-already')
          : over;
      const undo = (await list(space)).find((each) => each.id === id);
      if (!undo) throw await refusal();
      const { restored, touched } = undo;
      await admit(touched);
      // Others may have changed something meanwhile.
      const claim: Claim = async (db, current) => {
        const isAsBefore = isDeepStrictEqual(restoredOf(undo, current), restored);
        if (!isAsBefore || !(await undos.take(db, space, id))) throw await refusal(db);
      };
      const [first] = restored;
      if (first && first.channel.id === '') {
        const { rules = {} } = first.choices ?? {};
        await actFurther({ isUndo: true }, () =>
          spaces.change(space, { rules }, (db, before) =>
            claim(db, [rulesWatch(space, before.rules)]),
          ),
        );
        return restored;
      }
      const { mixesAges: mayMixAges, isOfRules } = undo;
      if (!mayMixAges && (await watches.mixesAges(touched))) throw over;
      const options = { ...(!isOfRules && { by }), mayMixAges };
      await actFurther({ isUndo: true }, () => watches.set(restored, options, claim));
      return restored;
    },
    /** Finds what a link replaced in a channel that is off since the link ended; undefined where that is not known. */
    former: formers.of,
    /**
     * Sets a channel up as it was before it was linked. Rejects with `not-found` where that was done already, or anything else was
     * set there since that link ended, and as `Watches.set` does.
     *
     * @param id that of the end, as `former` gave it
     */
    bringBack: async (channel: Channel, id: string, by: Changer) => {
      const find = async (...[db, current = []]: Partial<Parameters<Claim>>) => {
        // Clocks of processes differ: the trail may say off of a channel that is on.
        const isOn = current.some((each) => isSameChannel(each.channel, channel));
        const former = isOn ? undefined : await formers.of(channel, db);
        if (former?.id === id) return former.watch;
        const isBack = await formers.isBack(channel, id, db);
        throw userError('not-found', `autotranslate.former-${isBack ? 'already' : 'over'}`, {
          channel: channelMention(channel),
        });
      };
      const watch = await find();
      // Another process may have set something meanwhile.
      const claim: Claim = async (...stored) => void (await find(...stored));
      await actFurther({ isUndo: true }, () => watches.set([watch], { by }, claim));
      return watches.list(channel.space).filter((each) => isSameChannel(each.channel, channel));
    },
  };
};
