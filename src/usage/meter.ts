import { mapStates } from '../async/generators.ts';
import type { Services } from '../command/services.ts';
import type { Space } from '../model/place.ts';
import { countCodePoints } from '../text/unicode.ts';
import { charactersOf, limitFault, type Demand } from './limits.ts';

/** The person and space that use the service. */
export interface Consumer {
  readonly space: Space;
  readonly memberId: string;
}

export interface MeterOptions {
  /** Clock: ms since 1970. */
  readonly now?: () => number;
  /** Number of messages that the work counts as. Default: one. */
  readonly messages?: 0 | 1;
}

/** The services whose use is counted, and those that limit and record it. */
export type MeteredServices = Pick<
  Services,
  'assistant' | 'spaces' | 'speaker' | 'transcriber' | 'translator' | 'usage'
>;

/** Counts what one person uses of the services. */
export interface Meter<Given extends MeteredServices> {
  /** The same services, metered: they refuse use beyond the limits of the space. */
  readonly services: Given;
  /** Records what was used; writes nothing where nothing was. */
  settle(): Promise<void>;
}

/**
 * Creates a meter for one piece of work. What ends without a result is not counted.
 */
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
          const size = charactersOf(request.text);
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
          let transcribedMs = 0;
          try {
            return yield* mapStates(
              services.transcriber.transcribe(request, signal),
              (progress) => {
                ({ transcribedMs } = progress);
                return progress;
              },
            );
          } finally {
            audioMs += transcribedMs;
          }
        },
      },
      assistant: {
        async *answer(turns, asker, signal) {
          const asked = turns.reduce((sum, { content }) => sum + countCodePoints(content), 0);
          await admit({ characters: asked });
          let answer = '';
          try {
            return yield* mapStates(services.assistant.answer(turns, asker, signal), (text) => {
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
          const size = charactersOf(request.text);
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
