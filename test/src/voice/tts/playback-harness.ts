import { createOggOpusWriter } from '../../../../src/audio/container/ogg-writer.ts';
import { AppError } from '../../../../src/errors.ts';
import type { Speaker, SynthesisRequest } from '../../../../src/speech/speech.ts';
import type { DropReason, SpeechItem } from '../../../../src/voice/tts/speech-item.ts';
import { createPlayback, type PlaybackDeps } from '../../../../src/voice/tts/playback.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { VOICE } from '../../../fakes/speech.ts';

const PACKET_MS = 20;
/** CELT, 20 ms, mono. */
const TOC = 0xf8;

/** Rooms only ask for text that is spoken as it is. */
type SpokenRequest = SynthesisRequest & { readonly text: string };

/** What becomes of one request for speech. */
export interface Behaviour {
  /** Until its first byte. */
  readonly latencyMs?: number;
  /** Of the speech; default 20 for each code point of the text. */
  readonly lengthMs?: number;
  readonly fails?: AppError;
  /** Nothing ever comes: at all, or after so many packets. */
  readonly hangs?: boolean;
  readonly hangsAfter?: number;
  readonly breaksAfter?: number;
}

/** A room whose speech is scripted: packets name the text that they are of. */
export const createStage = (
  behaviour: (request: SpokenRequest) => Behaviour = () => ({}),
  more: Partial<PlaybackDeps> = {},
) => {
  const clock = createTestClock(0);
  const requests: SpokenRequest[] = [];
  const aborted: string[] = [];
  const dropped: { ids: string[]; reason: DropReason; atMs: number }[] = [];
  const began: { id: string; atMs: number }[] = [];
  const ended: string[] = [];
  const failed: { id: string; code: string }[] = [];
  /** What was played, packet by packet. */
  const played: { text: string; atMs: number }[] = [];
  let open = 0;
  let mostOpen = 0;
  let fault: AppError | undefined;

  const wait = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const cancel = clock.after(ms, resolve);
      signal.addEventListener('abort', () => {
        cancel();
        reject(signal.reason as Error);
      });
    });

  const texts: string[] = [];
  const packetsFor = (text: string, count: number): Uint8Array[] => {
    texts.push(text);
    const index = texts.length - 1;
    return Array.from({ length: count }, () => Uint8Array.of(TOC, index >> 8, index & 255));
  };

  const speaker: Pick<Speaker, 'speak'> = {
    speak: async (asked, signal) => {
      const request = { ...asked, text: asked.text as string };
      requests.push(request);
      const { latencyMs = 0, lengthMs, fails, hangs, hangsAfter, breaksAfter } = behaviour(request);
      signal.addEventListener('abort', () => aborted.push(request.text));
      if (hangs)
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      if (latencyMs > 0) await wait(latencyMs, signal);
      if (fails) throw fails;
      const count = Math.ceil((lengthMs ?? Array.from(request.text).length * 20) / PACKET_MS);
      const writer = createOggOpusWriter({ packetsPerPage: 1 });
      const packets = packetsFor(request.text, count);
      return {
        voice: VOICE,
        format: 'ogg',
        mediaType: 'audio/ogg',
        sampleRateHz: 24_000,
        chunks: (async function* () {
          open += 1;
          mostOpen = Math.max(mostOpen, open);
          try {
            for (const [index, packet] of packets.entries()) {
              if (index === hangsAfter) await wait(1e9, signal);
              if (index === breaksAfter) throw new AppError('unavailable', 'reset');
              const bytes = writer.push(packet);
              if (bytes.length > 0) yield bytes;
            }
            yield writer.end();
          } finally {
            open -= 1;
          }
        })(),
      };
    },
  };

  let playing = 0;
  const play = async (packets: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> => {
    playing += 1;
    const iterator = packets[Symbol.asyncIterator]();
    const over = new Promise<never>((_, reject) => {
      const abort = (): void => reject(signal.reason as Error);
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort);
    });
    over.catch(() => {});
    try {
      for (;;) {
        const next = await Promise.race([iterator.next(), over]);
        const thrown = fault;
        fault = undefined;
        if (thrown) throw thrown;
        if (next.done) return;
        played.push({
          text: texts[next.value[1]! * 256 + next.value[2]!] ?? '?',
          atMs: clock.nowMs(),
        });
        await Promise.race([wait(PACKET_MS, signal), over]);
      }
    } finally {
      playing -= 1;
    }
  };

  const playback = createPlayback({
    speaker,
    play,
    clock,
    words: {
      sentence: (name) => `${name} says:`,
      somebody: () => 'Somebody',
      andSoOn: () => 'and so on',
    },
    listener: {
      began: ({ id }) => void began.push({ id, atMs: clock.nowMs() }),
      ended: ({ id }) => void ended.push(id),
      dropped: (items, reason) =>
        dropped.push({ ids: items.map(({ id }) => id), reason, atMs: clock.nowMs() }),
      failed: (item, error) => failed.push({ id: item.id, code: error.code }),
    },
    ...more,
  });

  return {
    clock,
    playback,
    requests,
    dropped,
    failed,
    began,
    ended,
    played,
    aborted,
    /** The texts in the order in which they were played, each once, and when each began. */
    spoken: () => played.filter(({ text }, index) => played[index - 1]?.text !== text),
    said: () =>
      played.map(({ text }) => text).filter((text, index, all) => all[index - 1] !== text),
    /** The next packet is not taken, nor the rest of what it is of. */
    failPlaying: (error: AppError) => {
      fault = error;
    },
    /** Streams of speech that were opened and not closed, and calls of `play`. */
    alive: () => ({ streams: open, playing, timers: clock.waiting }),
    mostOpen: () => mostOpen,
  };
};

/** What `alive` tells when nothing is. */
export const nothing = { streams: 0, playing: 0, timers: 0 };

export const anna = { id: '1', name: 'Anna' };
export const ben = { id: '2', name: 'Ben' };

let made = 0;
export const itemOf = (text: string, more: Partial<SpeechItem> = {}): SpeechItem => {
  made += 1;
  return { id: `i${made}`, kind: 'read', text, voice: {}, ...more };
};
