import { randomUUID } from 'node:crypto';
import {
  audioAppend,
  BYTES_PER_SAMPLE,
  CLOSE,
  REALTIME_RATE_HZ,
  recognitionUpdate,
} from '../../src/api/realtime/contract.ts';
import { FRAME_MS } from '../../src/audio/vad.ts';
import type { AsrPlainReply } from '../../src/api/contract.ts';
import { samplesOfS16le } from '../../src/audio/pcm.ts';
import { validate } from '../body.ts';
import { ContractError, invalidRequest } from '../errors.ts';
import { readLanguage, toLanguage } from '../language.ts';
import { createAllowance } from '../allowance.ts';
import {
  parseFrame,
  createFaults,
  floodError,
  sendError,
  type Peer,
  type PeerSession,
} from './peer.ts';
import { createSpeechSegmenter, joinSegments, type SpeechSegment } from './speech-segmenter.ts';
import {
  createUtteranceRecognition,
  type UtteranceRecognitionDeps,
} from './utterance-recognition.ts';

/** The longest utterance, whatever an engine takes at once. */
const LONGEST_UTTERANCE_MS = 30_000;
/** Audio ahead of real time: a client sends again what it has since the last final. */
const AUDIO = { most: 120, perSecond: 2 };
/** Messages ahead of real time; clients send ten a second. */
const MESSAGES = { most: 2_000, perSecond: 50 };
/** Longest utterances that are recognised as one: in longer ones recognisers leave out what is in a second language. */
const LONGEST_JOINED_MS = 3_000;
/** Waiting speech from which as much as an engine takes is recognised as one. */
const MUCH_WAITING_MS = 30_000;
/** Speech that may wait to be recognised; then the engine is too slow. */
const MOST_WAITING_MS = 180_000;

export interface AsrSessionDeps extends Omit<
  UtteranceRecognitionDeps,
  'hints' | 'expected' | 'timing' | 'grown' | 'ended' | 'failed'
> {
  readonly peer: Peer;
}

/** Reads the samples of PCM. Throws a 400 where the last one is not whole. */
export const readPcm = (audio: Uint8Array): Float32Array => {
  if (audio.length % BYTES_PER_SAMPLE !== 0)
    throw new ContractError(
      'ErrInvalidAudio',
      'Invalid audio: an odd number of bytes. Send whole samples of 16 bits.',
    );
  return samplesOfS16le(audio);
};

/** The hints of a session, and the language that is expected where they name none. */
const readSettings = (message: unknown): Pick<UtteranceRecognitionDeps, 'hints' | 'expected'> => {
  const { session } = validate(recognitionUpdate, message);
  const { input_audio_format: format = 'pcm_s16le', sample_rate: rateHz, channels } = session;
  if (format !== 'pcm_s16le' || (rateHz ?? REALTIME_RATE_HZ) !== REALTIME_RATE_HZ || channels === 2)
    throw new ContractError(
      'ErrUnsupportedFormat',
      'Unsupported audio: send pcm_s16le at 16000 Hz with 1 channel.',
    );
  const { language = 'auto', default_language: expected, hotwords, words } = session;
  return {
    hints: {
      ...(language === 'auto' ? {} : { language: readLanguage('session.language', language) }),
      ...(hotwords ? { hotwords } : {}),
      ...(words ? { words } : {}),
    },
    expected: expected === undefined ? undefined : toLanguage(expected),
  };
};

