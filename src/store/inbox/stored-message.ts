import { createHash } from 'node:crypto';
import type { ByteSource, MessageFile } from '../../model/file.ts';
import type { Message } from '../../model/message.ts';

type StoredFile = Omit<MessageFile, 'open'>;

/** A message as stored in a row: without its place, and without access to its files. */
export type StoredMessage = Omit<Message, 'ref' | 'files'> & { readonly files: StoredFile[] };

/** Opens a file of a stored message. */
export type OpenFile = (file: StoredFile) => ByteSource['open'];

const withoutOpen = (file: MessageFile): StoredFile => {
  const { id, name, mediaType, sizeBytes, voice } = file;
  return { id, name, mediaType, sizeBytes, ...(voice ? { voice } : {}) };
};

export const toStored = (message: Message): StoredMessage => {
  const { ref: _ref, ...kept } = message;
  return { ...kept, files: message.files.map(withoutOpen) };
};

export const fromStored = (
  ref: Message['ref'],
  { files, ...message }: StoredMessage,
  open: OpenFile,
): Message => ({
  ...message,
  ref,
  files: files.map((file) => ({ ...file, open: open(file) })),
});

/** Content hash of a skipped message. */
export const skippedHash = (reason: string): string => `skipped:${reason}`;

/** Hash of a message's visible content. */
export const contentHash = ({ text, files, stickers, author, system }: Message): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        text,
        files.map(({ id }) => id),
        stickers.map(({ url }) => url),
        author.id,
        system ?? false,
      ]),
    )
    .digest('base64url');
