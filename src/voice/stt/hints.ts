import { createCache, type Cache } from '../../async/cache.ts';
import type { Channel } from '../../model/place.ts';
import type { Services } from '../../command/services.ts';
import type { Clock } from '../../async/clock.ts';
import type { RoomMember } from '../../ports/voice.ts';
import type { SttPipelineHints } from './pipeline.ts';

export interface HintsDeps {
  readonly services: Pick<Services, 'glossary' | 'settings'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly channel: () => Channel;
  readonly people: () => readonly RoomMember[];
  /** Languages of the captions' readers. */
  readonly languages: () => readonly string[];
}

const MOST_HOTWORDS = 100;
/** Hotwords that are names, however many terms there are. */
const MOST_NAMES = 50;
/** Largest room whose people's languages are read: in a larger one they tell nothing. */
const MOST_ASKED = 50;
/** Time for which a read of the database serves all utterances. */
const FRESH_MS = 5_000;

/** Collects hints about a room: its glossary, its people and their languages. */
export const createHints = ({
  services,
  clock,
  channel,
  people,
  languages,
}: HintsDeps): (() => Promise<SttPipelineHints>) => {
  let readMs = -Infinity;
  const whenRead = (): number => {
    const nowMs = clock.nowMs();
    if (nowMs - readMs >= FRESH_MS) readMs = nowMs;
    return readMs;
  };
  const fresh = <Asked extends { readonly id: string }, Found>(
    read: (asked: Asked) => Promise<Found>,
    most: number,
  ): Cache<Asked, Found> => createCache(read, { keyOf: ({ id }) => `${whenRead()} ${id}`, most });
  const glossary = fresh(async (place: Channel) => services.glossary.applying(place), 1);
  const settings = fresh(
    async ({ id }: RoomMember) => services.settings.of({ platform: channel().space.platform, id }),
    MOST_ASKED,
  );

  return async () => {
    const here = people().filter(({ isBot }) => !isBot);
    const asked = here.length > MOST_ASKED ? [] : here;
    const [terms, ...preferences] = await Promise.all([
      glossary.of(channel()),
      ...asked.map(settings.of),
    ]);
    const names = here.map(({ name }) => name).slice(0, MOST_NAMES);
    const hotwords = new Set([...names, ...terms.map(({ term }) => term)]);
    const own = preferences.flatMap(({ language }) => language ?? []);
    return {
      hotwords: [...hotwords].slice(0, MOST_HOTWORDS),
      languages: asked.length < here.length ? [] : [...new Set([...languages(), ...own])],
    };
  };
};
