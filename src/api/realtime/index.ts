import { z } from 'zod';
import { realClock } from '../../async/clock.ts';
import { createSemaphore } from '../../async/locks.ts';
import type { Log } from '../../telemetry/log.ts';
import type { ClientOptions } from '../client.ts';
import type { SpeechApi } from '../speech.ts';
import type { Space } from '../../model/place.ts';
import { createServiceKeys, type ServiceKey } from '../keys.ts';
import { createAvailabilities } from './availability.ts';
import { createRecognitionSessions } from './recognition-session.ts';
import { createSocketOpener } from './socket.ts';
import { createRealtimeSpeech } from './speech.ts';

/** Sessions of recognition at the same time; each keeps up to 2 MB of audio. */
const MOST_RECOGNITIONS = 16;

const USES = ['recognition', 'speech'] as const;

type Use = (typeof USES)[number];

const isUse = (item: string): item is Use => (USES as readonly string[]).includes(item);

/** Uses of the WebSocket paths; none by default. */
export const realtimeUses = z
  .string()
  .transform((text, ctx): readonly Use[] => {
    const items = text.split(',').map((item) => item.trim());
    if (!items.every(isUse))
      ctx.addIssue({
        code: 'custom',
        message: 'must be recognition, speech or recognition,speech',
      });
    return items.filter(isUse);
  })
  .optional();

/** The WebSocket paths of the service that are to be used. */
export type Realtime = ReturnType<typeof createRealtime>;

/** Realtime recognition for all spaces. */
export type RealtimeRecognition = NonNullable<Realtime['recognition']>;

/** `onCall` takes the report of each session of recognition, and of each text that is spoken. */
export interface RealtimeOptions extends Pick<
  ClientOptions,
  'baseUrl' | 'key' | 'findOwnKey' | 'onCall' | 'clock'
> {
  readonly uses: readonly Use[];
  /**
   * Tells whether the service recognises speech in a language, or any, as it comes: then recognition is used, though
   * `uses` does not name it, but not while that is `later`. Default: nothing is known of that.
   */
  readonly followsSpeech?:
    | ((language: string | undefined) => Promise<'now' | 'later' | undefined>)
    | undefined;
  /** Speaks what no connection does. */
  readonly requests: Pick<SpeechApi, 'speak'>;
  readonly log: Pick<Log, 'warn' | 'info'>;
}

/** Creates the clients of the WebSocket paths (contract section 4.1). */
export const createRealtime = ({
  baseUrl,
  key,
  findOwnKey,
  uses,
  followsSpeech,
  requests,
  log,
  onCall = () => {},
  clock = realClock,
}: RealtimeOptions) => {
  const keys = createServiceKeys(key, findOwnKey);
  const openSocket = (ofKey: ServiceKey) => createSocketOpener(baseUrl, ofKey);
  const speech = uses.includes('speech')
    ? createRealtimeSpeech({
        serviceKeyOf: keys.of,
        openSocket,
        availability: createAvailabilities('speech', { clock, log }),
        clock,
        onCall,
        requests,
      })
    : undefined;
  const availability = createAvailabilities('recognition', { clock, log });
  const recognition = {
    /**
     * Resolves with that of the key that a space has now; rejects as `ServiceKeys.of` does.
     *
     * @param language the one that is likely to be spoken. Default: any
     */
    of: async (space: Space, language?: string) => {
      const [ofSpace, followed] = await Promise.all([keys.of(space), followsSpeech?.(language)]);
      return {
        /** True where the path is to be used. */
        isOn: followed === undefined ? uses.includes('recognition') : followed === 'now',
        /** True where the service recognises speech as it comes: no part of it is to be requested. */
        isFollowed: followed !== undefined,
        openSession: createRecognitionSessions({
          openSocket: openSocket(ofSpace),
          clock,
          onCall,
          random: Math.random,
          asksForWords: followed !== undefined,
        }),
        availability: availability(ofSpace),
      };
    },
    /** Sessions that may be open at the same time, in all spaces. */
    sessions: createSemaphore(MOST_RECOGNITIONS),
  };
  return {
    recognition: uses.includes('recognition') || followsSpeech ? recognition : undefined,
    /** Speaks over connections that last, and by requests. */
    speech,
    [Symbol.dispose]: (): void => speech?.[Symbol.dispose](),
  };
};
