import type { WebSocket } from 'ws';
import { z } from 'zod';
import { realClock, type Clock } from '../../../src/async/clock.ts';
import { toS16le } from '../../../src/audio/pcm.ts';
import { createResampler } from '../../../src/audio/resample.ts';
import { AppError } from '../../../src/errors.ts';
import { joinTexts } from '../../../src/text/local-agreement.ts';
import type { Upstream } from '../../back-end/http.ts';
import {
  RECOGNITION_RATE_HZ,
  type EngineHints,
  type RecognisedText,
  type RecognitionStream,
  type StreamListener,
  type StreamRecognition,
} from '../../engine.ts';
import { parseJson } from '../../json.ts';
import { commonCode } from '../../language.ts';
import { isLoop } from '../../loops.ts';
import { createStreamPlaces } from '../../stream-places.ts';
import { promptOf } from './hotwords.ts';

/** The rate of `pcm16` in that API. */
const RATE_HZ = 24_000;
const SAMPLES_PER_MS = RECOGNITION_RATE_HZ / 1_000;
/** Sessions at the same time. */
const MOST_SESSIONS = 16;
/** Longest wait for a session when the server is tried, and time until one that failed is tried again. */
const TRY_MS = 5_000;
const TRY_AGAIN_MS = 60_000;
/** Bytes that the server has not taken: it is too slow then. */
const MOST_UNSENT_BYTES = 4 * 1024 * 1024;
/** Silence after which the server begins to recognise what was said; the utterance goes on. */
const PAUSE_MS = 300;
/** The error with which a server tells that all was committed already. */
const NOTHING_LEFT = 'input_audio_buffer_commit_empty';

const serverEvent = z.object({
  type: z.string(),
  item_id: z.string().default(''),
  delta: z.string().default(''),
  transcript: z.string().default(''),
  error: z.object({ code: z.string().nullish() }).nullish(),
});
type ServerEvent = z.infer<typeof serverEvent>;

const broken = (why: string): AppError =>
  new AppError('unavailable', `The backend's realtime session ${why}.`, { retryable: true });

const noEvent = (): AppError => broken('sent what is no event');

const eventOf = (data: unknown): ServerEvent => {
  const { data: event } = serverEvent.safeParse(parseJson(String(data), noEvent));
  if (!event) throw noEvent();
  return event;
};

/** Forms of a session's settings: today's, and that of the API's beta, which many servers have. */
const FORMS = [
  (transcription: object, turn_detection: object | null) => ({
    type: 'session.update',
    session: {
      type: 'transcription',
      audio: {
        input: { format: { type: 'audio/pcm', rate: RATE_HZ }, transcription, turn_detection },
      },
    },
  }),
  (transcription: object, turn_detection: object | null) => ({
    type: 'transcription_session.update',
    session: {
      input_audio_format: 'pcm16',
      input_audio_transcription: transcription,
      turn_detection,
    },
  }),
] as const;

/** A way to open a session, which a server has taken. */
interface Way {
  readonly path: string;
  readonly form: (typeof FORMS)[number];
}

const waysFor = (model: string): readonly Way[] => {
  const path = '/realtime?intent=transcription';
  // Some want the model named in the address, and others refuse that.
  return [path, `${path}&model=${encodeURIComponent(model)}`].flatMap((each) =>
    FORMS.map((form) => ({ path: each, form })),
  );
};

/** The message that sets a session; at its end, the server is to find no pauses any more. */
const settingsOf = (
  { form }: Way,
  model: string,
  { language, hotwords }: EngineHints,
  isEnd: boolean,
): string =>
  JSON.stringify(
    form(
      {
        model,
        ...(language === undefined ? {} : { language: commonCode(language) }),
        ...(hotwords?.length ? { prompt: promptOf(hotwords) } : {}),
      },
      isEnd ? null : { type: 'server_vad', silence_duration_ms: PAUSE_MS },
    ),
  );

/** True for the event with which a server takes settings. */
const areSet = ({ type }: ServerEvent): boolean =>
  /^(?:transcription_)?session\.updated$/.test(type);

/** Takes what a server sends, and the end of its session. */
const listen = (
  socket: WebSocket,
  take: (event: ServerEvent) => void,
  ended: (error: AppError) => void,
): void => {
  socket.on('message', (data) => {
    try {
      take(eventOf(data));
    } catch (error) {
      ended(error instanceof AppError ? error : noEvent());
    }
  });
  socket.on('error', () => ended(broken('cannot be reached')));
  socket.on('close', () => ended(broken('was closed')));
};

/** Opens a session, and resolves once the server has taken its settings. */
const tryWay = async (upstream: Upstream, way: Way, model: string): Promise<boolean> => {
  const socket = upstream.connect(way.path);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const disarm = realClock.after(TRY_MS, () => resolve(false));
  socket.on('open', () => socket.send(settingsOf(way, model, {}, false)));
  const take = (event: ServerEvent): void => {
    if (areSet(event)) resolve(true);
    else if (event.type === 'error') resolve(false);
  };
  listen(socket, take, () => resolve(false));
  return promise.finally(() => {
    disarm();
    socket.terminate();
  });
};

