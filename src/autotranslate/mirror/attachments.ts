import { toAppError } from '../../errors.ts';
import type { MessageFile, OutgoingFile } from '../../model/file.ts';

/** The files of a message for its mirrors. */
export interface Attachments {
  readonly files: readonly OutgoingFile[];
  /** Names of the files that are too large or cannot be read. */
  readonly leftOut: readonly string[];
}

const readFile = async (file: MessageFile, signal: AbortSignal): Promise<OutgoingFile> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.open(signal)) chunks.push(chunk);
  const { name, mediaType, voice } = file;
  return { name, mediaType, bytes: Buffer.concat(chunks), ...(voice ? { voice } : {}) };
};

/** Reads the files that fit together into one mirror. Rejects where a retry may succeed. */
export const readAttachments = async (
  files: readonly MessageFile[],
  limitBytes: number,
  signal: AbortSignal,
): Promise<Attachments> => {
  const fitting: OutgoingFile[] = [];
  const leftOut: string[] = [];
  let roomBytes = limitBytes;
  for (const file of files) {
    try {
      const fits = file.sizeBytes !== undefined && file.sizeBytes <= roomBytes;
      const read = fits ? await readFile(file, signal) : undefined;
      if (read && read.bytes.byteLength <= roomBytes) {
        roomBytes -= read.bytes.byteLength;
        fitting.push(read);
      } else leftOut.push(file.name);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'cancelled' || error.retryable) throw error;
      leftOut.push(file.name);
    }
  }
  return { files: fitting, leftOut };
};
