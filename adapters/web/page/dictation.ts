import type { DictatedWords } from '../../../src/model/transcript.ts';
import type { DictationEnd } from '../protocol.ts';

/** The words of a recording under way, as far as they are known. */
export interface LiveTranscript {
  /** Words in the order of speech; only the last ones are not final. */
  readonly words: readonly DictatedWords[];
  /** True when no more words follow. */
  readonly isOver: boolean;
}

/** Sends a recording to the server while it is made. Nothing here can harm the recording. */
export interface RecordingSender {
  readonly send: (chunk: Blob) => void;
  readonly finish: () => void;
  readonly drop: () => void;
}

const END: DictationEnd = 'end';
/** Chunks that may wait for the connection, and bytes for a slow one: then there are no live words. */
const MOST_WAITING = 40;
const MOST_WAITING_BYTES = 1_048_576;

/** Takes over new words, in place of those with the same id. */
export const applyWords = (
  shown: readonly DictatedWords[],
  words: DictatedWords,
): readonly DictatedWords[] => {
  const others = shown.filter(({ id }) => id !== words.id);
  return words.text === '' ? others : [...others, words].toSorted((a, b) => a.id - b.id);
};

/** True for recordings that the server can read while they are made. */
export const canDictate = (mediaType: string): boolean => /^audio\/webm\b/i.test(mediaType);

const address = (): string =>
  `${location.protocol === 'https:' ? 'wss:' : 'ws:'}//${location.host}/api/dictation`;

/** Opens the connection for a recording; `onChange` gets its words. */
export const openDictation = (onChange: (live: LiveTranscript) => void): RecordingSender => {
  const socket = new WebSocket(address());
  const waiting: (Blob | DictationEnd)[] = [];
  let words: readonly DictatedWords[] = [];

  const send = (message: Blob | DictationEnd): void => {
    if (socket.readyState === WebSocket.CONNECTING) waiting.push(message);
    else if (socket.readyState === WebSocket.OPEN) socket.send(message);
  };
  socket.addEventListener('open', () => {
    for (const message of waiting.splice(0)) socket.send(message);
  });
  socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
    words = applyWords(words, JSON.parse(data) as DictatedWords);
    onChange({ words, isOver: false });
  });
  socket.addEventListener('close', () => {
    waiting.length = 0;
    onChange({ words, isOver: true });
  });

  return {
    send: (chunk) => {
      if (chunk.size === 0) return;
      if (waiting.length >= MOST_WAITING || socket.bufferedAmount > MOST_WAITING_BYTES)
        socket.close();
      else send(chunk);
    },
    finish: () => send(END),
    drop: () => socket.close(),
  };
};
