import { type AppError, userError } from '../errors.ts';
import type { Space } from '../model/place.ts';
import type { Services } from '../command/services.ts';
import { mapStates } from '../async/generators.ts';
import { countCodePoints } from '../text/unicode.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../async/time.ts';

/**
 * Why a space may use no more today: `rate-limited`, with what was used and when the count begins
 * anew; undefined where it may. Characters must fit whole; sound may be begun while a minute is left.
 */
export const limitFault = async (
  { spaces, usage }: Pick<Services, 'spaces' | 'usage'>,
  space: Space,
  wish: { readonly characters: number } | 'audio',
  now: () => number = Date.now,
): Promise<AppError | undefined> => {
  const { dailyCharacters, dailyAudioMinutes } = await spaces.of(space);
  const limit = wish === 'audio' ? dailyAudioMinutes : dailyCharacters;
  if (limit === undefined) return undefined;
  const today = await usage.today(space);
  const used = wish === 'audio' ? Math.floor(today.audioMs / MINUTE_MS) : today.characters;
  if (wish === 'audio' ? used < limit : used + wish.characters <= limit) return undefined;
  const hours = Math.ceil((DAY_MS - (now() % DAY_MS)) / HOUR_MS);
  return userError(
    'rate-limited',
    wish === 'audio' ? 'limits.audio' : 'limits.characters',
    { used, limit, hours },
    { retryAfterMs: DAY_MS - (now() % DAY_MS) },
  );
};

/** The services whose use is counted, and those that limit and record it. */
export type MeteredServices = Pick<
  Services,
  'assistant' | 'spaces' | 'speaker' | 'transcriber' | 'translator' | 'usage'
>;

/** Counts what one person's use of the service costs. */
export interface Meter<Given extends MeteredServices> {
  /** As they are, but that they refuse what goes over the limits of the space, and are counted. */
  readonly services: Given;
  /** Records what was used, if anything was. */
  settle(): Promise<void>;
}

/** What was given up before anything came of it is not counted. */
export const createMeter = <Given extends MeteredServices>(
  services: Given,
  { space, memberId }: { readonly space: Space; readonly memberId: string },
  now: () => number = Date.now,
): Meter<Given> => {
  let characters = 0;
  let audioMs = 0;

  const admit = async (wish: Parameters<typeof limitFault>[2]): Promise<void> => {
    const fault = await limitFault(services, space, wish, now);
    if (fault) throw fault;
  };

  return {
    services: {
      ...services,
      translator: {
        async *translate(request, signal) {
          const size = countCodePoints(request.text);
          await admit({ characters: size });
          let came = false;
          try {
            const texts = services.translator.translate(request, signal);
            const translation = yield* mapStates(texts, (text) => {
              came = true;
              return text;
            });
            came ||= translation.outcome === 'translated';
            return translation;
          } finally {
            if (came) characters += size;
          }
        },
      },
      transcriber: {
        async *transcribe(request, signal) {
          await admit('audio');
          let heardMs = 0;
          try {
            return yield* mapStates(services.transcriber.transcribe(request, signal), (heard) => {
              ({ heardMs } = heard);
              return heard;
            });
          } finally {
            audioMs += heardMs;
          }
        },
      },
      assistant: {
        async *answer(turns, signal) {
          const asked = turns.reduce((sum, { content }) => sum + countCodePoints(content), 0);
          await admit({ characters: asked });
          let answer = '';
          try {
            return yield* mapStates(services.assistant.answer(turns, signal), (text) => {
              answer = text;
              return text;
            });
          } finally {
            if (answer !== '') characters += asked + countCodePoints(answer);
          }
        },
      },
      speaker: {
        ...services.speaker,
        async speak(request, signal) {
          const size = countCodePoints(request.text);
          await admit({ characters: size });
          const speech = await services.speaker.speak(request, signal);
          characters += size;
          return speech;
        },
      },
    },
    async settle() {
      if (characters + audioMs > 0)
        await services.usage.record(space, memberId, { characters, audioMs, messages: 1 });
    },
  };
};
