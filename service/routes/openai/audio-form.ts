import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { ContractError, invalidRequest } from '../../errors.ts';

/** Most fields besides the file, and the longest. */
const MAX_FIELDS = 40;
const MAX_FIELD_BYTES = 16 * 1024;

export interface AudioForm {
  /** The bytes of the field `file`; undefined when there is none. */
  readonly audio: readonly Uint8Array[] | undefined;
  /** The values of the other fields, by name. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
}

const notAForm = (): ContractError =>
  invalidRequest('The request body must be whole multipart/form-data.');

/** Reads a form with one file as it arrives. Throws `ContractError` for anything else. */
export const readAudioForm = async (
  contentType: string,
  body: AsyncIterable<Uint8Array>,
): Promise<AudioForm> => {
  if (!/^multipart\/form-data\s*;.*boundary=/i.test(contentType)) throw notAForm();
  const fields = new Map<string, string[]>();
  let audio: Uint8Array[] | undefined;
  let isOver = false;
  const parser = new Busboy({
    headers: { 'content-type': contentType },
    limits: { fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, files: 1, parts: MAX_FIELDS + 1 },
  });
  const setOver = (): void => {
    isOver = true;
  };
  parser.on('field', (name, value, _nameCut, isCut) => {
    isOver ||= isCut;
    fields.set(name, [...(fields.get(name) ?? []), value]);
  });
  parser.on('file', (name, stream) => {
    if (name !== 'file') {
      stream.resume();
      return;
    }
    const parts: Uint8Array[] = [];
    audio = parts;
    stream.on('data', (chunk: Uint8Array) => parts.push(chunk));
  });
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
    parser.on(limit, setOver);
  try {
    await pipeline(Readable.from(body), parser);
  } catch (error) {
    throw error instanceof ContractError ? error : notAForm();
  }
  if (isOver)
    throw new ContractError('ErrRequestTooLarge', 'The form has too many or too long fields.');
  return { audio, fields };
};