/** Starts a session of `/ws/asr/realtime`. */
export const startRecognitionSession = (deps: AsrSessionDeps): PeerSession => {
  const { peer, account, offers, clock, log } = deps;
  const stop = new AbortController();
  const { signal } = stop;
  const { end, flood, fault } = createFaults(peer, log, stop);
  const audioSeconds = createAllowance(clock, AUDIO);
  const messages = createAllowance(clock, MESSAGES);
  const longestMs = Math.min(LONGEST_UTTERANCE_MS, ...offers.map(({ engine }) => engine.longestMs));
  const segmenter = createSpeechSegmenter(longestMs);
  const counts = { finals: 0, noSpeech: 0, errors: 0 };
  let settings: ReturnType<typeof readSettings> = { hints: {} };
  let seq = 0;
  let results = 0;
  let finals = Promise.resolve();
  /** Utterances that wait for their final, in their order. */
  const waiting: SpeechSegment[] = [];
  const timing = { partialTookMs: 0 };
  let isEnding = false;
  const utterances = new Map<
    SpeechSegment,
    { readonly id: string; readonly recognition: ReturnType<typeof createUtteranceRecognition> }
  >();

  signal.addEventListener('abort', () => {
    for (const { recognition } of utterances.values()) recognition.giveUp();
  });

  const say = (message: object): void => {
    if (!signal.aborted) peer.send({ ...message, seq: (seq += 1) });
  };

  const resultOf = (segment: SpeechSegment, utteranceId: string) => {
    results += 1;
    return {
      utterance_id: utteranceId,
      result_id: `${utteranceId}-${results}`,
      audio_start_ms: segment.startMs,
      audio_end_ms: segment.endMs,
    };
  };

  const began = (segment: SpeechSegment): void => {
    const id = randomUUID();
    const recognition = createUtteranceRecognition(segment, {
      account,
      offers,
      ...settings,
      clock,
      timing,
      log,
      grown: (reply) => sayPartial(segment, id, reply),
      ended: (endMs) => {
        if (segmenter.open === segment) follow(segmenter.cutAfter(endMs), true);
      },
      failed: () => say({ type: 'partials_stopped', utterance_id: id }),
    });
    utterances.set(segment, { id, recognition });
    say({
      type: 'speech_started',
      utterance_id: id,
      audio_start_ms: segment.startMs,
      ...(recognition.isLate ? { partials: false } : {}),
    });
  };

  const sayFinal = (segment: SpeechSegment, id: string, reply: AsrPlainReply): void => {
    const { confidence_known: isKnown = true, confidence, ...heard } = reply;
    say({
      type: 'asr.final_result',
      ...resultOf(segment, id),
      ...heard,
      confidence: isKnown ? confidence : undefined,
      is_final: true,
      replaces: [],
    });
  };

  /** Recognises utterances as one; its text is that of the first. */
  const recogniseFinal = async (segments: readonly SpeechSegment[]): Promise<void> => {
    const [first, ...others] = segments.map((segment) => utterances.get(segment));
    if (!first || signal.aborted) return;
    try {
      const whole = joinSegments(segments);
      const reply = await first.recognition.final(signal, whole);
      counts.finals += segments.length;
      if (reply.text === '') counts.noSpeech += segments.length;
      sayFinal(whole, first.id, reply);
      for (const [index, other] of others.entries())
        if (other) sayFinal(segments[index + 1]!, other.id, { ...reply, text: '' });
    } catch (thrown) {
      if (signal.aborted) return;
      counts.errors += segments.length;
      sendError(peer, thrown, log, {
        utterance_ids: [first, ...others].flatMap((one) => (one ? [one.id] : [])),
      });
    } finally {
      account.release();
      for (const segment of segments) utterances.delete(segment);
    }
  };

  const waitingMs = (): number =>
    waiting.reduce((sum, { frames }) => sum + frames.length * FRAME_MS, 0);

  const isAlone = (segment: SpeechSegment): boolean =>
    utterances.get(segment)?.recognition.isFollowed === true;

  /** Takes the first of the waiting utterances, and those behind it that are recognised with it. */
  const takeWaiting = (): readonly SpeechSegment[] => {
    if (waiting[0] && isAlone(waiting[0])) return waiting.splice(0, 1);
    const mostMs = waitingMs() > MUCH_WAITING_MS ? longestMs : LONGEST_JOINED_MS;
    const latestMs = (waiting[0]?.startMs ?? 0) + mostMs;
    const next = waiting.findIndex(
      (segment, index) => index > 0 && (segment.endMs > latestMs || isAlone(segment)),
    );
    return waiting.splice(0, next < 0 ? waiting.length : next);
  };

  const recogniseWaiting = async (): Promise<void> => {
    while (waiting.length > 0 && !signal.aborted) await recogniseFinal(takeWaiting());
  };

  const stopped = (segment: SpeechSegment): void => {
    const { startMs, endMs } = segment;
    const id = utterances.get(segment)?.id;
    say({ type: 'speech_stopped', utterance_id: id, audio_start_ms: startMs, audio_end_ms: endMs });
    waiting.push(segment);
    if (waitingMs() > MOST_WAITING_MS)
      return end(floodError('speech waits to be recognised'), CLOSE.busy);
    finals = finals.then(recogniseWaiting);
  };

  const sayPartial = (segment: SpeechSegment, id: string, reply: AsrPlainReply): void => {
    if (segmenter.open !== segment) return;
    const { text, language, requested_language } = reply;
    const heard = { ...resultOf(segment, id), text, language, requested_language };
    say({ type: 'asr.partial_result', ...heard, is_final: false, stable: true });
  };

  /** @param isHeard true where the recogniser found the end itself */
  const follow = (events: ReturnType<typeof segmenter.push>, isHeard = false): void => {
    for (const { kind, segment } of events)
      if (kind === 'started') began(segment);
      else {
        const recognition = utterances.get(segment)?.recognition;
        // What follows a cut was fed, too.
        const isCut = segmenter.open?.startMs === segment.endMs;
        if (isCut && !isHeard) recognition?.leave();
        else recognition?.stop(isHeard);
        stopped(segment);
      }
  };

  const append = (samples: Float32Array): void => {
    if (!audioSeconds.take(samples.length / REALTIME_RATE_HZ))
      return flood('audio comes faster than it is spoken');
    follow(segmenter.push(samples));
    if (segmenter.open) utterances.get(segmenter.open)?.recognition.grow(signal);
  };

  /** Gives up what is being said. */
  const clear = (): void => {
    for (const { segment } of segmenter.end()) {
      utterances.get(segment)?.recognition.giveUp();
      utterances.delete(segment);
    }
  };

  const finish = async (): Promise<void> => {
    isEnding = true;
    follow(segmenter.end());
    await finals;
    const usage = {
      status: 'completed',
      final_count: counts.finals,
      final_no_speech_count: counts.noSpeech,
      final_error_count: counts.errors,
    };
    say({ type: 'session.usage', final: true, usage });
    if (!signal.aborted) peer.close(CLOSE.normal, '');
    stop.abort();
  };

  const take = (message: { readonly type: string }): void => {
    switch (message.type) {
      case 'session.update':
        settings = readSettings(message);
        return;
      case 'input_audio.append':
        return append(readPcm(Buffer.from(validate(audioAppend, message).audio, 'base64')));
      case 'input_audio.commit':
        return follow(segmenter.end());
      case 'input_audio.clear':
        return clear();
      case 'session.close':
        return void finish();
      case 'router.translation.update':
        throw invalidRequest(
          'Translation within the session is not supported. Use POST /translate/.',
        );
      default:
        throw invalidRequest('The type of the message is unknown.');
    }
  };

  say({ type: 'session.created', session_id: randomUUID() });
  return {
    message: (text) => {
      if (signal.aborted || isEnding) return;
      if (!messages.take(1)) return flood('messages come too fast');
      try {
        take(parseFrame(text));
      } catch (thrown) {
        fault(thrown);
      }
    },
    bytes: () => {
      if (!isEnding)
        fault(
          invalidRequest('Binary frames are not supported. Send input_audio.append with base64.'),
        );
    },
    isBusy: () => false,
    closed: () => stop.abort(),
  };
};
