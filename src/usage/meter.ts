import { mapStates } from '../async/generators.ts';
import type { Services } from '../command/services.ts';
import type { Space } from '../model/place.ts';
import { countCodePoints } from '../text/unicode.ts';
import { charactersOf, type Demand } from './limits.ts';

/** The person and space that use the service. */
export interface Consumer {
  readonly space: Space;
  readonly memberId: string;
}

export interface MeterOptions {
  /** Limits that apply. Default: those of the person and of the space. */
  readonly limits?: 'all' | 'space';
  /** Number of messages that the work counts as. Default: one. */
  readonly messages?: 0 | 1;
}

/** The services whose use is counted, and those that limit and record it. */
export type MeteredServices = Pick<
  Services,
  'assistant' | 'limits' | 'speaker' | 'transcriber' | 'translator' | 'usage'
>;

/** Counts what one person uses of the services. */
export interface Meter<Given extends MeteredServices> {
  /** The same services, metered: they refuse use beyond the limits. */
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
  { limits = 'all', messages = 1 }: MeterOptions = {},
): Meter<Given> => {
  const limited = limits === 'all' ? { space, memberId } : { space };
  let characters = 0;
  let audioMs = 0;
  let chatTokens = 0;

  const admit = async (demand: Demand): Promise<void> => {
    const fault = await services.limits.fault(limited, demand);
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
        async *answer(turns, asker, signal, used) {
          const asked = turns.reduce((sum, { content }) => sum + countCodePoints(content), 0);
          await admit('chat');
          await admit({ characters: asked });
          const count = (tokens: number): void => {
            chatTokens += tokens;
            used?.(tokens);
          };
          let answer = '';
          try {
            const states = services.assistant.answer(turns, asker, signal, count);
            return yield* mapStates(states, (text) => {
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
      if (characters + audioMs + chatTokens === 0) return;
      const used = { characters, audioMs, chatTokens, messages };
      await services.usage.record(space, memberId, used);
    },
  };
};
