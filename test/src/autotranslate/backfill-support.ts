import { afterEach, beforeEach } from 'vitest';
import { silentLog } from '../../fakes/silent-log.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import type { Message } from '../../../src/model/message.ts';
import {
  createBackfill,
  type Backfill,
  type BackfillDeps,
} from '../../../src/autotranslate/backfill.ts';
import type { HistoryGap } from '../../../src/store/channels/histories.ts';
import { channel, createFakeFeed, type FakeFeed } from '../../fakes/channel-feed.ts';

export const GENERAL = channel('general');

/** A hold that is in effect once a promise resolves. */
export const holdOf = (inEffect: Promise<void>, end = async (_isRead: boolean) => {}) => ({
  inEffect,
  end,
});

/** A backfill, and what it reads from and writes to. */
export interface BackfillScene {
  place: FakeFeed;
  backfill: Backfill;
  cursor: string | undefined;
  taken: string[];
  failTake: () => void;
  /** Holds the history back until it resolves. */
  gate: Promise<void>;
  aheadMs: number;
  /** From where on the last messages were asked for. */
  lookedBackTo: string | undefined;
  /** The last messages before the cursor. */
  recent: Message[];
  deleted: string[];
  gaps: HistoryGap[];
  /** True where the platform reports everything sooner or later. */
  reportsAll: boolean;
  /** The time at which the watch was set. */
  sinceMs: number;
  readonly take: (message: Message) => Promise<void>;
  /** Follows the channel until now. */
  readonly follow: () => Promise<void>;
  readonly report: (message: Message) => Promise<void>;
  readonly parts: () => BackfillDeps;
}

/** The scene of each test of a file, made anew for each. */
export const withBackfill = (): BackfillScene => {
  const parts = (): BackfillDeps => ({
    cursors: {
      of: async () => scene.cursor,
      recent: async (_, after) => {
        scene.lookedBackTo = after;
        return scene.recent;
      },
      advance: () => undefined,
    },
    platforms: {
      find: () => ({
        mirrors: scene.place.mirrors,
        feed: {
          ...scene.place.feed,
          reportsAll: () => scene.reportsAll,
          async *history(...args) {
            await scene.gate;
            yield* scene.place.feed.history(...args);
          },
        },
      }),
    },
    sinceMs: () => scene.sinceMs,
    take,
    markDeleted: async (refs) => void scene.deleted.push(...refs.map(({ id }) => id)),
    noteGap: async (gap) => void scene.gaps.push(gap),
    hold: () => undefined,
    inEffect: async () => undefined,
    log: silentLog,
    now: () => Date.now() + scene.aheadMs,
  });
  const take = async ({ text, position }: Message): Promise<void> => {
    scene.failTake();
    scene.taken.push(plainText(text));
    if (position > (scene.cursor ?? '')) scene.cursor = position;
  };
  const fresh = () => ({
    place: createFakeFeed(),
    cursor: undefined,
    taken: [],
    failTake: () => undefined,
    gate: Promise.resolve(),
    aheadMs: 0,
    lookedBackTo: undefined,
    recent: [],
    deleted: [],
    gaps: [],
    reportsAll: false,
    sinceMs: 0,
  });
  const scene: BackfillScene = {
    ...fresh(),
    backfill: createBackfill(parts()),
    take,
    follow: async () => {
      void scene.backfill.missed(GENERAL, undefined);
      await scene.backfill.idle();
      scene.place.calls.length = 0;
    },
    report: (message) => scene.backfill.report(GENERAL, () => take(message)),
    parts,
  };
  beforeEach(() => {
    Object.assign(scene, fresh(), { backfill: createBackfill(parts()) });
  });
  afterEach(() => scene.backfill[Symbol.asyncDispose]());
  return scene;
};