const openStream = (
  socket: WebSocket,
  settings: (isEnd: boolean) => string,
  hints: EngineHints,
  { heard, failed }: StreamListener,
  closed: (error?: AppError) => void,
): RecognitionStream => {
  const resampler = createResampler(RECOGNITION_RATE_HZ, RATE_HZ);
  const finished = Promise.withResolvers<RecognisedText>();
  finished.promise.catch(() => undefined);
  /** Texts of what the server recognises apart, in their order. */
  const texts = new Map<string, string>();
  const pending = new Set<string>();
  let waiting: string[] | undefined = [settings(false)];
  /** Times that the server has taken settings. */
  let set = 0;
  let samples = 0;
  let isOver = false;
  let isEnding = false;
  let isCommitted = false;

  const end = (error?: AppError): void => {
    if (isOver) return;
    isOver = true;
    socket.terminate();
    closed(error);
    if (!error) return;
    finished.reject(error);
    failed(error);
  };
  const send = (message: string): void => {
    if (waiting) waiting.push(message);
    else socket.send(message);
    if (socket.bufferedAmount > MOST_UNSENT_BYTES) end(broken('takes no more sound'));
  };
  const sendSound = (sound: Float32Array): void => {
    if (sound.length === 0) return;
    const audio = Buffer.from(toS16le(sound)).toString('base64');
    send(JSON.stringify({ type: 'input_audio_buffer.append', audio }));
  };
  const soFar = (): RecognisedText => {
    const text = joinTexts([...texts.values()].map((each) => each.trim()));
    return {
      text,
      language: hints.language,
      confidence: isLoop(text) ? 0 : undefined,
      hotwordsUsed: Boolean(hints.hotwords?.length),
    };
  };
  const finishIfAll = (): void => {
    if (!isCommitted || pending.size > 0) return;
    finished.resolve(soFar());
    end();
  };

  const take = (event: ServerEvent): void => {
    if (isOver) return;
    const { type, item_id: id, delta, transcript, error } = event;
    if (areSet(event)) set += 1;
    switch (type) {
      case 'input_audio_buffer.committed':
        texts.set(id, texts.get(id) ?? '');
        pending.add(id);
        // Until it has taken the last settings, the server commits by itself.
        isCommitted = set > 1;
        return;
      case 'conversation.item.input_audio_transcription.delta':
        texts.set(id, (texts.get(id) ?? '') + delta);
        break;
      case 'conversation.item.input_audio_transcription.completed':
        texts.set(id, transcript);
        pending.delete(id);
        break;
      case 'conversation.item.input_audio_transcription.failed':
        return end(broken('does not recognise the sound'));
      case 'error':
        if (!isEnding || error?.code !== NOTHING_LEFT)
          return end(broken(`ended with ${error?.code ?? 'an error'}`));
        isCommitted = true;
        return finishIfAll();
      default:
        return;
    }
    if (!isOver) heard({ ...soFar(), isFinal: false, endMs: samples / SAMPLES_PER_MS });
    finishIfAll();
  };

  socket.on('open', () => {
    for (const message of waiting ?? []) socket.send(message);
    waiting = undefined;
  });
  listen(socket, take, end);

  return {
    feed: (sound) => {
      if (isOver || isEnding) return;
      samples += sound.length;
      sendSound(resampler.push(sound));
    },
    finish: () => {
      if (!isOver && !isEnding) {
        isEnding = true;
        sendSound(resampler.end());
        send(settings(true));
        send(JSON.stringify({ type: 'input_audio_buffer.commit' }));
      }
      return finished.promise;
    },
    [Symbol.dispose]: () => end(),
  };
};

/**
 * Creates the ability to recognise speech while it comes, by the realtime transcription of the OpenAI API. A
 * server is tried once it is wanted, and again some time after it failed; it knows no language until then.
 */
export const createRealtimeRecognition = (
  upstream: Upstream,
  model: string,
  clock: Pick<Clock, 'nowMs'> = realClock,
): StreamRecognition => {
  let way: Way | undefined;
  let isTrying = false;
  let tryAtMs = -Infinity;
  const places = createStreamPlaces();

  const find = async (): Promise<void> => {
    isTrying = true;
    for (const each of waysFor(model)) {
      if (await tryWay(upstream, each, model)) {
        way = each;
        break;
      }
    }
    // A server without that API does not get it while its models stay the same.
    tryAtMs = Infinity;
    isTrying = false;
  };

  return {
    knows: () => {
      if (!way && !isTrying && clock.nowMs() >= tryAtMs) void find();
      return way !== undefined;
    },
    open: (hints, listener, key = '') => {
      const place = way && places.take(key, MOST_SESSIONS);
      if (!way || !place) return undefined;
      const own = way;
      const settings = (isEnd: boolean): string => settingsOf(own, model, hints, isEnd);
      return openStream(upstream.connect(way.path), settings, hints, listener, (error) => {
        place[Symbol.dispose]();
        if (!error) return;
        way = undefined;
        tryAtMs = clock.nowMs() + TRY_AGAIN_MS;
      });
    },
  };
};
