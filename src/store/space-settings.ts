import { z } from 'zod';
import type { Space } from '../model/place.ts';
import { type SpaceChoices, USUAL_PAUSE_MS } from '../model/space-choices.ts';
import type { Store } from './index.ts';
import { createCache } from '../async/lru.ts';

export interface SpaceSettings {
  of(space: Space): Promise<SpaceChoices>;
  /** Changes choices. An omitted key keeps its value. */
  change(space: Space, change: Partial<SpaceChoices>): Promise<void>;
}

/** Most spaces whose choices are cached: each message in a watched channel reads them. */
const CACHED_SPACES = 5_000;

const limit = z.int().min(0).optional().catch(undefined);

const ids = z.array(z.string()).catch(() => []);

/**
 * Bounds of the pause that ends an utterance: shorter pauses occur within words, longer ones add
 * latency.
 */
const pauseMs = z.int().min(200).max(5_000).catch(USUAL_PAUSE_MS);

const roomChoices = z.object({
  consent: z.enum(['told', 'agreed']).catch('told'),
  spokenNotice: z.boolean().catch(true),
  joins: ids,
  languages: ids,
  partials: z.boolean().catch(true),
  pauseMs,
  bargeIn: z.enum(['off', 'lower', 'stop']).catch('off'),
  wakeWord: z.boolean().catch(false),
  readAloud: ids,
});

/**
 * Schema of the stored choices. An invalid value from another version falls back to its default, so
 * that the space still works.
 */
const choices = z.object({
  flags: z
    .object({ on: z.boolean(), languages: z.record(z.string(), z.string()) })
    .catch(() => ({ on: true, languages: {} })),
  roles: z.record(z.string(), z.array(z.string())).catch(() => ({})),
  dailyCharacters: limit,
  dailyAudioMinutes: limit,
  quietChannels: z.array(z.string()).catch(() => []),
  rooms: roomChoices.catch(() => roomChoices.parse({})),
}) satisfies z.ZodType<SpaceChoices>;

const record = z.record(z.string(), z.unknown());

const parseChoices = (stored: string | undefined): SpaceChoices => {
  let json: unknown;
  try {
    json = JSON.parse(stored ?? '{}');
  } catch {
    json = {};
  }
  return choices.parse(record.safeParse(json).data ?? {});
};

const read = async (db: Pick<Store, 'selectFrom'>, space: Space): Promise<SpaceChoices> => {
  const row = await db
    .selectFrom('space_setting')
    .select('choices')
    .where('platform', '=', space.platform)
    .where('space_id', '=', space.id)
    .executeTakeFirst();
  return parseChoices(row?.choices);
};

const keyOf = ({ platform, id }: Space): string => `${platform} ${id}`;

export const createSpaceSettings = (store: Store): SpaceSettings => {
  const known = createCache((space: Space) => read(store, space), { keyOf, most: CACHED_SPACES });
  store.signals.subscribe('space-settings', known.forget);

  return {
    of: known.of,

    async change(space, change) {
      await store.write(async (db) => {
        const changed = JSON.stringify({ ...(await read(db, space)), ...change });
        await db
          .insertInto('space_setting')
          .values({ platform: space.platform, space_id: space.id, choices: changed })
          .onConflict((conflict) =>
            conflict.columns(['platform', 'space_id']).doUpdateSet({ choices: changed }),
          )
          .execute();
        await store.signals.publish(db, 'space-settings', space);
      });
    },
  };
};
