import { hash } from 'node:crypto';
import type { ByteSource, MessageFile } from '../../model/file.ts';
import type { Message } from '../../model/message.ts';

type StoredFile = Omit<MessageFile, 'open'>;

/** A message as a row keeps it: without its place, and without what reads its files. */
export type StoredMessage = Omit<Message, 'ref' | 'files'> & { readonly files: StoredFile[] };

/** Opens a file of a message again after it was stored. */
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

/** The content hash of a message that is not to be translated. */
export const skippedHash = (reason: string): string => `skipped:${reason}`;

/** A fingerprint that is the same for two states of a message between which people see no difference. */
export const contentHash = ({ text, files, stickers, author, system }: Message): string =>
  hash(
    'sha256',
    JSON.stringify([
      text,
      files.map(({ id }) => id),
      stickers.map(({ url }) => url),
      author.id,
      system ?? false,
    ]),
    'base64url',
  );
