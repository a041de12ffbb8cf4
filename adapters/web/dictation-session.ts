import { createHash } from 'node:crypto';
import { createByteReader, unsupportedAudio } from '../../src/audio/bytes.ts';
import { sniff } from '../../src/audio/container/sniff.ts';
import { readWebm } from '../../src/audio/container/webm.ts';
import { type AppError, toAppError } from '../../src/errors.ts';
import { CLOSE } from '../../src/api/realtime/contract.ts';
import type { Clock } from '../../src/async/clock.ts';
import { toMs } from '../../src/audio/opus/packet.ts';
import type { DictatedTranscript, DictatedWords } from '../../src/model/message.ts';
import type { Dictation } from '../../src/voice/dictation.ts';
import { DICTATION_LIMITS } from './limits.ts';
import type { DictationEnd } from './protocol.ts';

export interface ReadRecording {
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Resolves, after the last packet, with true when all of it could be read. */
  readonly isWhole: Promise<boolean>;
}

export interface RecordingListener {
  /** Takes an Opus packet; `samples` is its length at 48 kHz. */
  readonly packet: (data: Uint8Array, samples: number) => void;
  /** Reports that these bytes are no recording that can be read; no packet follows. */
  readonly failed: (error: AppError) => void;
}

const MAGIC_BYTES = 4;

/** Creates the reader of a recording that a browser makes (WebM with Opus), while it arrives. */
export const createRecordingReader = ({ packet, failed }: RecordingListener) => {
  const stop = new AbortController();
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let arrived: ReadableStreamDefaultController<Uint8Array> | undefined;
  const bytes = new ReadableStream<Uint8Array>({
    start: (controller) => {
      arrived = controller;
    },
  });

  const read = async (): Promise<boolean> => {
    const reader = createByteReader(bytes, stop.signal);
    if (sniff(await reader.peek(MAGIC_BYTES)) !== 'webm')
      throw unsupportedAudio('a recording in another format');
    const items = readWebm(reader);
    for (;;) {
      const { done, value } = await items.next();
      if (done) return !value.truncated && !value.damaged;
      if (value.kind === 'packet') packet(value.data, value.samples);
      else if (value.kind === 'head' && value.head.mappingFamily !== 0)
        throw unsupportedAudio('a recording with many channels');
    }
  };
  const isWhole = read().catch((thrown: unknown) => {
    if (!stop.signal.aborted) failed(toAppError(thrown));
    return false;
  });

  return {
    /** Takes the next bytes. */
    push: (chunk: Uint8Array): void => {
      hash.update(chunk);
      sizeBytes += chunk.byteLength;
      arrived?.enqueue(chunk);
    },
    /** Ends the recording; nothing may be pushed afterwards. */
    end: (): ReadRecording => {
      arrived?.close();
      return { sizeBytes, sha256: hash.digest('hex'), isWhole };
    },
    drop: (): void => stop.abort(),
  };
};

const END: DictationEnd = 'end';

/** The browser of somebody who records. */
export interface DictationPeer {
  readonly send: (words: DictatedWords) => void;
  /** Closes the connection with a code of RFC 6455. */
  readonly close: (code: number) => void;
}

/** A recording that was recognised while it was made. */
export interface DictatedRecording extends Pick<ReadRecording, 'sizeBytes' | 'sha256'> {
  readonly text: Promise<DictatedTranscript | undefined>;
}

export interface DictationSessionDeps {
  readonly peer: DictationPeer;
  readonly dictation: Dictation;
  readonly clock: Clock;
  /** Takes the recording once all of it has arrived; its last words may still be missing. */
  readonly recorded: (recording: DictatedRecording) => void;
  /** Called once, when the session is over. */
  readonly over: () => void;
}

/** One recording under way, as its connection drives it. */
export type DictationSession = ReturnType<typeof startDictationSession>;

export const startDictationSession = (deps: DictationSessionDeps) => {
  const { peer, dictation, clock, recorded, over } = deps;
  const startMs = clock.nowMs();
  const used = { bytes: 0, messages: 0, audioMs: 0 };
  let state: 'recording' | 'ending' | 'over' = 'recording';
  let stopIdle: (() => void) | undefined;
  /** The parts that end with the session. */
  const parts = new DisposableStack();
  parts.use(dictation);

  const leave = (): void => {
    if (state === 'over') return;
    state = 'over';
    stopIdle?.();
    parts.dispose();
    over();
  };
  const drop = (code: number): void => {
    if (state === 'over') return;
    leave();
    peer.close(code);
  };

  /** Counts what came; false where it is more than a recorder makes. */
  const take = (kind: keyof typeof used, amount: number): boolean => {
    used[kind] += amount;
    const elapsedMs = clock.nowMs() - startMs;
    const { most, perSecond } = DICTATION_LIMITS[kind];
    const isFlood = used[kind] > most + (perSecond * elapsedMs) / 1_000;
    if (isFlood || elapsedMs > DICTATION_LIMITS.longestMs) drop(CLOSE.refused);
    return state !== 'over';
  };
  const awake = (): void => {
    stopIdle?.();
    stopIdle = clock.after(DICTATION_LIMITS.idleMs, () => drop(CLOSE.away));
  };
  const reader = createRecordingReader({
    packet: (data, samples) => {
      if (take('audioMs', toMs(samples))) dictation.packet(data);
    },
    failed: () => drop(CLOSE.unsupported),
  });
  parts.defer(reader.drop);

  const textOf = async (isWhole: Promise<boolean>): Promise<DictatedTranscript | undefined> => {
    const text = (await isWhole) ? await dictation.finish() : undefined;
    drop(CLOSE.normal);
    return text;
  };
  const end = (): void => {
    state = 'ending';
    stopIdle?.();
    const { isWhole, ...recording } = reader.end();
    recorded({ ...recording, text: textOf(isWhole) });
  };

  awake();
  return {
    bytes: (chunk: Uint8Array): void => {
      if (state !== 'recording' || !take('messages', 1) || !take('bytes', chunk.byteLength)) return;
      awake();
      reader.push(chunk);
    },
    text: (message: string): void => {
      if (state !== 'recording') return;
      if (message === END) end();
      else drop(CLOSE.unsupported);
    },
    closed: leave,
    /** Ends the session and closes its connection. */
    drop,
    /** True while somebody still records. */
    isRecording: (): boolean => state === 'recording',
  };
};
