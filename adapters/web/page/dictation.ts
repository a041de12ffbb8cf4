import type { DictatedWords } from '../../../src/model/message.ts';
import type { DictationEnd } from '../protocol.ts';
import { applyWords, type LiveTranscript } from './live-transcript.ts';

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

const address = (): URL => {
  const url = new URL('api/dictation', document.baseURI);
  url.protocol = url.protocol.replace('http', 'ws');
  return url;
};

const connect = (): WebSocket | undefined => {
  try {
    return new WebSocket(address());
  } catch {
    // Some browsers refuse by throwing, as with a policy that does not know the scheme.
    return undefined;
  }
};

/** Opens the connection for a recording, where the browser allows it; `onChange` gets its words. */
export const openDictation = (
  onChange: (live: LiveTranscript) => void,
): RecordingSender | undefined => {
  const socket = connect();
  if (!socket) return undefined;
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
