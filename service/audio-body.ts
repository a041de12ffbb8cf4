import { parseBody } from './body.ts';
import { ContractError } from './errors.ts';
import { JsonCursor } from './json.ts';

/** Most bytes of a body besides its audio. */
const MAX_OTHER_BYTES = 256 * 1024;
const QUOTE = 0x22;

export interface AudioBody {
  /** The JSON value, with an empty string in place of the audio. */
  readonly fields: unknown;
  /** The decoded audio; undefined when there was none. */
  readonly audio: readonly Uint8Array[] | undefined;
}

const notBase64 = (): ContractError =>
  new ContractError('ErrInvalidAudio', 'audio is not valid base64.');

/** Creates a decoder for the content of a JSON string of base64, in chunks of any size. */
const createBase64Decoder = (): { push(bytes: Buffer): Buffer; end(): void } => {
  let rest = '';
  let ended = false;
  return {
    push: (bytes) => {
      let text = rest + bytes.toString('latin1');
      // Some JSON writers escape "/" and "+"; an escape can be cut at the end.
      const cut = /\\(?:u[0-9a-fA-F]{0,3})?$/.exec(text)?.[0] ?? '';
      text = text.slice(0, text.length - cut.length);
      if (text.includes('\\'))
        text = text
          .replace(/\\u00([0-9a-fA-F]{2})/g, (_, hex: string) =>
            String.fromCharCode(Number.parseInt(hex, 16)),
          )
          .replaceAll('\\/', '/');
      if (text !== '' && (ended || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))) throw notBase64();
      const whole = text.slice(0, text.length - (text.length % 4));
      ended ||= whole.endsWith('=');
      rest = text.slice(whole.length) + cut;
      return Buffer.from(whole, 'base64');
    },
    end: () => {
      if (rest !== '') throw notBase64();
    },
  };
};

/**
 * Reads a JSON object whose `audio` is a long base64 string, without ever holding that as text: the
 * audio is decoded as it arrives, the rest is parsed at the end. Throws `ContractError` for invalid
 * JSON or base64, and beyond the limits.
 */
export const readAudioBody = async (body: AsyncIterable<Uint8Array>): Promise<AudioBody> => {
  const others: Buffer[] = [];
  let othersBytes = 0;
  let audio: Uint8Array[] | undefined;
  let decoder: ReturnType<typeof createBase64Decoder> | undefined;
  const cursor = new JsonCursor();

  /** Scans one chunk from `from`; returns the index where the audio begins or the chunk ends. */
  const scan = (chunk: Buffer, from: number): number => {
    for (let at = from; at < chunk.length; at += 1) {
      const awaitsAudio = cursor.awaited === 'audio';
      cursor.step(chunk[at]!);
      if (awaitsAudio && cursor.inString) {
        cursor.leaveString();
        decoder = createBase64Decoder();
        audio = [];
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
      if (decoder) {
        const quote = chunk.indexOf(QUOTE, at);
        const end = quote < 0 ? chunk.length : quote;
        audio?.push(decoder.push(chunk.subarray(at, end)));
        at = end;
        if (quote >= 0) {
          decoder.end();
          decoder = undefined;
          // The closing quote belongs to the other fields, after the opening one.
          keep(chunk.subarray(quote, quote + 1));
          at += 1;
        }
      } else {
        const end = scan(chunk, at);
        keep(chunk.subarray(at, end));
        at = end;
      }
    }
  }
  const fields = parseBody(Buffer.concat(others).toString('utf8'));
  return { fields, audio };
};
