import { AppError, toAppError } from '../../errors.ts';
import type { MessageFile, OutgoingFile, UnreadFile } from '../../model/message.ts';
import type { MirrorFile } from '../../ports/mirrors.ts';

/** The files of a message for its mirrors. */
export interface Attachments {
  readonly files: readonly MirrorFile[];
  /** Names of the files that are too large or cannot be read. */
  readonly leftOut: readonly string[];
}

const readBytes = async (file: MessageFile, signal: AbortSignal): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.open(signal)) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const described = ({ id, name, mediaType, altText, voice }: MessageFile) => ({
  id,
  name,
  mediaType,
  ...(altText === undefined ? {} : { altText }),
  ...(voice ? { voice } : {}),
});

const readFile = async (file: MessageFile, signal: AbortSignal) => ({
  ...described(file),
  bytes: await readBytes(file, signal),
});

/**
 * The files that fit together into one mirror that stands already, which may have them; they are
 * read where it does not.
 *
 * @param onFault called when a file cannot be read, or is not as large as it should be
 */
export const unreadAttachments = (
  files: readonly MessageFile[],
  limitBytes: number,
  signal: AbortSignal,
  onFault: () => void,
): Attachments => {
  let roomBytes = limitBytes;
  const [fitting, leftOut]: [(UnreadFile & { readonly id: string })[], string[]] = [[], []];
  for (const file of files) {
    const { sizeBytes, name } = file;
    if (sizeBytes === undefined || sizeBytes > roomBytes) {
      leftOut.push(name);
      continue;
    }
    roomBytes -= sizeBytes;
    const read = async (): Promise<Uint8Array> => {
      try {
        const bytes = await readBytes(file, signal);
        if (bytes.byteLength === sizeBytes) return bytes;
        throw new AppError('bad-input', 'a file is not as large as it should be');
      } catch (thrown) {
        onFault();
        throw thrown;
      }
    };
    fitting.push({ ...described(file), sizeBytes, read });
  }
  return { files: fitting, leftOut };
};

/**
 * Reads the files that fit together into one mirror. Rejects where a retry may succeed, unless
 * `isLast`: then files that cannot be read are left out.
 */
export const readAttachments = async (
  files: readonly MessageFile[],
  limitBytes: number,
  isLast: boolean,
  signal: AbortSignal,
): Promise<Attachments> => {
  const fitting: (OutgoingFile & { readonly id: string })[] = [];
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
      if (error.code === 'cancelled' || (error.retryable && !isLast)) throw error;
      leftOut.push(file.name);
    }
  }
  return { files: fitting, leftOut };
};
