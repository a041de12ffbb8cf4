import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { listFiles, unusable } from '../sherpa-onnx/model-folder.ts';

/** A language model: one file in the format GGUF of llama.cpp. */
export interface ChatModel {
  /** Name of its folder. */
  readonly name: string;
  /** Path of the file. */
  readonly path: string;
  readonly bytes: number;
}

/** First bytes of each GGUF file. */
const MAGIC = 'GGUF';

/**
 * Detects the language model in a folder; undefined for a folder without one. Throws `AppError`
 * (`config`) for a folder with several, and for a file that is something else.
 */
export const findChatModel = async (folder: string): Promise<ChatModel | undefined> => {
  const [name, ...others] = (await listFiles(folder)).filter((file) => file.endsWith('.gguf'));
  if (name === undefined) return undefined;
  if (others.length > 0)
    throw unusable(folder, 'there are several models in it; give each a folder of its own');
  const path = join(folder, name);
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
  if (buffer.toString('latin1') !== MAGIC) throw unusable(folder, `${name} is no GGUF file`);
  return { name: basename(folder), path, bytes: (await file.stat()).size };
};
