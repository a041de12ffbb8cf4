import { mapStates } from '../async/abort.ts';
import { MINUTE_MS } from '../async/clock.ts';
import { type Assistant, estimateTokens } from '../chat/assistant.ts';
import type { Space } from '../model/place.ts';
import type { Speaker } from '../speech/speech.ts';
import type { Transcriber } from '../speech/transcriber.ts';
import type { Usage } from '../store/usage.ts';
import { countCodePoints } from '../text/unicode.ts';
import type { Translator } from '../translation/translator.ts';
import {
  charactersOf,
  type Demand,
  type Limits,
  type PendingAmounts,
  type Reservation,
} from './limits.ts';
import { type FanOutLine, type LineTranslation, translateLine } from '../translation/fan-out.ts';

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

/** The services that limit and record use. */
export interface UsageServices {
  readonly limits: Limits;
  readonly usage: Usage;
}

/** The services whose use is counted, and those that limit and record it. */
export interface MeteredServices extends UsageServices {
  readonly assistant: Assistant;
  readonly speaker: Speaker;
  readonly transcriber: Transcriber;
  readonly translator: Translator;
}

/** Counts what one person uses of the services. */
export interface Meter<Given extends MeteredServices> {
  /** The same services, metered: they refuse use beyond the limits. */
  readonly services: Given;
  /** Records what was used; writes nothing where nothing was. */
  settle(): Promise<void>;
}

/**
 * Creates a meter for one piece of work. What ends without a result is not counted. Until it is
 * recorded, use is reserved, so that others cannot use the same remainder of a limit.
 */
export const createMeter = <Given extends MeteredServices>(
  services: Given,
  { space, memberId }: Consumer,
  { limits = 'all', messages = 1 }: MeterOptions = {},
): Meter<Given> => {
  const limited = limits === 'all' ? { space, memberId } : { space };
  const reserved = new Set<Reservation>();
  let isOver = false;
  let characters = 0;
  let audioMs = 0;
  let chatTokens = 0;

  const reserve = async (demand: Demand): Promise<Reservation> => {
    const reservation = await services.limits.reserve(limited, demand, memberId);
    reserved.add(reservation);
    return reservation;
  };
  const giveBack = (reservation: Reservation): void => {
    reservation[Symbol.dispose]();
    reserved.delete(reservation);
  };
  const count = (reservation: Reservation, used: PendingAmounts): void => {
    characters += used.characters ?? 0;
    audioMs += used.audioMs ?? 0;
    chatTokens += used.chatTokens ?? 0;
    const isUsed = Object.values(used).some((amount) => amount > 0);
    if (isUsed && !isOver) reservation.change(used);
    else giveBack(reservation);
  };

  return {
    services: {
      ...services,
      translator: {
        async *translate(request, signal) {
          const size = charactersOf(request.text);
          const reservation = await reserve({ characters: size });
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
            count(reservation, { characters: came ? size : 0 });
          }
        },
      },
      transcriber: {
        async *transcribe(request, signal) {
          const reservation = await reserve('audio');
          let transcribedMs = 0;
          try {
            return yield* mapStates(
              services.transcriber.transcribe(request, signal),
              (progress) => {
                ({ transcribedMs } = progress);
                reservation.change({ audioMs: Math.max(MINUTE_MS, transcribedMs) });
                return progress;
              },
            );
          } finally {
            count(reservation, { audioMs: transcribedMs });
          }
        },
      },
      assistant: {
        async *answer(turns, asker, signal, notes = {}) {
          const contents = turns.map(({ content }) => content);
          const asked = contents.reduce((sum, content) => sum + countCodePoints(content), 0);
          const tokens = await reserve('chat');
          let spent = 0;
          let answer = '';
          try {
            tokens.change({ chatTokens: Math.max(1, estimateTokens(contents)) });
            const text = await reserve({ characters: asked });
            try {
              const used = (some: number): void => {
                spent += some;
                notes.used?.(some);
              };
              const states = services.assistant.answer(turns, asker, signal, { ...notes, used });
              return yield* mapStates(states, (soFar) => {
                answer = soFar;
                return soFar;
              });
            } finally {
              count(text, { characters: answer === '' ? 0 : asked + countCodePoints(answer) });
            }
          } finally {
            count(tokens, { chatTokens: spent });
          }
        },
      },
      speaker: {
        ...services.speaker,
        async speak(request, signal) {
          const size = charactersOf(request.text);
          const reservation = await reserve({ characters: size });
          let came = false;
          try {
            const speech = await services.speaker.speak(request, signal);
            came = true;
            return speech;
          } finally {
            count(reservation, { characters: came ? size : 0 });
          }
        },
      },
    },
    async settle() {
      isOver = true;
      try {
        if (characters + audioMs + chatTokens === 0) return;
        const used = { characters, audioMs, chatTokens, messages };
        await services.usage.record(space, memberId, used);
      } finally {
        reserved.forEach(giveBack);
      }
    },
  };
};

/** A line and the member for whom its translations count. */
export interface MeteredLine extends FanOutLine {
  readonly memberId: string;
}

/**
 * Translates a line as `translateLine` does and counts the use. Use that cannot be recorded loses
 * nobody their translation.
 */
export async function* translateMeteredLine(
  services: MeteredServices,
  { memberId, ...line }: MeteredLine,
  languages: readonly string[],
  signal: AbortSignal,
  options?: MeterOptions,
): AsyncGenerator<LineTranslation, void, void> {
  const meter = createMeter(services, { space: line.space, memberId }, options);
  try {
    yield* translateLine(meter.services.translator, line, languages, signal);
  } finally {
    await meter.settle().catch(() => undefined);
  }
}
