import { parseBody } from './body.ts';
import { ContractError } from './errors.ts';
import { JsonCursor } from './json.ts';

/** Decodes the content of a JSON string, in chunks of any size. */
interface AudioTextDecoder {
  push(bytes: Buffer): Buffer;
  /** The rest. */
  end(): Buffer;
}

/** Longest beginning of a `data:` URL, up to its comma. */
const LONGEST_URL_START = 256;
const URL_SCHEME = 'data:';

const invalid = (message: string): ContractError => new ContractError('ErrInvalidAudio', message);

/** Escapes in a JSON string of base64; one that can be cut at the end. */
const ESCAPE = /\\(?:u00([0-9a-fA-F]{2})|([/nrt]))/g;
const CUT_ESCAPE = /\\(?:u[0-9a-fA-F]{0,3})?$/;
const NOTHING = Buffer.alloc(0);

/**
 * Creates a decoder of base64, also of that for URLs, in lines or without padding (RFC 4648, RFC 2045). It
 * throws a 400 for anything else.
 *
 * @param name the field, for errors
 */
const createBase64Decoder = (name: string): AudioTextDecoder => {
  const notBase64 = (): ContractError => invalid(`${name} is not valid base64.`);
  let rest = '';
  let cut = '';
  let ended = false;
  return {
    push: (bytes) => {
      let text = cut + bytes.toString('latin1');
      cut = CUT_ESCAPE.exec(text)?.[0] ?? '';
      text = text.slice(0, text.length - cut.length);
      // Some JSON writers escape "/" and "+", and some send lines.
      if (text.includes('\\'))
        text = text.replace(ESCAPE, (_, hex: string | undefined, sign: string) => {
          if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
          return sign === '/' ? '/' : '';
        });
      text = rest + text.replaceAll(/\s+/g, '');
      if (text !== '' && (ended || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(text))) throw notBase64();
      const whole = text.slice(0, text.length - (text.length % 4));
      ended ||= whole.endsWith('=');
      rest = text.slice(whole.length);
      return Buffer.from(whole, 'base64');
    },
    end: () => {
      if (cut !== '' || rest.replaceAll('=', '').length === 1 || rest.startsWith('='))
        throw notBase64();
      return Buffer.from(rest, 'base64');
    },
  };
};

/** Creates a decoder of a `data:` URL (RFC 2397) in base64; nothing is fetched from any other. */
const createDataUrlDecoder = (name: string): AudioTextDecoder => {
  const base64 = createBase64Decoder(name);
  const notDataUrl = (): ContractError =>
    invalid(`${name} must be a URL that begins with data: and holds base64.`);
  /** The URL up to its comma; undefined once that is behind. */
  let start: string | undefined = '';
  return {
    push: (bytes) => {
      if (start === undefined) return base64.push(bytes);
      const comma = bytes.indexOf(',');
      start += bytes.toString('latin1', 0, comma < 0 ? LONGEST_URL_START : comma);
      const scheme = start.slice(0, URL_SCHEME.length).toLowerCase();
      if (!URL_SCHEME.startsWith(scheme) || start.length > LONGEST_URL_START) throw notDataUrl();
      if (comma < 0) return NOTHING;
      if (scheme !== URL_SCHEME || !/;base64$/i.test(start)) throw notDataUrl();
      start = undefined;
      return base64.push(bytes.subarray(comma + 1));
    },
    end: () => {
      if (start !== undefined) throw notDataUrl();
      return base64.end();
    },
  };
};

/** Creates a decoder of base64, or of a `data:` URL, as the text begins. */
const createEitherDecoder = (name: string): AudioTextDecoder => {
  let start = NOTHING;
  let decoder: AudioTextDecoder | undefined;
  const chosen = (): AudioTextDecoder =>
    (start.toString('latin1').toLowerCase().startsWith(URL_SCHEME)
      ? createDataUrlDecoder
      : createBase64Decoder)(name);
  return {
    push: (bytes) => {
      if (decoder) return decoder.push(bytes);
      start = Buffer.concat([start, bytes]);
      if (start.length < URL_SCHEME.length) return NOTHING;
      decoder = chosen();
      return decoder.push(start);
    },
    end: () => {
      if (decoder) return decoder.end();
      const only = chosen();
      return Buffer.concat([only.push(start), only.end()]);
    },
  };
};

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
  readonly parts: readonly AudioBytes[];
}

/** Places of audio as text: `audio`, and the content parts of `messages` (section 4.5). */
const PLACES = [
  { keys: ['audio'], decoder: createEitherDecoder },
  { keys: ['messages', 'content', 'input_audio', 'data'], decoder: createEitherDecoder },
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
          current.bytes.push(current.decoder.end());
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
