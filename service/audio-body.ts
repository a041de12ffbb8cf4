import { createBase64Decoder, createDataUrlDecoder, type AudioTextDecoder } from './base64.ts';
import { parseBody } from './body.ts';
import { ContractError } from './errors.ts';
import { JsonCursor } from './json.ts';

/** Most bytes of a body besides its audio. */
const MAX_OTHER_BYTES = 256 * 1024;
const QUOTE = 0x22;

/** Decoded audio, in the chunks in which it came. */
export type AudioBytes = readonly Uint8Array[];

export interface AudioBody {
  /** The JSON value, with an empty string in place of each audio. */
  readonly fields: unknown;
  /** The top-level `audio`; undefined when there was none. */
  readonly audio: AudioBytes | undefined;
  /** The audio in the parts of `messages`. */
  readonly parts: readonly AudioBytes[];
}

/** Places of audio as text: `audio`, and the content parts of `messages` (section 4.5). */
const PLACES = [
  { keys: ['audio'], decoder: createBase64Decoder },
  { keys: ['messages', 'content', 'input_audio', 'data'], decoder: createBase64Decoder },
  { keys: ['messages', 'content', 'audio_url', 'url'], decoder: createDataUrlDecoder },
] as const;
const [TOP_LEVEL] = PLACES;

/**
 * Reads a JSON object with long base64 strings, without ever holding those as text: audio is decoded
 * as it arrives, the rest is parsed at the end. Throws `ContractError` for invalid JSON or base64,
 * and beyond the limits.
 */
export const readAudioBody = async (body: AsyncIterable<Uint8Array>): Promise<AudioBody> => {
  const others: Buffer[] = [];
  let othersBytes = 0;
  let audio: Uint8Array[] | undefined;
  const parts: Uint8Array[][] = [];
  let current: { readonly decoder: AudioTextDecoder; readonly bytes: Uint8Array[] } | undefined;
  const cursor = new JsonCursor();

  /** Scans one chunk from `from`; returns the index where audio begins or the chunk ends. */
  const scan = (chunk: Buffer, from: number): number => {
    for (let at = from; at < chunk.length; at += 1) {
      const place = PLACES.find(({ keys }) => cursor.awaits(keys));
      cursor.step(chunk[at]!);
      if (place && cursor.inString) {
        cursor.leaveString();
        current = { decoder: place.decoder(place.keys.slice(-2).join('.')), bytes: [] };
        if (place === TOP_LEVEL) audio = current.bytes;
        else parts.push(current.bytes);
        return at + 1;
      }
    }
    return chunk.length;
  };

  const keep = (bytes: Buffer): void => {
    othersBytes += bytes.length;
    if (othersBytes > MAX_OTHER_BYTES)
      throw new ContractError('ErrRequestTooLarge', 'The fields besides audio are too long.');
    others.push(bytes);
  };

  for await (const bytes of body) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < chunk.length;) {
      if (current) {
        const quote = chunk.indexOf(QUOTE, at);
        const end = quote < 0 ? chunk.length : quote;
        current.bytes.push(current.decoder.push(chunk.subarray(at, end)));
        at = end;
        if (quote >= 0) {
          current.decoder.end();
          current = undefined;
          // The closing quote belongs to the other fields, after the opening one.
          keep(chunk.subarray(quote, quote + 1));
          at += 1;
        }
      } else {
        const end = scan(chunk, at);
        keep(chunk.subarray(at, end));
        cursor.assertSimple();
        at = end;
      }
    }
  }
  const fields = parseBody(Buffer.concat(others).toString('utf8'));
  return { fields, audio, parts };
};
