import { createHash } from 'node:crypto';
import { createByteReader } from '../../src/audio/bytes.ts';
import { sniff } from '../../src/audio/container/sniff.ts';
import { readWebm } from '../../src/audio/container/webm.ts';
import { unsupportedAudio } from '../../src/audio/errors.ts';
import { type AppError, toAppError } from '../../src/errors.ts';

/** A recording that has arrived. */
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
    /** Stops reading. */
    drop: (): void => stop.abort(),
  };
};
