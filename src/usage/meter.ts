import { mapStates } from '../async/generators.ts';
import type { Services } from '../command/services.ts';
import type { Space } from '../model/place.ts';
import { countCodePoints } from '../text/unicode.ts';
import { limitFault, type Demand } from './limits.ts';
import type { UsageAmounts } from './usage.ts';

/** The user of the service. */
export interface Consumer {
  readonly space: Space;
  readonly memberId: string;
}

export interface MeterOptions {
  /** Ms since 1970. */
  readonly now?: () => number;
  /** Messages that all of it counts as. Default: one. */
  readonly messages?: 0 | 1;
}

/** The services whose use is counted, and those that limit and record it. */
export type MeteredServices = Pick<
  Services,
  'assistant' | 'spaces' | 'speaker' | 'transcriber' | 'translator' | 'usage'
>;

/** Counts what one person's use of the service costs. */
export interface Meter<Given extends MeteredServices> {
  /** The same services, which refuse what goes over the limits of the space, and are counted. */
  readonly services: Given;
  /** Records what was used, if anything was. */
  settle(): Promise<void>;
}

/** A meter for one piece of work. A use that is given up before anything came of it is not counted. */
export const createMeter = <Given extends MeteredServices>(
  services: Given,
  { space, memberId }: Consumer,
  { now = Date.now, messages = 1 }: MeterOptions = {},
): Meter<Given> => {
  let characters = 0;
  let audioMs = 0;

  const admit = async (demand: Demand): Promise<void> => {
    const fault = await limitFault(services, space, demand, now);
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
        await services.usage.record(space, memberId, { characters, audioMs, messages });
    },
  };
};

/** The use of a piece of work so far; counters add to it. */
export type Tally = { -readonly [Part in 'characters' | 'audioMs']: UsageAmounts[Part] };

type Countable = Pick<MeteredServices, 'translator' | 'transcriber'>;

/**
 * The same services, which add what they finish to `tally`: for work that asks for the limits of all of
 * it beforehand, is tried again when a part fails, and is recorded once with its result.
 */
export const countFinished = <Given extends Countable>(services: Given, tally: Tally): Given => ({
  ...services,
  translator: {
    async *translate(request, signal) {
      const translation = yield* services.translator.translate(request, signal);
      if (translation.outcome === 'translated') tally.characters += countCodePoints(request.text);
      return translation;
    },
  },
  transcriber: {
    async *transcribe(request, signal) {
      const transcript = yield* services.transcriber.transcribe(request, signal);
      tally.audioMs += transcript.durationMs;
      return transcript;
    },
  },
});
