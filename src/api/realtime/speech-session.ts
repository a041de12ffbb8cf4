import { orAborted } from '../../async/abort.ts';
import { AppError } from '../../errors.ts';
import { PATHS } from '../contract.ts';
import { speechEvent, type SpeechUpdate } from './contract.ts';
import type { OpenSocket } from './socket.ts';

/** Audio that waits for its consumer before the socket is held. */
const HELD_BYTES = 1_048_576;

/** One synthesis, from its text to its last audio. */
interface Synthesis {
  chunks: Uint8Array[];
  waitingBytes: number;
  isDone: boolean;
  error: AppError | undefined;
  /** Wakes the consumer. */
  wake: () => void;
}

/** A connection that speaks with one voice in one format, one text at a time. */
export type SpeechSession = ReturnType<typeof openSpeechSession>;

const broken = (reason: string): AppError =>
  new AppError('unavailable', `the connection of speech broke: ${reason}`, { retryable: true });

/** Opens a connection; `ended` is called once, when it is of no more use. */
export const openSpeechSession = (
  openSocket: OpenSocket,
  setting: SpeechUpdate['session'],
  ended: () => void,
) => {
  const opened = Promise.withResolvers<void>();
  opened.promise.catch(() => undefined);
  let synthesis: Synthesis | undefined;
  let texts = 0;
  let isOver = false;

  const end = (error: AppError): void => {
    if (isOver) return;
    isOver = true;
    opened.reject(error);
    if (synthesis) synthesis.error = error;
    synthesis?.wake();
    ended();
  };
  const fail = (error: AppError): void => {
    socket.drop();
    end(error);
  };

  const take = (audio: Uint8Array): void => {
    if (!synthesis || audio.length === 0) return;
    synthesis.chunks.push(audio);
    synthesis.waitingBytes += audio.length;
    if (synthesis.waitingBytes > HELD_BYTES) socket.hold(true);
    synthesis.wake();
  };
  const follow = (text: string): void => {
    let event: ReturnType<typeof speechEvent.parse>;
    try {
      event = speechEvent.parse(JSON.parse(text));
    } catch {
      return;
    }
    if (event.type === 'error') {
      // Its words may repeat the text. The request that follows tells what was wrong.
      fail(new AppError('bad-reply', 'the service cannot speak this here'));
    } else if (event.type === 'tts.audio.done' && synthesis) {
      synthesis.isDone = true;
      synthesis.wake();
    } else if (event.type.startsWith('tts.audio') && event.audio !== undefined)
      take(Buffer.from(event.audio, 'base64'));
  };

  const socket = openSocket(PATHS.realtimeSpeech, {
    opened: () => {
      socket.send({ type: 'session.update', session: setting } satisfies SpeechUpdate);
      opened.resolve();
    },
    message: (data) => (typeof data === 'string' ? follow(data) : take(data)),
    closed: (error) => end(error ?? broken('closed')),
  });

  const speak = async function* (
    text: string,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, void> {
    const mine: Synthesis = {
      chunks: [],
      waitingBytes: 0,
      isDone: false,
      error: undefined,
      wake: () => undefined,
    };
    synthesis = mine;
    texts += 1;
    try {
      await orAborted(opened.promise, signal);
      socket.send({ type: 'tts.speak', text });
      for (;;) {
        const chunk = mine.chunks.shift();
        if (chunk) {
          mine.waitingBytes -= chunk.length;
          if (mine.waitingBytes <= HELD_BYTES / 2) socket.hold(false);
          yield chunk;
          continue;
        }
        if (mine.isDone) return;
        if (mine.error) throw mine.error;
        const more = Promise.withResolvers<void>();
        mine.wake = more.resolve;
        await orAborted(more.promise, signal);
      }
    } finally {
      synthesis = undefined;
      // The rest of a text that nobody wants cannot be called off.
      if (!mine.isDone && !isOver) fail(broken('left'));
    }
  };

  return {
    /** True while a text is spoken. */
    get isBusy(): boolean {
      return synthesis !== undefined;
    },
    /** True after the connection has ended. */
    get isOver(): boolean {
      return isOver;
    },
    /** Number of texts so far. */
    get texts(): number {
      return texts;
    },
    /** Speaks a text; the audio ends with an `AppError` where the session does. */
    speak,
    close: (): void => {
      socket.close();
      end(broken('closed'));
    },
  };
};
