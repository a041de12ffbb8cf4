import { type Clock, waitUntil } from '../async/clock.ts';
import { parseToc, toMs } from '../audio/opus/packet.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { Person, Channel } from '../model/place.ts';
import type { DictatedTranscript, DictatedWords } from '../model/message.ts';
import type { RecogniserFactory } from '../ports/recogniser.ts';
import { joinParts, type TranscriptPart } from '../speech/transcript.ts';
import { createAudioMeter } from '../usage/room-meters.ts';
import { createSttPipeline } from './stt/pipeline.ts';
import type { TranscriptEvent } from './stt/transcript-emitter.ts';
import type { VoiceServices } from './room-types.ts';
import { createHints } from './subscription.ts';

export interface DictationListener {
  readonly words: (words: DictatedWords) => void;
  /** Reports why no more words follow; nothing is reported afterwards. */
  readonly ended: (error: AppError) => void;
}

export interface DictationRequest {
  readonly member: Person;
  /** The channel whose space, limits and glossary apply. */
  readonly channel: Channel;
  readonly listener: DictationListener;
}

/** Speech of one person that is recognised while it is recorded. Disposing drops all that is under way. */
export type Dictation = ReturnType<typeof startDictation>;

/** Opens a dictation. Rejects with `forbidden` after an opt-out and with `rate-limited` at a limit. */
export type OpenDictation = (request: DictationRequest) => Promise<Dictation>;

export interface DictationDeps {
  readonly services: Pick<VoiceServices, 'glossary' | 'limits' | 'privacy' | 'settings' | 'usage'>;
  readonly createRecogniser: RecogniserFactory;
  /** False where what grows should not be sent again and again: words follow after each pause. */
  readonly partials: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Delay of packets on the network that does not count as a pause: the time follows from their own order. */
const JITTER_MS = 2_000;
/** Longest wait for the last words. */
const FINISH_MS = 10_000;

const startDictation = (
  { services, createRecogniser, partials, clock, log }: DictationDeps,
  { member, channel, listener }: DictationRequest,
  count: (event: TranscriptEvent) => Promise<AppError | undefined>,
) => {
  const startMs = clock.nowMs() + JITTER_MS;
  const parts: TranscriptPart[] = [];
  let packets = 0;
  let samples = 0;
  let isEnding = false;
  let isOver = false;

  const close = (): void => {
    isOver = true;
    void pipeline[Symbol.asyncDispose]();
  };
  const end = (error: AppError): void => {
    if (isOver) return;
    close();
    listener.ended(error);
  };
  const final = async (event: TranscriptEvent): Promise<void> => {
    if (event.text !== '')
      parts.push({
        text: event.text,
        language: event.language,
        startMs: Math.max(0, event.startMs - startMs),
        endMs: Math.max(0, event.endMs - startMs),
        words: event.words?.map((word) => ({
          ...word,
          startMs: word.startMs - startMs,
          endMs: word.endMs - startMs,
        })),
      });
    const fault = await count(event);
    // The last words may be those with which a limit is reached.
    if (fault && !isEnding) end(fault);
  };

  const pipeline = createSttPipeline({
    recogniser: createRecogniser({ partials, space: channel.space }),
    clock,
    hints: createHints({
      services,
      clock,
      channel: () => channel,
      people: () => [],
      languages: () => [],
    }).of,
    listener: {
      transcript: (event) => {
        if (isOver) return;
        const { id, text, language, isFinal } = event;
        listener.words({ id, text, language, isFinal });
        if (isFinal) void final(event);
      },
      trouble: (error) => {
        // It will not pass while somebody speaks: there is no engine, or it is out of credit.
        if (error && !error.retryable) end(error);
      },
    },
    log,
  });

  /** True when every packet was used and every utterance has its text. */
  const isWhole = (): boolean => {
    const { utterances, transcripts, refused, packets: used } = pipeline.counts;
    const silent = refused['no-words'] + refused.noise;
    return used.taken === packets && transcripts + silent === utterances;
  };

  return {
    /** Takes the next Opus packet of the recording, which follows the one before without a gap. */
    packet: (data: Uint8Array): void => {
      if (isOver || isEnding) return;
      const timestampSamples = samples;
      packets += 1;
      samples += parseToc(data)?.samples ?? 0;
      const arrivedMs = startMs + toMs(samples);
      pipeline.packet({
        speakerId: member.id,
        data,
        sequence: packets,
        timestampSamples,
        arrivedMs,
      });
    },
    /**
     * Ends the recording. Resolves with its text when its last words are recognised, and with undefined
     * where any of its speech was not. Called at most once.
     */
    finish: async (): Promise<DictatedTranscript | undefined> => {
      if (isOver) return undefined;
      isEnding = true;
      const settled = pipeline.settled().then(() => true);
      await waitUntil(clock, clock.nowMs() + FINISH_MS, settled);
      const isSettled = await Promise.race([settled, Promise.resolve(false)]);
      const text = isSettled && !isOver && isWhole() ? joinParts(parts) : undefined;
      if (!isOver) close();
      return text === undefined || text.text === '' ? undefined : text;
    },
    [Symbol.dispose]: () => {
      if (!isOver) close();
    },
  };
};

/** Creates the opener of dictations: the speech-to-text of voice rooms, for one person's recording. */
export const createDictationOpener = (deps: DictationDeps): OpenDictation => {
  const { services, log } = deps;
  return async (request) => {
    const { member, channel } = request;
    if (await services.privacy.optedOut(member))
      throw new AppError('forbidden', 'nothing is recognised unasked after an opt-out');
    const usage = createAudioMeter({
      services,
      memberId: member.id,
      channel: () => channel,
      log,
    });
    const fault = await usage.fault();
    if (fault) throw fault;
    return startDictation(deps, request, async (event) => (await usage.count(event))?.fault);
  };
};
